/** Errors between page and gateway: texts for the user, kinds for code. */
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
 *     address         not an address of a gateway
 *     mixed-content   an https page cannot ask an http server
 *     local-network   the browser blocks requests to the local network
 *     unreachable     no answer
 *     origin          the gateway does not let this page read its answer
 *     not-a-gateway   another server answers
 *     version         the gateway has another version of the protocol
 *     token           wrong or missing
 *     refused         the gateway refuses the request and says why
 *     busy            too many requests, or the gateway is restarting
 *     broken          an incomplete answer, or one that contradicts the protocol
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
  /** Milliseconds that the gateway asks to wait; null if it does not. */
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

  /** Whether a retry may succeed without user action. */
  get isPassing(): boolean {
    return this.kind === 'unreachable' || this.kind === 'busy' || this.kind === 'broken'
  }
}

/** Converts an unsuccessful answer to an error. Reads its body. */
export async function errorOf(response: Response, address: string): Promise<GatewayError> {
  const said = await problemIn(response)
  const { status } = response
  // A gateway's own 403 is about the host name or the origin, not the token.
  if (status === 401 || (status === 403 && !said))
    return new GatewayError(
      'token',
      said ?? {
        what: 'The gateway rejects this page.',
        why: `It answered ${status}: the token is missing or wrong.`,
        remedy: 'Copy the token with which the gateway was started, and connect again.',
      },
    )
  if (status === 429 || status === 502 || status === 503 || status === 504)
    return new GatewayError(
      'busy',
      said ?? {
        what: 'The gateway is busy.',
        why: `${address} answered ${status}.`,
        remedy: 'Wait a moment. This page retries by itself.',
      },
      { retryAfterMs: retryAfter(response) },
    )
  if (said) return new GatewayError('refused', said)
  return new GatewayError(status >= 500 ? 'broken' : 'not-a-gateway', {
    what: `${address} answered ${status}.`,
    why: status >= 500 ? 'The gateway failed.' : 'A gateway would have given a reason.',
    remedy:
      status >= 500
        ? "Check the gateway's output on the cluster."
        : 'Enter the address of the gateway, without a path.',
  })
}

async function problemIn(response: Response): Promise<GatewayProblem | null> {
  try {
    const { error } = (await response.json()) as Partial<GatewayErrorBody>
    if (error && [error.what, error.why, error.remedy].every((part) => typeof part === 'string')) return error
  } catch {
    // Proxies answer with pages, not JSON.
  }
  return null
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}
