/** How a run in the sandbox ends other than with a result. */
import type { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'

/** Address of a guest value. Valid until the machine is restored. */
export type GuestValue = ReturnType<QuickJSFFI['QTS_NewString']>

/** A value that the guest threw. Valid until the machine is restored. */
export class GuestError extends Error {
  readonly thrown: GuestValue

  constructor(thrown: GuestValue) {
    super('The guest threw.')
    this.thrown = thrown
  }
}

type Exhausted = 'fuel' | 'stack' | 'memory'

/** The guest ran out of a resource and was stopped. */
export class ExhaustedError extends Error {
  readonly what: Exhausted

  constructor(what: Exhausted) {
    super(`The guest ran out of ${what}.`)
    this.what = what
  }
}

/** The engine itself failed: a trap that no counter caused. */
export class EngineError extends Error {}
