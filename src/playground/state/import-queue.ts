import { Turns } from '../../method/turns.ts'

/**
 * Runs imports one after another. Nobody has read what an import reports when the next one already waits for it, so only the first
 * import after a pause clears the report.
 */
export class ImportQueue {
  #pending = 0
  readonly #turns = new Turns()

  /** Whether an import runs or waits. */
  get isBusy(): boolean {
    return this.#pending > 0
  }

  /** Settles as `work` does. `isFirst`: no import ran or waited when this one was added. */
  add<T>(work: (isFirst: boolean) => Promise<T>): Promise<T> {
    const isFirst = !this.isBusy
    this.#pending += 1
    return this.#turns.take(() => work(isFirst)).finally(() => (this.#pending -= 1))
  }
}
