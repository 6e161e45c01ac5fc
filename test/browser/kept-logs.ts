/** The logs that a browser keeps, read from its database beside the page's own code. */
import type { Page } from 'playwright-core'
import type { LoggedEvent } from '../../src/method/events.ts'
import { storedTogether } from '../../src/cli/page/visitor.ts'
import { chunkEvents, type PackedChunk } from '../../src/runs/event-chunk.ts'
import type { RunSummary } from '../../src/runs/run-store.ts'

export interface KeptLogs {
  /** By id of the run; of every run that is listed. */
  logs: Map<string, LoggedEvent[]>
  /** Ids of runs that parts of logs belong to, and that are not listed. */
  unlisted: string[]
}

export async function keptLogs(page: Page): Promise<KeptLogs> {
  const [runs, chunks] = (await storedTogether(page, ['runs', 'chunks'])) as [RunSummary[], PackedChunk[]]
  const logs = new Map<string, LoggedEvent[]>(runs.map(({ runId }) => [runId, []]))
  const unlisted = new Set<string>()
  for (const chunk of chunks) {
    const log = logs.get(chunk.runId)
    if (log === undefined) unlisted.add(chunk.runId)
    else log.push(...(await chunkEvents(chunk)))
  }
  return { logs, unlisted: [...unlisted] }
}
