/**
 * Several deployments of the page may share an origin, in folders of one host, and browsers share databases by origin. The first
 * deployment that a browser opens keeps the plain names, which are those of earlier versions, with their contents; each other
 * deployment gets databases with its folder in their name. Model folders and WebLLM's files are large and the same everywhere, so
 * deployments share them.
 */
import { openDB, type DBSchema } from 'idb'

interface Claims extends DBSchema {
  /** By folder; the suffix of its databases' names. */
  deployments: { key: string; value: string }
}

/** Path of the page's folder, ending in a slash. Workers are in a folder below it, in the sources and in the build. */
export function deploymentFolder(
  address: string | undefined = (globalThis.location as Location | undefined)?.href,
): string {
  if (address === undefined) return '/'
  return new URL('.', address).pathname.replace(/(?<=\/)(assets|workers)\/$/, '')
}

/** Name of a database of this deployment. Rejects where the browser blocks databases. */
export async function databaseName(plain: string, folder = deploymentFolder()): Promise<string> {
  const claims = await openDB<Claims>('rlanything-deployments', 1, {
    upgrade: (fresh) => void fresh.createObjectStore('deployments'),
  })
  try {
    const transaction = claims.transaction('deployments', 'readwrite')
    const known = await transaction.store.get(folder)
    const suffix = known ?? ((await transaction.store.count()) === 0 ? '' : ` ${folder}`)
    if (known === undefined) await transaction.store.put(suffix, folder)
    await transaction.done
    return plain + suffix
  } finally {
    claims.close()
  }
}
