/** Explains a server's error, or its silence. */
import { RemoteError } from './remote-error.ts'

const LONGEST_DETAIL = 400

/** No answer. Browsers do not report the reason, so the message lists the possible ones. */
export function explainSilence(origin: string, cause: unknown, isBrowser: boolean): RemoteError {
  const reason = networkReason(cause)
  const why = isBrowser
    ? 'The browser does not report the reason: the server is not running there, it does not allow requests from this page’s origin (CORS), or the browser may not access the local network.'
    : `${reason ?? 'The connection failed or was lost'}.`
  const remedy = isBrowser
    ? 'Check that the address opens in a tab; start the server so that it allows this page’s origin (vLLM: --allowed-origins, transformers serve: --enable-cors); and allow local network access if the browser asks.'
    : 'Check that the server is running and that address and port are correct, then resume from the last iteration.'
  return new RemoteError('unreachable', { what: `${origin} did not answer.`, why, remedy }, { cause })
}

export function explainTimeout(origin: string, timeoutMs: number): RemoteError {
  return new RemoteError('timeout', {
    what: `${origin} did not answer within ${Math.round(timeoutMs / 1000)} s.`,
    why: 'The server is slow, overloaded or stuck.',
    remedy: 'Lower the number of concurrent requests, allow more time for each, or check the server’s log.',
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
        remedy: 'Check the key for this server, and whether it may use this model.',
      },
      { ...options, keyOrigin: origin },
    )
  if (status === 404)
    return new RemoteError(
      'not-found',
      {
        what: `${origin} does not have what was asked for at ${path}.`,
        why: `It answered ${says}.`,
        remedy: 'Check the address, including the version (…/v1), and the model’s name.',
      },
      options,
    )
  if (status === 429)
    return new RemoteError(
      'rate-limited',
      {
        what: `${origin} refuses requests because there are too many.`,
        why: `It answered ${says} to every attempt.`,
        remedy: 'Lower the number of concurrent requests, or wait and resume from the last iteration.',
      },
      options,
    )
  if (status >= 500)
    return new RemoteError(
      'failed',
      {
        what: `${origin} failed at ${path}.`,
        why: `It answered ${says}.`,
        remedy: 'Check the server’s log; when it works again, resume from the last iteration.',
      },
      options,
    )
  return new RemoteError(
    'refused',
    {
      what: `${origin} refused the request to ${path}.`,
      why: `It answered ${says}.`,
      remedy: 'Check the kind and version of the server, and the sampling settings.',
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
      remedy: 'Check that the address is that of the server itself, not of a proxy or a page, and check its version.',
    },
    { cause },
  )
}

/** The connection was lost after a request that must not be made twice. */
export function explainUnknownOutcome(origin: string, path: string, cause: unknown): RemoteError {
  return new RemoteError(
    'unknown-outcome',
    {
      what: `The connection to ${origin} was lost at ${path}.`,
      why: 'It is unknown whether the server completed the request, and a retry could do it twice.',
      remedy: 'Resume from the last iteration.',
    },
    { cause },
  )
}

/** Reads {"error": {"message": …}}, {"error": …}, {"detail": …}, {"message": …}, or the text itself. */
function detailOf(body: string): string {
  let found: unknown
  try {
    const read = JSON.parse(body) as Record<string, unknown> | null
    const error = read?.['error']
    const nested = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)['message'] : error
    found = nested ?? read?.['detail'] ?? read?.['message'] ?? body
  } catch {
    // Proxies answer with HTML pages.
    found = body.replace(/<[^>]*>/g, ' ')
  }
  const text = (typeof found === 'string' ? found : JSON.stringify(found)).replace(/\s+/g, ' ').trim()
  return text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL)}…` : text
}

/** Node reports the system's reason in the error's cause. */
function networkReason(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return 'No server listens at that address and port'
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name is unknown'
    if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET')
      return 'The connection was lost before the answer was complete'
    if (code === 'CERT_HAS_EXPIRED' || code === 'DEPTH_ZERO_SELF_SIGNED_CERT')
      return `Its certificate is not valid (${code})`
  }
  return null
}

/** True if the system reports that no connection was made, so that the server cannot have done anything. */
export function wasNeverSent(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return true
  }
  return false
}
