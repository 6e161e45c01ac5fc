/**
 * Serves the kept runs to the page from a worker, so that reading, packing and unpacking logs does not block it. The page
 * receives readable events (readable-event.ts).
 */
import type { LoggedEvent } from '../method/events.ts'
import type { IndexedDbRunStore } from './indexeddb-store.ts'
import type { MetricRow } from './metric-rows.ts'
import type { ReadArchive } from './run-archive.ts'
import { HeldOutReader, type HeldOutGames } from './held-out-games.ts'
import { readableEvent } from './readable-event.ts'
import { whileFree, type RunLocks } from './run-locks.ts'
import { newSummary, type RunSummary } from './run-store.ts'

export interface KeptRuns {
  /** Pinned ones first, then the newest. */
  runs: RunSummary[]
  /** Ids of those that run now, in this tab or another. */
  inUse: string[]
  /** Bytes that this site uses and may use; null if the browser does not report them. */
  usage: number | null
  quota: number | null
}

/** Bounds the work of one callback in the page. */
const EVENTS_PER_BATCH = 32

const CHANGES: ReadonlySet<LoggedEvent['type']> = new Set(['settings-changed', 'model-replaced'])

export class RunLibrary {
  readonly #open: () => Promise<IndexedDbRunStore>
  readonly #locks: RunLocks
  #store: Promise<IndexedDbRunStore> | null = null

  constructor(open: () => Promise<IndexedDbRunStore>, locks: RunLocks) {
    this.#open = open
    this.#locks = locks
  }

  async list(): Promise<KeptRuns> {
    const store = await this.#opened()
    // Before the runs are read: one that ends in between is then in use, and not unfinished and free.
    const inUse = [...(await this.#locks.inUse())]
    const runs = await store.list()
    const estimate = await (navigator as Partial<Navigator>).storage?.estimate()
    const isFirst = (run: RunSummary) => (run.isPinned ? 0 : 1)
    runs.sort((a, b) => isFirst(a) - isFirst(b) || b.createdAt - a.createdAt)
    return { runs, inUse, usage: estimate?.usage ?? null, quota: estimate?.quota ?? null }
  }

  async rows(runId: string): Promise<MetricRow[]> {
    return (await (await this.#opened()).rows(runId)).filter(({ isFinished }) => isFinished)
  }

  /** Passes on the log in readable events; waits for `onBatch` after each batch. */
  async readEvents(
    runId: string,
    onBatch: (events: LoggedEvent[]) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    for await (const part of (await this.#opened()).readEvents(runId)) {
      for (let i = 0; i < part.length; i += EVENTS_PER_BATCH) {
        signal?.throwIfAborted()
        await onBatch(part.slice(i, i + EVENTS_PER_BATCH).map(readableEvent))
      }
    }
  }

  /** The readable events of one iteration, so far if it runs; none if its log was deleted. */
  async iterationEvents(runId: string, iteration: number): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = []
    for await (const part of this.#iteration(runId, iteration)) events.push(...part.map(readableEvent))
    return events
  }

  /** The episodes of one iteration with their tokens, as lines of a log. */
  async episodeLog(runId: string, iteration: number): Promise<Blob> {
    const lines: string[] = []
    for await (const part of this.#iteration(runId, iteration))
      for (const event of part) if (event.type === 'episode') lines.push(`${JSON.stringify(event)}\n`)
    return new Blob(lines)
  }

  async *#iteration(runId: string, iteration: number): AsyncGenerator<LoggedEvent[]> {
    const store = await this.#opened()
    const rows = await store.rows(runId)
    const at = rows.findIndex((each) => each.iteration === iteration)
    const row = rows[at]
    if (row === undefined) return
    // Changes of settings and models precede the row, which begins with iteration-started.
    for await (const part of store.readEvents(runId, rows[at - 1]?.endSeq ?? row.firstSeq, row.endSeq))
      yield part.filter(({ seq, type }) => seq >= row.firstSeq || CHANGES.has(type))
  }

  /** The held-out episodes of the run's first and latest evaluation; reads the whole log. */
  async heldOut(runId: string): Promise<HeldOutGames[]> {
    const reader = new HeldOutReader()
    for await (const part of (await this.#opened()).readEvents(runId)) for (const event of part) reader.take(event)
    return reader.games()
  }

  async pin(runId: string, isPinned: boolean): Promise<void> {
    await (await this.#opened()).pin(runId, isPinned)
  }

  /** Throws RunInUseError while the run runs. */
  async evict(runId: string): Promise<void> {
    const store = await this.#opened()
    await whileFree(this.#locks, runId, () => store.evict(runId))
  }

  /** Throws RunInUseError while the run runs. */
  async remove(runId: string): Promise<void> {
    const store = await this.#opened()
    await whileFree(this.#locks, runId, () => store.remove(runId))
  }

  /** Resolves once no tab uses the run. */
  async whenFree(runId: string): Promise<void> {
    await this.#locks.whenFree(runId)
  }

  async exportRun(runId: string): Promise<Blob> {
    const store = await this.#opened()
    const summary = await store.summary(runId)
    if (summary === null) throw new Error(`Run "${runId}" is no longer kept. Reload the page to refresh the list.`)
    if (summary.isEvicted) throw new Error(`Only the curves of run "${runId}" are kept, so it cannot be exported.`)
    const [rows, checkpoint] = await Promise.all([store.rows(runId), store.loadCheckpoint(runId)])
    const { writeRunArchive } = await loadArchive()
    return writeRunArchive({ summary, rows, checkpoint, readEvents: () => store.readEvents(runId) })
  }

  /**
   * Keeps the run in an archive or a log; the run that is kept already, if it is the same and at least as long. Throws
   * RunArchiveError, RunLogError and RunStoreError, and then keeps nothing of the file.
   */
  async importRun(file: File): Promise<RunSummary> {
    const [store, { readRunArchive, RunArchiveError }] = await Promise.all([this.#opened(), loadArchive()])
    const isLog = /\.(jsonl|gz)$/i.test(file.name)
    const { config, events, checkpoint, timings } = await (isLog
      ? (await import('./log-file.ts')).readLogFile(file)
      : readRunArchive(file))
    const beginning = events()
    const started = (await beginning.next()).value?.at(0)
    // The zip library unpacks few files at a time: a file that is not read to its end would block the next import.
    await beginning.return()
    if (started?.type !== 'run-started') {
      throw new RunArchiveError('run.jsonl does not begin with run-started, so the run is incomplete. Export it again.')
    }
    const { runId, kept } = await placeFor(store, config, started.settings.seed)
    if (kept) return kept
    const { preset, settings } = started
    const summary: RunSummary = {
      ...newSummary({ ...config, runId, preset, settings }, config.createdAt),
      origin: { kind: 'import', name: file.name },
      isFinished: true,
    }
    const renamed = async function* () {
      for await (const part of events())
        yield part.map((event) => (event.type === 'run-started' ? { ...event, runId } : event))
    }
    await whileFree(this.#locks, runId, () =>
      store.importRun(summary, renamed(), checkpoint && { ...checkpoint, runId }, timings),
    )
    return (await store.summary(runId)) ?? summary
  }

  #opened(): Promise<IndexedDbRunStore> {
    this.#store ??= this.#open()
    // So that the next call tries again.
    this.#store.catch(() => (this.#store = null))
    return this.#store
  }
}

/** The code for zip archives is most of this worker, and listing runs needs none of it. */
const loadArchive = () => import('./run-archive.ts')

/** The name of an imported run, or the first free one of name-2, name-3…, unless the same run is kept under one of them. */
async function placeFor(
  store: IndexedDbRunStore,
  { runId: name, createdAt, finishedIterations = Infinity }: ReadArchive['config'],
  seed: number,
): Promise<{ runId: string; kept: RunSummary | null }> {
  let runId = name
  for (let i = 2; ; i++) {
    const kept = await store.summary(runId)
    if (kept === null) return { runId, kept: null }
    const isSame = kept.createdAt === createdAt && kept.settings.seed === seed
    if (isSame && !kept.isEvicted && kept.finishedIterations >= finishedIterations) return { runId, kept }
    runId = `${name}-${i}`
  }
}
