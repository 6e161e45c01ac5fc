/** The runs that this browser keeps, which of them are drawn over the curves, and the commands on each. */
import { SvelteSet } from 'svelte/reactivity'
import { saveFile } from '../kit/save.ts'
import { Turns } from '../../method/turns.ts'
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
import { ImportQueue } from './import-queue.ts'
import type { KeptSource } from './recording.ts'
import { errorText } from '../../threads/error-text.ts'

export interface ChosenRun {
  summary: RunSummary
  rows: readonly MetricRow[]
}

type Work = (remote: Bridge<RunsWorker>['remote']) => Promise<unknown>

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
  readonly #imports = new ImportQueue()
  #importing = $state(0)
  #usage = $state.raw<{ used: number | null; quota: number | null }>({ used: null, quota: null })
  #isLasting = $state.raw(true)
  #hasAsked = false
  #chosen = $state.raw<readonly ChosenRun[]>([])
  #problem = $state.raw<string | null>(null)
  /** Problems of imports, one for each file. They stay while other imports wait. */
  #importProblems = $state.raw<readonly string[]>([])
  /** Commands that run and take a while, the latest last. */
  #doing = $state.raw<readonly { what: string }[]>([])
  #timer = 0
  /** So that a list read in between does not undo a choice. */
  readonly #turns = new Turns()

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
  /** Why the last command failed, and which files the last imports could not keep; null if nothing failed. */
  get problem(): string | null {
    const problems = [...this.#importProblems, ...(this.#problem === null ? [] : [this.#problem])]
    return problems.length === 0 ? null : problems.join(' ')
  }
  /** Describes a command that takes a while, while it runs. */
  get doing(): string | null {
    return this.#doing.at(-1)?.what ?? null
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

  /**
   * Id under which the complete run is kept: its own, or that of an imported copy if only its curves are left under its own. Null if
   * it is kept under neither.
   */
  completeId(runId: string): string | null {
    const entry = this.#entry(runId)
    if (!entry?.isEvicted) return entry?.runId ?? null
    const { createdAt, settings } = entry
    const copy = this.#entries?.find(
      (other) =>
        !other.isEvicted &&
        other.runId.startsWith(`${runId}-`) &&
        other.createdAt === createdAt &&
        other.settings.seed === settings.seed,
    )
    return copy?.runId ?? null
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
    return this.#turns.take(() => this.#look())
  }

  async #look(): Promise<void> {
    await this.#try(null, async ({ list, rows }) => {
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
    return this.#turns.take(async () => {
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

  /** Returns why the run could not be deleted; null if it was. */
  remove(runId: string): Promise<string | null> {
    return this.#try('Deleting…', ({ remove }) => remove(runId))
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

  /** The runs in the files; `problem` says which could not be kept, and why. Imports run one after another. */
  async importFiles(files: readonly File[]): Promise<RunSummary[]> {
    this.#importing += 1
    try {
      return await this.#imports.add((isFirst) => this.#import(files, isFirst))
    } finally {
      this.#importing -= 1
    }
  }

  async #import(files: readonly File[], isFirst: boolean): Promise<RunSummary[]> {
    if (isFirst) {
      this.#problem = null
      this.#importProblems = []
    }
    const imported: RunSummary[] = []
    for (const file of files) {
      const problem = await this.#during(`Unpacking ${file.name}…`, async ({ importRun }) => {
        imported.push(await importRun(file))
      })
      if (problem !== null) this.#importProblems = [...this.#importProblems, `${file.name}: ${problem}`]
    }
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

  /** Runs a command and reports its error, which it also returns. A command that takes a while clears what was reported before. */
  async #try(doing: string | null, work: Work): Promise<string | null> {
    if (doing !== null) {
      this.#problem = null
      if (!this.#imports.isBusy) this.#importProblems = []
    }
    const problem = await this.#during(doing, work)
    if (problem !== null) this.#problem = problem
    return problem
  }

  async #during(doing: string | null, work: Work): Promise<string | null> {
    const command = doing === null ? null : { what: doing }
    if (command) this.#doing = [...this.#doing, command]
    try {
      await work(this.#remote())
      return null
    } catch (cause) {
      return errorText(cause)
    } finally {
      if (command) this.#doing = this.#doing.filter((other) => other !== command)
    }
  }
}
