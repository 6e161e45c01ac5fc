/** The runs that this browser keeps, which of them are drawn over the curves, and the commands on each. */
import { SvelteSet } from 'svelte/reactivity'
import { saveFile } from '../kit/save.ts'
import type { HeldOutGames } from '../../runs/held-out-games.ts'
import type { Bridge } from '../../threads/worker-bridge.ts'
import { RUNS_CHANNEL } from '../../runs/indexeddb-store.ts'
import type { MetricRow } from '../../runs/metric-rows.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { isPersistent, openTabChannel } from '../../storage/browser-storage.ts'
import type { RunsWorker } from '../../../workers/runs.ts'
import type { KeptModelsWorker } from '../../../workers/kept-models.ts'
import type { AddedFolders } from '../../sessions/kept-models.ts'
import type { OpenKeptModels } from './workers/kept-models-worker.ts'
import type { OpenRunLibrary } from './workers/runs-worker.ts'
import type { KeptSource } from './recording.ts'
import { errorText } from '../../threads/error-text.ts'

export interface ChosenRun {
  summary: RunSummary
  rows: readonly MetricRow[]
}

/** Milliseconds between two reads of the list while runs change it. */
const LOOK_MS = 300

export class KeptRunList {
  readonly #open: OpenRunLibrary
  readonly #openModels: OpenKeptModels
  readonly #changes = openTabChannel(RUNS_CHANNEL)
  #bridge: Bridge<RunsWorker> | null = null
  #entries = $state.raw<readonly RunSummary[] | null>(null)
  #inUse = $state.raw<readonly string[]>([])
  readonly #awaited = new SvelteSet<string>()
  #importing = $state(0)
  #usage = $state.raw<{ used: number | null; quota: number | null }>({ used: null, quota: null })
  #isLasting = $state.raw(true)
  #hasAsked = false
  #chosen = $state.raw<readonly ChosenRun[]>([])
  #problem = $state.raw<string | null>(null)
  #doing = $state.raw<string | null>(null)
  #timer = 0
  #last: Promise<void> = Promise.resolve()

  constructor(open: OpenRunLibrary, openModels: OpenKeptModels) {
    this.#open = open
    this.#openModels = openModels
    this.#changes.onmessage = () => this.#lookSoon()
  }

  /** Null until they are listed; `problem` says why they cannot be. */
  get entries(): readonly RunSummary[] | null {
    return this.#entries
  }
  /** Bytes that this site uses and may use; null where the browser does not report it. */
  get usage(): { used: number | null; quota: number | null } {
    return this.#usage
  }
  /** Whether the browser has promised not to evict this page's data. */
  get isLasting(): boolean {
    return this.#isLasting
  }
  /** Runs drawn over the curves, in the order in which they were chosen. */
  get chosen(): readonly ChosenRun[] {
    return this.#chosen
  }
  /** Why the last command failed; null if it did not. */
  get problem(): string | null {
    return this.#problem
  }
  /** Describes a command that takes a while, while it runs. */
  get doing(): string | null {
    return this.#doing
  }

  /** Whether this tab unpacks a run, which is in use then, too. */
  get isImporting(): boolean {
    return this.#importing > 0
  }

  /** Whether a run runs now, in this tab or another. */
  isInUse(runId: string): boolean {
    return this.#inUse.includes(runId)
  }

  has(runId: string): boolean {
    const entry = this.#entry(runId)
    return entry !== undefined && !entry.isEvicted
  }

  /** Reads the list again and finds a run; null if it is not kept. */
  async find(runId: string): Promise<RunSummary | null> {
    await this.look()
    return this.#entry(runId) ?? null
  }

  isChosen(runId: string): boolean {
    return this.#chosen.some(({ summary }) => summary.runId === runId)
  }

  look(): Promise<void> {
    return this.#inTurn(() => this.#look())
  }

  #look(): Promise<void> {
    return this.#try(null, async ({ list, rows }) => {
      const { runs, inUse, usage, quota } = await list()
      this.#entries = runs
      this.#note(inUse)
      await this.#askForSpace(runs)
      this.#usage = { used: usage, quota }
      const chosen: ChosenRun[] = []
      for (const { summary, rows: before } of this.#chosen) {
        const now = runs.find(({ runId }) => runId === summary.runId)
        if (!now) continue
        const isSame = now.finishedIterations === summary.finishedIterations
        chosen.push({ summary: now, rows: isSame && before.length > 0 ? before : await rows(now.runId) })
      }
      // An empty list stays as it is, so that charts are not redrawn.
      if (this.#chosen.length > 0) this.#chosen = chosen
    })
  }

  /** Draws a run over the curves, or removes it from them. */
  choose(runId: string, isChosen: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const withoutIt = this.#chosen.filter(({ summary }) => summary.runId !== runId)
      if (!isChosen) {
        this.#chosen = withoutIt
        return
      }
      // A short run may end before the list is read again.
      if (!this.#entry(runId)) await this.#look()
      const summary = this.#entry(runId)
      if (!summary) return
      await this.#try(null, async ({ rows }) => {
        this.#chosen = [...withoutIt, { summary, rows: await rows(runId) }]
      })
    })
  }

  rows(runId: string): Promise<MetricRow[]> {
    return this.#remote().rows(runId)
  }

  source(runId: string): KeptSource {
    return {
      runId,
      readEvents: (onBatch) => this.#remote().readEvents(runId, onBatch),
      eventsOf: (iteration) => this.#remote().iterationEvents(runId, iteration),
    }
  }

  /** The episodes of one iteration with their tokens, as lines of a log. */
  episodeLog(runId: string, iteration: number): Promise<Blob> {
    return this.#remote().episodeLog(runId, iteration)
  }

  /** The held-out episodes of the run's first and latest evaluation. */
  heldOut(runId: string): Promise<HeldOutGames[]> {
    return this.#remote().heldOut(runId)
  }

  async pin(runId: string, isPinned: boolean): Promise<void> {
    await this.#try(null, ({ pin }) => pin(runId, isPinned))
  }

  async evict(runId: string): Promise<void> {
    await this.#try('Making room…', ({ evict }) => evict(runId))
  }

  async remove(runId: string): Promise<void> {
    await this.#try('Deleting…', ({ remove }) => remove(runId))
  }

  /** Saves the run as a zip. */
  async download(runId: string): Promise<void> {
    await this.#try('Packing the run…', async ({ exportRun }) => {
      saveFile(`${runId}.zip`, await exportRun(runId))
    })
  }

  /** Saves the models of a checkpoint as a zip of standard model folders. */
  async downloadModels(runId: string, iteration: number): Promise<void> {
    await this.#withModels('Packing the models…', async ({ zip }) => {
      saveFile(`${runId}-${iteration}-models.zip`, await zip(runId, iteration))
    })
  }

  /** Adds the models of a checkpoint to this browser's model folders; null if that failed. */
  async addModels(runId: string, iteration: number): Promise<AddedFolders | null> {
    let added: AddedFolders | null = null
    await this.#withModels('Preparing the models…', async ({ addFolders }) => {
      added = await addFolders(runId, iteration)
    })
    return added
  }

  /** The runs in the files; `problem` says which could not be kept, and why. */
  async importFiles(files: readonly File[]): Promise<RunSummary[]> {
    const imported: RunSummary[] = []
    const problems: string[] = []
    this.#importing += 1
    for (const file of files) {
      await this.#try(`Unpacking ${file.name}…`, async ({ importRun }) => {
        imported.push(await importRun(file))
      })
      if (this.#problem !== null) problems.push(`${file.name}: ${this.#problem}`)
    }
    this.#importing -= 1
    if (problems.length > 0) this.#problem = problems.join(' ')
    return imported
  }

  async #withModels(
    doing: string,
    work: (models: Bridge<KeptModelsWorker>['remote']) => Promise<unknown>,
  ): Promise<void> {
    await this.#try(doing, async () => {
      const bridge = this.#openModels()
      try {
        await work(bridge.remote)
      } finally {
        bridge.terminate()
      }
    })
  }

  #remote(): Bridge<RunsWorker>['remote'] {
    if (this.#bridge === null) {
      const bridge = this.#open()
      void bridge.lost.then(() => {
        if (this.#bridge === bridge) this.#bridge = null
      })
      this.#bridge = bridge
    }
    return this.#bridge.remote
  }

  #entry(runId: string): RunSummary | undefined {
    return this.#entries?.find((entry) => entry.runId === runId)
  }

  /** Runs jobs one after another, so that a list read in between does not undo a choice. */
  #inTurn(job: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(job)
    return this.#last
  }

  /** Some browsers ask the person, so this waits until a run has finished an iteration and there is something to keep. */
  async #askForSpace(runs: readonly RunSummary[]): Promise<void> {
    const isDue =
      !this.#hasAsked &&
      runs.some(({ runId, finishedIterations }) => finishedIterations > 0 && this.#inUse.includes(runId))
    this.#hasAsked ||= isDue
    // The answer may take a person's time, and the list does not wait for it.
    if (isDue) void isPersistent(true).then((isLasting) => (this.#isLasting = isLasting))
    else if (!this.#hasAsked) this.#isLasting = await isPersistent(false)
  }

  /** Runs end without a message if their tab is closed, so this waits for each and then reads the list again. */
  #note(inUse: readonly string[]): void {
    this.#inUse = inUse
    for (const runId of inUse) {
      if (this.#awaited.has(runId)) continue
      this.#awaited.add(runId)
      void this.#remote()
        .whenFree(runId)
        .then(
          () => this.#lookSoon(),
          () => undefined,
        )
        .finally(() => this.#awaited.delete(runId))
    }
  }

  #lookSoon(): void {
    if (this.#timer !== 0) return
    this.#timer = window.setTimeout(() => {
      this.#timer = 0
      void this.look()
    }, LOOK_MS)
  }

  async #try(doing: string | null, work: (remote: Bridge<RunsWorker>['remote']) => Promise<unknown>): Promise<void> {
    if (doing !== null) {
      this.#problem = null
      this.#doing = doing
    }
    try {
      await work(this.#remote())
    } catch (cause) {
      this.#problem = errorText(cause)
    } finally {
      if (doing !== null) this.#doing = null
    }
  }
}
