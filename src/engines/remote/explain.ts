/** Words for what a server answered, or for its silence. */
import { RemoteError } from './remote-error.ts'

const LONGEST_DETAIL = 400

/** Nothing came back. Browsers do not tell why, so all that it can be is named. */
export function explainSilence(origin: string, cause: unknown, isBrowser: boolean): RemoteError {
  const reason = networkReason(cause)
  const why = isBrowser
    ? 'The browser does not say why: the server is not running there, it does not let pages of this origin ask (CORS), or the browser was not allowed to reach the local network.'
    : `${reason ?? 'The connection could not be made, or broke'}.`
  const remedy = isBrowser
    ? 'Check that the address opens in a tab; start the server so that it allows this page’s origin (vLLM: --allowed-origins, transformers serve: --enable-cors); and allow local network access where the browser asks.'
    : 'Check that the server is running and that the address and port are right, then go on from the last iteration.'
  return new RemoteError('unreachable', { what: `${origin} did not answer.`, why, remedy }, { cause })
}

export function explainTimeout(origin: string, timeoutMs: number): RemoteError {
  return new RemoteError('timeout', {
    what: `${origin} did not answer within ${Math.round(timeoutMs / 1000)} s.`,
    why: 'The server is slow, overloaded, or hangs.',
    remedy: 'Lower the number of requests at once, allow more time for one, or look into the server’s log.',
  })
}

export interface RefusedResponse {
  status: number
  body: string
}

export function explainStatus(origin: string, path: string, { status, body }: RefusedResponse): RemoteError {
  const detail = detailOf(body)
  const says = detail === '' ? `HTTP ${status}` : `HTTP ${status}: ${detail}`
  const options = { status, detail }
  if (status === 401 || status === 403)
    return new RemoteError(
      'unauthorised',
      {
        what: `${origin} does not accept the key.`,
        why: `It answered ${says}.`,
        remedy: 'Check the key for this server and whether it may use this model.',
      },
      { ...options, keyOrigin: origin },
    )
  if (status === 404)
    return new RemoteError(
      'not-found',
      {
        what: `${origin} does not have what was asked for at ${path}.`,
        why: `It answered ${says}.`,
        remedy: 'Check the address, version included (…/v1), and the model’s name.',
      },
      options,
    )
  if (status === 429)
    return new RemoteError(
      'rate-limited',
      {
        what: `${origin} refuses requests because there are too many.`,
        why: `It answered ${says} to every attempt.`,
        remedy: 'Lower the number of requests at once, or wait and go on from the last iteration.',
      },
      options,
    )
  if (status >= 500)
    return new RemoteError(
      'failed',
      {
        what: `${origin} failed at ${path}.`,
        why: `It answered ${says}.`,
        remedy: 'Look into the server’s log; when it works again, go on from the last iteration.',
      },
      options,
    )
  return new RemoteError(
    'refused',
    {
      what: `${origin} refused the request to ${path}.`,
      why: `It answered ${says}.`,
      remedy: 'Check that the server is of the kind and version that is asked for, and the settings of sampling.',
    },
    options,
  )
}

export function explainMalformed(origin: string, path: string, problem: string, cause?: unknown): RemoteError {
  return new RemoteError(
    'malformed',
    {
      what: `${origin} answered at ${path} with something that cannot be read.`,
      why: `${problem}.`,
      remedy: 'Check that the address is that of the server itself, not of a proxy or a page, and which version it is.',
    },
    { cause },
  )
}

/** The connection broke after a request that must not be made twice. */
export function explainUnknownOutcome(origin: string, path: string, cause: unknown): RemoteError {
  return new RemoteError(
    'unknown-outcome',
    {
      what: `The connection to ${origin} broke at ${path}.`,
      why: 'It is not known whether the server did what it was asked, and to ask again could do it twice.',
      remedy: 'Go on from the last iteration.',
    },
    { cause },
  )
}

/** {"error": {"message": …}}, {"error": …}, {"detail": …}, {"message": …}, or the text itself. */
function detailOf(body: string): string {
  let found: unknown
  try {
    const read = JSON.parse(body) as Record<string, unknown> | null
    const error = read?.['error']
    const nested = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)['message'] : error
    found = nested ?? read?.['detail'] ?? read?.['message'] ?? body
  } catch {
    // Proxies answer with pages.
    found = body.replace(/<[^>]*>/g, ' ')
  }
  const text = (typeof found === 'string' ? found : JSON.stringify(found)).replace(/\s+/g, ' ').trim()
  return text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL)}…` : text
}

/** Node says in the error's cause what the system said. */
function networkReason(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return 'Nothing listens at that address and port'
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of the machine is not known'
    if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'The connection broke before an answer was complete'
    if (code === 'CERT_HAS_EXPIRED' || code === 'DEPTH_ZERO_SELF_SIGNED_CERT')
      return `Its certificate is not valid (${code})`
  }
  return null
}

/** True where the system says that no connection was made at all, so that the server cannot have done anything. */
export function wasNeverSent(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return true
  }
  return false
}
