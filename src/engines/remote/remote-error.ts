/** What goes wrong between a model on a server and us: what happened, why, and what to do about it, for people and for code. */

export type RemoteErrorKind =
  /** Nobody answers: not started, another address, the network, or a browser that may not ask. */
  | 'unreachable'
  /** A page of https may not ask http. */
  | 'mixed-content'
  | 'timeout'
  /** 401, 403 */
  | 'unauthorised'
  /** 404: the address, the model, or what the server has forgotten. */
  | 'not-found'
  /** 429, for longer than we have patience. */
  | 'rate-limited'
  /** 5xx */
  | 'failed'
  /** Any other 4xx: the request itself is not to its liking. */
  | 'refused'
  /** Answers that are not what they should be. */
  | 'malformed'
  /** The connection broke after the request was sent, and it is not known whether the server did what it was asked. */
  | 'unknown-outcome'
  /** Cannot be had of this kind of server at all. */
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
  /** Of the response; null where there was none. */
  readonly status: number | null
  /** The server's own words, cut; '' where there are none. */
  readonly detail: string
  /** Of the server, where it is the key that it did not accept; null otherwise. */
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
