/** The logs that a browser keeps, read from its database beside the page's own code. */
import type { Page } from 'playwright-core'
import type { LoggedEvent } from '../../src/method/events.ts'
import { chunkEvents } from '../../src/runs/event-chunk.ts'

export interface KeptLogs {
  /** By id of the run; of every run that is listed. */
  logs: Map<string, LoggedEvent[]>
  /** Ids of runs that parts of logs belong to, and that are not listed. */
  unlisted: string[]
}

export async function keptLogs(page: Page): Promise<KeptLogs> {
  const { runs, chunks } = await page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error!)
      })
    const database = await done(indexedDB.open('rlanything-playground'))
    const stores = database.transaction(['runs', 'chunks'])
    const all = async <T>(name: string) => (await done(stores.objectStore(name).getAll())) as T[]
    const runs = await all<{ runId: string }>('runs')
    const chunks = await all<{ runId: string; firstSeq: number; packed: Uint8Array }>('chunks')
    database.close()
    return { runs, chunks: chunks.map((chunk) => ({ ...chunk, packed: [...chunk.packed] })) }
  })
  const logs = new Map<string, LoggedEvent[]>(runs.map(({ runId }) => [runId, []]))
  const unlisted = new Set<string>()
  for (const { packed, ...chunk } of chunks) {
    const log = logs.get(chunk.runId)
    if (log === undefined) unlisted.add(chunk.runId)
    else log.push(...(await chunkEvents({ ...chunk, packed: Uint8Array.from(packed) })))
  }
  return { logs, unlisted: [...unlisted] }
}
