/**
 * Keeps runs in the browser's IndexedDB. Each chunk of events is written in its own transaction, so a closed tab loses at most
 * the events not yet written. Metric rows (metric-rows.ts) and checkpoints are stored separately. A log is always read in
 * parts, because one of five hundred iterations may not fit into memory.
 */
import type { IDBPDatabase } from 'idb'
import type { LoggedEvent } from '../method/events.ts'
import { outdatedCheckpoints } from './checkpoint-thinning.ts'
import { everythingOf, keptCheckpoint, logBytes, openRunDatabase, type Schema } from './indexeddb-schema.ts'
import { rowAfter, type MetricRow } from './metric-rows.ts'
import { withCurrentSettings } from './older-logs.ts'
import { newSummary, type ResumableRun, type ResumableRunStore } from './run-store.ts'
import type { RunCheckpoint, RunSummary } from './run-store.ts'
import { stateEvent } from './state-event.ts'

/** Tells other tabs and workers that the list of runs has changed. */
export const RUNS_CHANNEL = 'kept-runs'

/** Kept runs cannot be read or written: no space, a blocked upgrade, a private window. */
export class RunStoreError extends Error {
  override readonly name = 'RunStoreError'
}

export class IndexedDbRunStore implements ResumableRunStore {
  readonly #database: IDBPDatabase<Schema>
  readonly #channel = new BroadcastChannel(RUNS_CHANNEL)

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database
  }

  static async open(name = 'rlanything-playground'): Promise<IndexedDbRunStore> {
    try {
      return new IndexedDbRunStore(await openRunDatabase(name))
    } catch (cause) {
      throw new RunStoreError(
        'The browser does not let this page keep runs (a private window, or storage is switched off). ' +
          'The run continues, but is lost when you close the tab; export it to keep it.',
        { cause },
      )
    }
  }

  close(): void {
    this.#channel.close()
    this.#database.close()
  }

  async create(summary: RunSummary): Promise<void> {
    await this.#database.put('runs', summary)
    this.#announce()
  }

  async append(runId: string, events: readonly LoggedEvent[]): Promise<void> {
    const first = events[0]
    if (first === undefined) return
    const transaction = this.#database.transaction(['runs', 'chunks', 'rows'], 'readwrite')
    try {
      const summary = await transaction.objectStore('runs').get(runId)
      const rows = new Map<number, MetricRow>()
      for (const event of events) {
        const { iteration } = event
        const row = rows.get(iteration) ?? (await transaction.objectStore('rows').get([runId, iteration]))
        rows.set(iteration, rowAfter(row, event))
      }
      // Awaited together, because the transaction closes by itself when no request is pending.
      await Promise.all([
        transaction.objectStore('chunks').put({ runId, firstSeq: first.seq, events: [...events] }),
        ...Array.from(rows.values(), (row) => transaction.objectStore('rows').put({ ...row, runId })),
        summary && transaction.objectStore('runs').put(summaryAfter(summary, events)),
        transaction.done,
      ])
    } catch (cause) {
      throw storageError(cause)
    }
    if (events.some(({ type }) => type === 'iteration-finished' || type === 'run-started')) this.#announce()
  }

  async saveTimings(runId: string, iteration: number, metrics: Readonly<Record<string, number>>): Promise<void> {
    const transaction = this.#database.transaction('rows', 'readwrite')
    const row = await transaction.store.get([runId, iteration])
    if (row) await transaction.store.put({ ...row, values: { ...row.values, ...metrics } })
    await transaction.done
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    const { runId } = checkpoint
    const transaction = this.#database.transaction(['runs', 'checkpoints'], 'readwrite')
    const stored = transaction.objectStore('checkpoints')
    try {
      await stored.put(checkpoint)
      const summary = await transaction.objectStore('runs').get(runId)
      const others = summary?.checkpoints.filter(({ iteration }) => iteration !== checkpoint.iteration) ?? []
      const all = [...others, keptCheckpoint(checkpoint)].sort((a, b) => a.iteration - b.iteration)
      const outdated = outdatedCheckpoints(all)
      const checkpoints = all.filter((each) => !outdated.includes(each))
      await Promise.all([
        ...outdated.map(({ iteration }) => stored.delete([runId, iteration])),
        summary && transaction.objectStore('runs').put({ ...summary, checkpoints }),
        transaction.done,
      ])
    } catch (cause) {
      throw storageError(cause)
    }
  }

  async finish(runId: string): Promise<void> {
    await this.#change(runId, (summary) => ({ ...summary, isFinished: true, updatedAt: Date.now() }))
  }

  /** Newest first. */
  async list(): Promise<RunSummary[]> {
    return (await this.#database.getAllFromIndex('runs', 'updatedAt')).reverse()
  }

  async summary(runId: string): Promise<RunSummary | null> {
    return (await this.#database.get('runs', runId)) ?? null
  }

  /** In the order of iterations. */
  rows(runId: string): Promise<MetricRow[]> {
    return this.#database.getAll('rows', everythingOf(runId))
  }

  async *readEvents(runId: string, from = 0, to = Infinity): AsyncGenerator<LoggedEvent[]> {
    // A transaction would close between two parts, so each part has its own.
    let next = await this.#chunkBefore(runId, from)
    while (next !== undefined && next < to) {
      const chunk = await this.#database.get('chunks', [runId, next])
      if (chunk === undefined) return
      const events = chunk.events.filter(({ seq }) => seq >= from && seq < to)
      if (events.length > 0) yield events.map(withCurrentSettings)
      const range = IDBKeyRange.bound([runId, next], [runId, []], true)
      next = (await this.#database.transaction('chunks').store.openKeyCursor(range))?.key[1]
    }
  }

  /** The first `seq` of the chunk that contains an event. */
  async #chunkBefore(runId: string, seq: number): Promise<number | undefined> {
    const range = IDBKeyRange.bound([runId], [runId, seq])
    const cursor = await this.#database.transaction('chunks').store.openKeyCursor(range, 'prev')
    if (cursor) return cursor.key[1]
    return (await this.#database.transaction('chunks').store.openKeyCursor(everythingOf(runId)))?.key[1]
  }

  async loadCheckpoint(runId: string, iteration?: number): Promise<RunCheckpoint | null> {
    if (iteration !== undefined) return (await this.#database.get('checkpoints', [runId, iteration])) ?? null
    const cursor = await this.#database.transaction('checkpoints').store.openCursor(everythingOf(runId), 'prev')
    return cursor?.value ?? null
  }

  async pin(runId: string, isPinned: boolean): Promise<void> {
    await this.#change(runId, (summary) => ({ ...summary, isPinned }))
  }

  /** Deletes log and checkpoints, and keeps the curves. */
  async evict(runId: string): Promise<void> {
    const transaction = this.#database.transaction(['chunks', 'checkpoints'], 'readwrite')
    await Promise.all([
      transaction.objectStore('chunks').delete(everythingOf(runId)),
      transaction.objectStore('checkpoints').delete(everythingOf(runId)),
      transaction.done,
    ])
    await this.#change(runId, (summary) => ({
      ...summary,
      isEvicted: true,
      isFinished: true,
      logBytes: 0,
      checkpoints: [],
    }))
  }

  async remove(runId: string): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
    await Promise.all([
      transaction.objectStore('runs').delete(runId),
      transaction.objectStore('chunks').delete(everythingOf(runId)),
      transaction.objectStore('checkpoints').delete(everythingOf(runId)),
      transaction.objectStore('rows').delete(everythingOf(runId)),
      transaction.done,
    ])
    this.#announce()
  }

  async lastUnfinished(): Promise<RunSummary | null> {
    return (await this.list()).find(({ isFinished, checkpoints }) => !isFinished && checkpoints.length > 0) ?? null
  }

  async prepareResume(runId: string): Promise<ResumableRun | null> {
    const [summary, checkpoint] = await Promise.all([this.summary(runId), this.loadCheckpoint(runId)])
    if (summary === null || checkpoint === null) return null
    const { iteration, eventCount } = checkpoint
    const history: LoggedEvent[] = []
    let kept = 0
    for await (const events of this.readEvents(runId, 0, eventCount)) {
      kept += logBytes(events)
      for (const event of events) history.push(stateEvent(event))
    }
    const cut = await this.#chunkBefore(runId, eventCount)
    const transaction = this.#database.transaction(['runs', 'chunks', 'rows'], 'readwrite')
    const chunks = transaction.objectStore('chunks')
    const straddling = cut === undefined ? undefined : await chunks.get([runId, cut])
    const events = straddling?.events.filter(({ seq }) => seq < eventCount) ?? []
    const reopened = { ...cutBack(summary, iteration), isFinished: false, logBytes: kept }
    await Promise.all([
      straddling && events.length > 0 && chunks.put({ ...straddling, events }),
      chunks.delete(IDBKeyRange.bound([runId, eventCount], [runId, []])),
      transaction.objectStore('rows').delete(IDBKeyRange.bound([runId, iteration], [runId, []], true)),
      transaction.objectStore('runs').put(reopened),
      transaction.done,
    ])
    this.#announce()
    return { summary: reopened, history, checkpoint }
  }

  async branch(
    from: string,
    iteration: number,
    branch: { runId: string; iterations: number },
  ): Promise<RunSummary | null> {
    const [source, checkpoint] = await Promise.all([this.summary(from), this.loadCheckpoint(from, iteration)])
    if (source === null || checkpoint === null) return null
    const { runId, iterations } = branch
    const summary: RunSummary = {
      ...cutBack(source, iteration),
      ...{
        runId,
        iterations,
        isFinished: false,
        isPinned: false,
        logBytes: 0,
        checkpoints: [keptCheckpoint(checkpoint)],
      },
      origin: { kind: 'branch', runId: from, iteration },
      createdAt: Date.now(),
      updatedAt: Date.now(),
    }
    try {
      for await (const events of this.readEvents(from, 0, checkpoint.eventCount)) {
        const renamed = events.map((event) => (event.type === 'run-started' ? { ...event, runId } : event))
        summary.logBytes += logBytes(renamed)
        await this.#database.put('chunks', { runId, firstSeq: renamed[0]!.seq, events: renamed })
      }
      for (const row of await this.rows(from)) {
        if (row.iteration <= iteration) await this.#database.put('rows', { ...row, runId })
      }
      await this.#database.put('checkpoints', { ...checkpoint, runId })
      await this.create(summary)
    } catch (cause) {
      await this.remove(runId)
      throw storageError(cause)
    }
    return summary
  }

  /** Adds a whole run from elsewhere, a part of its events at a time. */
  async importRun(
    summary: RunSummary,
    parts: AsyncIterable<LoggedEvent[]>,
    checkpoint: RunCheckpoint | null,
    timings: ReadonlyMap<number, Record<string, number>>,
  ): Promise<void> {
    await this.create(newSummary(summary, summary.createdAt))
    try {
      for await (const events of parts) await this.append(summary.runId, events)
      for (const [iteration, metrics] of timings) await this.saveTimings(summary.runId, iteration, metrics)
      if (checkpoint) await this.saveCheckpoint(checkpoint)
      const { origin, isFinished, createdAt, updatedAt } = summary
      await this.#change(summary.runId, (read) => ({ ...read, origin, isFinished, createdAt, updatedAt }))
    } catch (error) {
      await this.remove(summary.runId)
      throw error
    }
  }

  async #change(runId: string, change: (summary: RunSummary) => RunSummary): Promise<void> {
    const transaction = this.#database.transaction('runs', 'readwrite')
    const summary = await transaction.store.get(runId)
    if (summary !== undefined) await transaction.store.put(change(summary))
    await transaction.done
    this.#announce()
  }

  #announce(): void {
    this.#channel.postMessage(null)
  }
}

function cutBack(summary: RunSummary, iteration: number): RunSummary {
  return {
    ...summary,
    finishedIterations: iteration,
    changes: summary.changes.filter((change) => change.iteration <= iteration),
    checkpoints: summary.checkpoints.filter((checkpoint) => checkpoint.iteration <= iteration),
  }
}

function summaryAfter(summary: RunSummary, events: readonly LoggedEvent[]): RunSummary {
  const changed = { ...summary, changes: [...summary.changes], updatedAt: Date.now() }
  changed.logBytes += logBytes(events)
  for (const event of events) {
    if (event.type === 'run-started') changed.backend = event.backend
    if (event.type === 'settings-changed') changed.changes.push({ iteration: event.iteration, patch: event.patch })
    if (event.type === 'iteration-finished') changed.finishedIterations = event.iteration
  }
  return changed
}

function storageError(cause: unknown): RunStoreError {
  if (cause instanceof RunStoreError) return cause
  const isFull = cause instanceof DOMException && cause.name === 'QuotaExceededError'
  return new RunStoreError(
    isFull
      ? 'The browser’s space for this page is full, so the run could not be saved. Delete runs under Runs, or keep only their curves, to make room; download the run log to keep this one.'
      : 'The run could not be saved in the browser. It continues, but is lost when you close the tab; export it to keep it.',
    { cause },
  )
}
