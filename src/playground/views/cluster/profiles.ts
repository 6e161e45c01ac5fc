/** Gateways as kept in this browser: a name and an address, never a token. */
export interface ClusterProfile {
  id: string
  name: string
  address: string
}

export interface ClusterProfileBook {
  profiles: ClusterProfile[]
  /** Id of the profile that was chosen last. */
  chosen: string | null
}

/** The address that `npm run gateway` prints by default. */
export const FIRST_PROFILE: ClusterProfile = { id: 'local', name: 'This machine', address: 'http://127.0.0.1:8787' }

/** Reads stored profiles. Skips unreadable ones; there is always at least one. */
export function parseProfileBook(text: string | null): ClusterProfileBook {
  const { profiles, chosen } = parsedObject(text) as { profiles?: unknown; chosen?: unknown }
  const readable = (Array.isArray(profiles) ? profiles : []).flatMap((profile: unknown) => {
    const { id, name, address } = (profile ?? {}) as Record<string, unknown>
    return typeof id === 'string' && typeof name === 'string' && typeof address === 'string'
      ? [{ id, name, address }]
      : []
  })
  const kept = readable.length > 0 ? readable : [FIRST_PROFILE]
  const isThere = kept.some(({ id }) => id === chosen)
  return { profiles: kept, chosen: isThere ? (chosen as string) : null }
}

/** The kept tokens, by profile id. */
export function parseKeptTokens(text: string | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parsedObject(text)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** An unused id. */
export function freshId(profiles: readonly ClusterProfile[]): string {
  for (let i = profiles.length + 1; ; i++) {
    const id = `gateway-${i}`
    if (!profiles.some((profile) => profile.id === id)) return id
  }
}

function parsedObject(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
