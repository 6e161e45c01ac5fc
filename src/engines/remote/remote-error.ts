/** A failure of a server: what happened, why, and what to do, with a code. */

export type RemoteErrorKind =
  /** No answer: not started, wrong address, the network, or a browser that may not call it. */
  | 'unreachable'
  /** An https page may not call http. */
  | 'mixed-content'
  | 'timeout'
  /** 401, 403 */
  | 'unauthorised'
  /** 404: the address, the model, or something that the server has deleted. */
  | 'not-found'
  /** 429 until patience ran out. */
  | 'rate-limited'
  /** 5xx */
  | 'failed'
  /** Any other 4xx: the request is invalid. */
  | 'refused'
  /** Invalid answers. */
  | 'malformed'
  /** The connection was lost after the request, so it is unknown whether the server executed it. */
  | 'unknown-outcome'
  /** This kind of server does not support it. */
  | 'unsupported'

export interface RemoteErrorWords {
  what: string
  why: string
  remedy: string
}

export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  readonly kind: RemoteErrorKind
  readonly what: string
  readonly why: string
  readonly remedy: string
  /** HTTP status of the response; null without one. */
  readonly status: number | null
  /** The server's own message, shortened; '' without one. */
  readonly detail: string
  /** The server's origin, if it rejected the key; else null. */
  readonly keyOrigin: string | null

  constructor(
    kind: RemoteErrorKind,
    words: RemoteErrorWords,
    {
      status = null,
      detail = '',
      keyOrigin = null,
      ...options
    }: ErrorOptions & { status?: number | null; detail?: string; keyOrigin?: string | null } = {},
  ) {
    super(`${words.what} ${words.why} ${words.remedy}`, options)
    this.kind = kind
    this.what = words.what
    this.why = words.why
    this.remedy = words.remedy
    this.status = status
    this.detail = detail
    this.keyOrigin = keyOrigin
  }
}

export function isRemoteError(error: unknown, ...kinds: readonly RemoteErrorKind[]): error is RemoteError {
  return error instanceof RemoteError && (kinds.length === 0 || kinds.includes(error.kind))
}
