/** Addresses of servers, and which of them a browser may call. */
import { RemoteError } from './remote-error.ts'

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * The address without a final slash. Throws RemoteError: 'refused' if it is not an http(s) address, 'mixed-content' if an https
 * page would call http on another machine, which browsers block.
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
      what: `The address of the server at ${url.host} contains a name or password.`,
      why: 'Addresses are kept in settings and logs, and keys must not be.',
      remedy: 'Remove it, and enter the key in its own field.',
    })
  if (pageProtocol === 'https:' && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new RemoteError('mixed-content', {
      what: `${url.origin} cannot be asked from this page.`,
      why: 'An https page may call http servers only on the same machine.',
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
      remedy: 'Enter the whole address, for example http://127.0.0.1:8000/v1.',
    },
    { cause },
  )
}
