/**
 * A typed bridge to a service in another thread. Adds to Comlink:
 *
 * - AbortSignals as arguments. Signals cannot be cloned, so a call has an id, the argument is omitted, and an abort follows
 *   as `cancel(id)`; the worker passes its own signal to the service;
 * - errors keep their name, message and causes;
 * - functions as arguments, which the worker can call back until the call ends;
 * - large results are transferred if the service no longer needs them;
 * - when a worker dies, its pending calls reject with a WorkerLostError instead of staying pending.
 *
 * The worker calls `exposeService(service)`, the other side `connectWorker<typeof service>(worker)`.
 */
import { expose, proxy, releaseProxy, transfer, wrap, type Endpoint } from 'comlink'
import { nodeEndpoint, parentEndpoint, type NodePort } from './endpoints.ts'
import { isAbort, recordError, reviveError, WorkerLostError, type ErrorRecord } from './errors.ts'
import { errorText } from './error-text.ts'

type Reply = { ok: true; value: unknown } | { ok: false; error: ErrorRecord }

interface Wire {
  /** `signalIndex` is the position of the AbortSignal among the arguments, -1 without one. */
  call(id: number, method: string, signalIndex: number, ...args: unknown[]): Promise<Reply>
  cancel(id: number): void
}

/** The service as seen from the other thread: its methods, all asynchronous. */
export type Remoted<Service> = {
  [Name in keyof Service as Service[Name] extends (...args: never[]) => unknown ? Name : never]: Service[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

export interface Bridge<Service> {
  readonly remote: Remoted<Service>
  /** Resolves when the worker has died or was terminated. */
  readonly lost: Promise<WorkerLostError>
  terminate(): void
}

// ------------------------------------------------------------------------------------------------ in the worker

export interface ExposeOptions<Service> {
  /** Methods whose result the service gives away: its typed arrays are transferred instead of copied. */
  gives?: readonly (keyof Service & string)[]
  endpoint?: Endpoint
}

export function exposeService<Service extends object>(service: Service, options: ExposeOptions<Service> = {}): void {
  const underWay = new Map<number, AbortController>()
  const given = new Set<string>(options.gives)
  const wire: Wire = {
    async call(id, method, signalIndex, ...args) {
      const controller = new AbortController()
      underWay.set(id, controller)
      if (signalIndex >= 0) args[signalIndex] = controller.signal
      try {
        const implementation: unknown = Reflect.get(service, method)
        if (typeof implementation !== 'function') throw new TypeError(`This worker has no method "${method}".`)
        const value: unknown = await Reflect.apply(implementation, service, args)
        const reply: Reply = { ok: true, value }
        return given.has(method) ? transfer(reply, wholeBuffers(value)) : reply
      } catch (error) {
        return { ok: false, error: recordError(error) }
      } finally {
        underWay.delete(id)
        for (const argument of args) releaseCallback(argument)
      }
    },
    cancel(id) {
      underWay.get(id)?.abort()
    },
  }
  expose(wire, options.endpoint ?? parentEndpoint())
}

/** A callback of the other thread is a Comlink proxy, which keeps a message port open until it is released. */
function releaseCallback(argument: unknown): void {
  if (typeof argument !== 'function') return
  const release: unknown = Reflect.get(argument, releaseProxy)
  if (typeof release === 'function') Reflect.apply(release, argument, [])
}

/** Buffers in plain data that one view covers whole. A part of a larger buffer is copied, because others may use the rest. */
export function wholeBuffers(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value
    if (buffer instanceof ArrayBuffer && value.byteLength > 0 && value.byteLength === buffer.byteLength) {
      found.add(buffer)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) wholeBuffers(inner, found)
  }
  return [...found]
}

// ------------------------------------------------------------------------------------------------ on the other side

/** A browser's Worker, or a Worker of node:worker_threads. */
export type Thread = Worker | NodeThread
export interface NodeThread extends NodePort {
  terminate(): Promise<number>
}

/** Connects to the service that a worker exposes. `name` appears in errors: "policy". */
export function connectWorker<Service>(thread: Thread, name: string): Bridge<Service> {
  const isNode = 'on' in thread
  const wire = wrap<Wire>(isNode ? nodeEndpoint(thread) : thread)
  const pending = new Map<number, (error: WorkerLostError) => void>()
  let nextId = 0
  let loss: WorkerLostError | null = null
  let announceLoss: (error: WorkerLostError) => void
  const lost = new Promise<WorkerLostError>((resolve) => (announceLoss = resolve))

  const lose = (reason: string, cause?: unknown) => {
    if (loss !== null) return
    loss = new WorkerLostError(name, reason, cause === undefined ? undefined : { cause })
    for (const reject of pending.values()) reject(loss)
    pending.clear()
    announceLoss(loss)
    // After an uncaught error its state is unknown.
    void thread.terminate()
  }
  if (isNode) {
    thread.on('error', (error) => lose(errorText(error), error))
    thread.on('messageerror', (error) => lose('a message could not be read', error))
    thread.on('exit', (code) => lose(`exit code ${String(code)}`))
  } else {
    thread.addEventListener('error', (event) => {
      // Otherwise the error would propagate to the parent worker and end that too.
      event.preventDefault()
      lose(event.message || 'its script could not be loaded', event.error)
    })
    thread.addEventListener('messageerror', () => lose('a message could not be read'))
  }

  const call = async (method: string, args: unknown[]): Promise<unknown> => {
    const signalIndex = args.findIndex((argument) => argument instanceof AbortSignal)
    const signal = args[signalIndex] as AbortSignal | undefined
    signal?.throwIfAborted()
    if (loss !== null) throw loss
    const id = nextId++
    const sent = args.map((argument, index) => (index === signalIndex ? undefined : asSent(argument)))
    const cancel = () => void wire.cancel(id)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const death = new Promise<never>((_, reject) => pending.set(id, reject))
      const reply = await Promise.race([death, wire.call(id, method, signalIndex, ...sent)])
      if (reply.ok) return reply.value
      const error = reviveError(reply.error)
      if (signal?.aborted === true && isAbort(error)) throw signal.reason
      throw error
    } finally {
      pending.delete(id)
      signal?.removeEventListener('abort', cancel)
    }
  }
  return { remote: remoteMethods<Service>(call), lost, terminate: () => lose('it was terminated') }
}

function asSent(argument: unknown): unknown {
  return typeof argument === 'function' ? proxy(argument as object) : argument
}

function remoteMethods<Service>(call: (method: string, args: unknown[]) => Promise<unknown>): Remoted<Service> {
  const methods = new Map<string, (...args: unknown[]) => Promise<unknown>>()
  return new Proxy({} as Remoted<Service>, {
    get(_target, name) {
      // A promise that resolves to this object must not take it for a thenable.
      if (typeof name === 'symbol' || name === 'then') return undefined
      let method = methods.get(name)
      if (method === undefined) {
        method = (...args) => call(name, args)
        methods.set(name, method)
      }
      return method
    },
  })
}
