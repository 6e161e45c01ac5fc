/** Addresses of servers, and what a browser allows of them. */
import { RemoteError } from './remote-error.ts'

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * The address without a slash at its end. Throws RemoteError: 'refused' where it is no address of http, 'mixed-content' where a page of
 * https would have to ask http elsewhere than on this machine, which browsers do not do.
 */
export function checkedAddress(baseUrl: string, pageProtocol: string | null): string {
  let url: URL
  try {
    url = new URL(baseUrl)
  } catch (cause) {
    throw notAnAddress(baseUrl, cause)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notAnAddress(baseUrl)
  if (url.username !== '' || url.password !== '')
    throw new RemoteError('refused', {
      what: `The address of the server at ${url.host} has a name or password in it.`,
      why: 'Addresses are kept in settings and logs, and keys must not be.',
      remedy: 'Take it out, and give the key in its own field.',
    })
  if (pageProtocol === 'https:' && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new RemoteError('mixed-content', {
      what: `${url.origin} cannot be asked from this page.`,
      why: 'The page came over https, and browsers let such a page ask http only on its own machine.',
      remedy:
        'Serve the model over https, forward its port to this machine (ssh -L), or open the playground from http://localhost (npm start).',
    })
  return baseUrl.replace(/\/+$/, '')
}

function notAnAddress(baseUrl: string, cause?: unknown): RemoteError {
  return new RemoteError(
    'refused',
    {
      what: `“${baseUrl}” is not the address of a server.`,
      why: 'An address begins with http:// or https://.',
      remedy: 'Write it whole, for example http://127.0.0.1:8000/v1.',
    },
    { cause },
  )
}
