/** Errors as they cross between threads: structured cloning keeps neither class nor cause, so they travel as data. */

/** A worker died with calls under way, or was called after its death. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError'
  readonly worker: string
  readonly reason: string

  constructor(worker: string, reason: string, options?: ErrorOptions) {
    super(
      `The ${worker} worker stopped (${reason}). What it had not yet saved is gone: start it again from its last ` +
        'checkpoint; if it stops again, close other tabs or lower the group size, because memory is the usual reason.',
      options,
    )
    this.worker = worker
    this.reason = reason
  }
}

/** For people, when a worker that was lost has been started again. */
export function restartNotice({ worker, reason, cause }: WorkerLostError): string {
  const notice = `The ${worker} worker stopped (${reason}) and was started again with the weights of its last update.`
  return isDeviceFailure(cause) ? `${notice} ${cause.message}` : notice
}

/** The same for the judge's worker, which has nothing to lose but the program that it ran. */
export function judgeRestartNotice({ reason }: WorkerLostError): string {
  return (
    `The judge’s worker stopped (${reason}) and another takes its place. A program that was running counts as failed; ` +
    'all others are judged as ever.'
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

/** An Error again, with the name, message and causes that it had; code tells errors of other threads apart by name. */
export function reviveError(record: ErrorRecord): Error {
  const error = new Error(record.message, record.cause === null ? undefined : { cause: reviveError(record.cause) })
  error.name = record.name
  if (record.stack !== null) error.stack = record.stack
  return error
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** A GraphicsDeviceError of any thread: the worker's device is gone, or its numbers are not to be trusted. */
export function isDeviceFailure(error: unknown): error is Error {
  return error instanceof Error && error.name === 'GraphicsDeviceError'
}
