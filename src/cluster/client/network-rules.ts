/**
 * Which requests browsers allow. Mixed content: an https page may ask http servers only on this machine. Local Network Access (Chrome
 * 142 and later): a page needs the user's permission to reach this machine or network, and only a secure context can get it.
 */
export type AddressSpace = 'loopback' | 'local' | 'public'

/** Where an address is, judged by its name alone; a public name may still resolve to a private address. */
export function addressSpace(hostname: string): AddressSpace {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host)) return 'loopback'
  if (host.endsWith('.local') || host.endsWith('.internal') || !/[.:]/.test(host)) return 'local'
  if (/^(fc|fd|fe8|fe9|fea|feb)[0-9a-f]*:/.test(host)) return 'local'
  const parts = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (!parts) return 'public'
  const [a, b] = [Number(parts[1]), Number(parts[2])]
  const isPrivate =
    a === 10 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b <= 127)
  return isPrivate ? 'local' : 'public'
}

/** Whether the browser blocks the request outright: the page is https, the server is http and not on this machine. */
export function isMixedContent(page: URL, server: URL): boolean {
  return page.protocol === 'https:' && server.protocol === 'http:' && addressSpace(server.hostname) !== 'loopback'
}

/** Whether the server is nearer to this machine than the page's origin; the browser may then ask the user first. */
export function needsLocalPermission(page: URL, server: URL): boolean {
  const order: AddressSpace[] = ['public', 'local', 'loopback']
  const reach = (url: URL) => order.indexOf(addressSpace(url.hostname))
  return reach(server) > reach(page)
}

/** Names that Chrome has used for the permission; browsers throw for unknown ones. */
const PERMISSIONS = ['local-network-access', 'local-network', 'loopback-network']

export async function localNetworkPermission(
  permissions: Pick<Permissions, 'query'> | undefined,
): Promise<PermissionState | null> {
  const states: PermissionState[] = []
  for (const name of PERMISSIONS) {
    try {
      const status = await permissions?.query({ name: name as PermissionName })
      if (status) states.push(status.state)
    } catch {
      continue
    }
  }
  return states.includes('denied') ? 'denied' : (states[0] ?? null)
}
