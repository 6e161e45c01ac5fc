/** Compares an object of WebLLM with the names that own-names.ts lists for it. */
import { INTERNALS, type Kind, type Owner } from './own-names.ts'

/** A name that is checked at first use is missing. */
export class MissingInternalsError extends Error {
  override readonly name = 'MissingInternalsError'
}

/** Names that the owner lacks, such as "lock.acquire (function)". */
export function missingNames(owner: Owner, value: object): string[] {
  return Object.entries<Kind>(INTERNALS[owner])
    .filter(([name, kind]) => !has(value, name, kind))
    .map(([name, kind]) => `${owner}.${name} (${kind})`)
}

function has(owner: object, name: string, kind: Kind): boolean {
  if (kind === 'property') return name in owner
  const value: unknown = Reflect.get(owner, name)
  if (kind === 'Map') return value instanceof Map
  return typeof value === kind && value !== null
}
