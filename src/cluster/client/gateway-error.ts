/** What goes wrong between page and gateway, in words for people, and in kinds for code. */
import type { GatewayErrorBody } from '../protocol.ts'

export const GATEWAY_ERROR_KINDS = [
  'address',
  'mixed-content',
  'local-network',
  'unreachable',
  'origin',
  'not-a-gateway',
  'version',
  'token',
  'refused',
  'busy',
  'broken',
] as const
/**
 *     address         what was typed is no address of a gateway
 *     mixed-content   an https page may not ask an http server
 *     local-network   the browser does not let pages ask this machine's network
 *     unreachable     no answer
 *     origin          an answer that the gateway does not let this page read
 *     not-a-gateway   an answer of something else
 *     version         a gateway of another protocol
 *     token           wrong, or none
 *     refused         the gateway does not do what was asked, and says why
 *     busy            too many requests, or a gateway that is being restarted
 *     broken          an answer that breaks off, or that contradicts the protocol
 */
export type GatewayErrorKind = (typeof GATEWAY_ERROR_KINDS)[number]

export interface GatewayProblem {
  what: string
  why: string
  remedy: string
}

export class GatewayError extends Error implements GatewayProblem {
  override readonly name = 'GatewayError'
  readonly kind: GatewayErrorKind
  readonly what: string
  readonly why: string
  readonly remedy: string
  /** Milliseconds that the gateway asks to wait; null where it asks nothing. */
  readonly retryAfterMs: number | null

  constructor(
    kind: GatewayErrorKind,
    { what, why, remedy }: GatewayProblem,
    { retryAfterMs = null, ...options }: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(`${what} ${why} ${remedy}`, options)
    this.kind = kind
    this.what = what
    this.why = why
    this.remedy = remedy
    this.retryAfterMs = retryAfterMs
  }

  /** Trying again may help without anybody doing anything. */
  get isPassing(): boolean {
    return this.kind === 'unreachable' || this.kind === 'busy' || this.kind === 'broken'
  }
}

/** The error that an answer without success stands for. Reads its body. */
export async function errorOf(response: Response, address: string): Promise<GatewayError> {
  const said = await problemIn(response)
  const { status } = response
  // A gateway that answers 403 means the address that was asked, not the token.
  if (status === 401 || (status === 403 && !said))
    return new GatewayError(
      'token',
      said ?? {
        what: 'The gateway does not let this page in.',
        why: `It answered ${status}: the token is missing or wrong.`,
        remedy: 'Copy the token from where the gateway was started, and connect again.',
      },
    )
  if (status === 429 || status === 502 || status === 503 || status === 504)
    return new GatewayError(
      'busy',
      said ?? {
        what: 'The gateway is busy.',
        why: `${address} answered ${status}.`,
        remedy: 'Wait a moment: this page asks again by itself.',
      },
      { retryAfterMs: retryAfter(response) },
    )
  if (said) return new GatewayError('refused', said)
  return new GatewayError(status >= 500 ? 'broken' : 'not-a-gateway', {
    what: `${address} answered ${status}.`,
    why: status >= 500 ? 'The gateway has failed.' : 'A gateway would have said why.',
    remedy:
      status >= 500
        ? 'Look at what the gateway printed where it was started.'
        : 'Check the address: it is that of the gateway, without a path.',
  })
}

async function problemIn(response: Response): Promise<GatewayProblem | null> {
  try {
    const { error } = (await response.json()) as Partial<GatewayErrorBody>
    if (error && [error.what, error.why, error.remedy].every((part) => typeof part === 'string')) return error
  } catch {
    // Answers of proxies are pages, not JSON.
  }
  return null
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}
