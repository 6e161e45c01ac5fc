/** Errors as plain data between threads, because structured cloning keeps neither class nor cause. */

/** A worker died during calls, or was called after its death. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError'
  readonly worker: string
  readonly reason: string

  constructor(worker: string, reason: string, options?: ErrorOptions) {
    super(
      `The ${worker} worker stopped (${reason}) and lost what it had not saved. Start it again from its last checkpoint; ` +
        'if it stops again, close other tabs or lower the group size, because memory is the usual reason.',
      options,
    )
    this.worker = worker
    this.reason = reason
  }
}

/** Notice for a worker that was lost and started again. */
export function restartNotice({ worker, reason, cause }: WorkerLostError): string {
  const notice = `The ${worker} worker stopped (${reason}) and was started again with the weights of its last update.`
  return isDeviceFailure(cause) ? `${notice} ${cause.message}` : notice
}

/** Likewise for the judge's worker, which loses only the program that it ran. */
export function judgeRestartNotice({ reason }: WorkerLostError): string {
  return (
    `The judge’s worker stopped (${reason}) and was replaced. The program that was running counts as failed; ` +
    'all others are judged as usual.'
  )
}

export interface ErrorRecord {
  name: string
  message: string
  stack: string | null
  cause: ErrorRecord | null
}

const DEEPEST_CAUSE = 8

export function recordError(error: unknown, depth = 0): ErrorRecord {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: null, cause: null }
  const hasCause = error.cause !== undefined && error.cause !== null && depth < DEEPEST_CAUSE
  return {
    name: error.name,
    message: error.message,
    stack: error.stack ?? null,
    cause: hasCause ? recordError(error.cause, depth + 1) : null,
  }
}

/** Restores name, message and causes. Code distinguishes errors of other threads by name, not by class. */
export function reviveError(record: ErrorRecord): Error {
  const error = new Error(record.message, record.cause === null ? undefined : { cause: reviveError(record.cause) })
  error.name = record.name
  if (record.stack !== null) error.stack = record.stack
  return error
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** A GraphicsDeviceError of any thread: the worker's device is lost, or its results are unreliable. */
export function isDeviceFailure(error: unknown): error is Error {
  return error instanceof Error && error.name === 'GraphicsDeviceError'
}
