/** What the page shows: the recorded run or the live one, and the verbs of its buttons and keys. */
import type { Component } from '../../method/loop-contract.ts'
import type { LivePatch, Settings } from '../../method/settings.ts'
import type { Phase } from '../../method/events.ts'
import type { RunView } from '../../runs/fold.ts'
import type { StartRequest } from '../../sessions/loop-service.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { OpenSession } from './session-port.ts'
import { WORLD_PRESETS, type World } from '../run/worlds.ts'
import type { Configuration } from '../run/configuration.ts'
import type { WorldShelves } from './world-shelf.ts'
import type { AblationId } from '../run/ablations.ts'
import { branchChanges } from '../run/branch-changes.ts'
import { newPlan, seedsFrom } from '../run/run-plan.ts'
import { newRunId } from '../run/run-id.ts'
import { Comparison } from './comparison.svelte.ts'
import { DraftSettings } from './draft-settings.svelte.ts'
import { KeptRun } from './kept-run.svelte.ts'
import type { KeptRunList } from './kept-runs.svelte.ts'
import { RecordedRun } from './recorded-run.svelte.ts'
import { browserPlanStore } from './plan-store.ts'
import { PANELS, type Panel } from '../kit/revision.svelte.ts'
import { RoleModels } from './role-models.svelte.ts'
import { fateOf, RunQueue } from './run-queue.svelte.ts'
import { RunSession } from './run-session.svelte.ts'

/** Of each world, in the order in which they are looked for. */
const RECORDINGS: Readonly<Record<World, readonly string[]>> = {
  household: ['./runs/household.jsonl.gz', './runs/household.jsonl'],
  coding: ['./runs/coding.jsonl.gz', './runs/coding.jsonl'],
}

class SourceLane {
  source = $state.raw<'recorded' | 'live'>('recorded')
}

export class Playground {
  readonly draft = new DraftSettings()
  readonly recorded = new RecordedRun()
  readonly kept = new KeptRun()
  readonly models = new RoleModels()
  readonly live: RunSession
  readonly shelves: WorldShelves
  readonly runs: KeptRunList
  readonly comparison: Comparison
  readonly queue: RunQueue
  #source = $state.raw<'recorded' | 'live'>('recorded')
  readonly #lanes = Object.fromEntries(PANELS.map((panel) => [panel, new SourceLane()])) as Record<Panel, SourceLane>
  #turn = 0
  #hasLiveRun = $state.raw(false)
  /** Of the run that was started last; null before one. */
  #liveWorld: World | null = null
  #isOpened = false
  /** What began the live run, to be done again when a key was missing. */
  #beginning: (() => Promise<void>) | null = null

  constructor(open: OpenSession, shelves: WorldShelves, runs: KeptRunList) {
    this.live = new RunSession(open)
    this.shelves = shelves
    this.runs = runs
    this.comparison = new Comparison(runs)
    this.live.isKept = (runId) => runs.has(runId)
    this.queue = new RunQueue({
      plans: browserPlanStore(),
      newRunId,
      start: (request) => this.#startQueued(request),
      resume: (runId) => this.#resumeQueued(runId),
      fateOf: async (runId) => fateOf(await runs.find(runId)),
      onDone: (runId) => {
        if (!runs.isChosen(runId)) void runs.choose(runId, true)
      },
    })
    this.live.onEnded = (how) => this.queue.ended(this.live.runId, how)
  }

  /** Of the run on show; null where this browser does not keep it. */
  get shownRunId(): string | null {
    const runId = this.#source === 'recorded' ? this.recorded.runId : this.live.runId
    return runId !== null && this.runs.has(runId) ? runId : null
  }
  get source(): 'recorded' | 'live' {
    return this.#source
  }
  get hasRecording(): boolean {
    return this.recorded.state === 'ready'
  }
  get hasLiveRun(): boolean {
    return this.#hasLiveRun
  }
  get view(): RunView {
    return this.viewFor('loop')
  }
  /** Which run a panel shows: another one is drawn panel by panel, each in a task of its own, as its changes are. */
  sourceFor(panel: Panel): 'recorded' | 'live' {
    return this.#lanes[panel].source
  }
  viewFor(panel: Panel): RunView {
    return this.sourceFor(panel) === 'recorded' ? this.recorded.viewFor(panel) : this.live.viewFor(panel)
  }
  /** The world that the next run plays. */
  get world(): World {
    return this.draft.values.world
  }
  /** The world of the run that is shown, or of the next one before there is any. */
  get shownWorld(): World {
    return this.view.settings?.world ?? this.world
  }
  get phase(): Phase | null {
    return this.#source === 'recorded' ? this.recorded.phase : this.live.phase
  }

  async open(): Promise<void> {
    this.#isOpened = true
    const looked = Promise.all([
      ...Object.values(this.shelves).map((shelf) => shelf.look()),
      ...[this.kept.look(), this.runs.look(), this.queue.look()],
    ])
    await this.recorded.load(RECORDINGS[this.world])
    await looked
    if (this.recorded.state !== 'ready' && this.#source === 'recorded') this.#turnTo('live')
  }

  /** A run from a file, shown as a recorded run: a log, or a zip, which is kept as well. */
  async openFile(file: File): Promise<void> {
    if (/\.zip$/i.test(file.name)) return this.importRun(file)
    if (await this.recorded.open(file)) this.#turnTo('recorded')
  }

  /** A zip that a run was exported as: kept, and shown. What is wrong with it is told with the kept runs. */
  async importRun(file: File): Promise<void> {
    const imported = await this.runs.importFile(file)
    if (imported) await this.openKept(imported.runId)
  }

  /** Shows a kept run, at an iteration or at its end. */
  async openKept(runId: string, iteration?: number): Promise<void> {
    if (await this.recorded.openKept(this.runs.source(runId), iteration)) this.#turnTo('recorded')
  }

  /** Somebody looks at an iteration: what was said in it is read, where it was let go of. */
  async want(iteration: number): Promise<void> {
    if (this.#source === 'recorded') return this.recorded.want(iteration)
    const { live, runs } = this
    if (!live.view.iteration(iteration)?.isReleased) return
    const { runId } = live
    const events = await runs.source(runId).eventsOf(iteration)
    if (live.runId === runId) live.restore(iteration, events)
  }

  /** Another future of a kept run from a checkpoint on, under the settings on the controls, with its first beside it. */
  async branch(run: RunSummary, iteration: number): Promise<void> {
    const { patch } = branchChanges(run, iteration, this.draft.values)
    const runId = newRunId()
    const iterations = Math.max(iteration + 1, this.draft.iterations)
    this.show('live')
    this.#hasLiveRun = true
    this.kept.hold(runId)
    void this.runs.choose(run.runId, true)
    await this.#begin(runId, () =>
      this.live.branch({ from: run.runId, iteration, runId, patch, iterations, keys: this.models.keys }, () => {
        const { settings } = this.live.view
        if (settings) this.#liveWorld = settings.world
      }),
    )
  }

  /** The key of a server that the live run failed without, and on it goes. */
  async goOnWithKey(address: string, key: string): Promise<void> {
    this.models.setServerKey(address, key)
    const { runId, view } = this.live
    if (view.started) await this.#resume(runId)
    else await this.#beginning?.()
  }

  /** Runs ablations of the settings on the controls, or these as they are, with `seeds` seeds from that on the controls on. */
  async runPlan(rows: readonly AblationId[], seeds: number): Promise<void> {
    const { models } = this.models.request
    const { content } = this.draft
    this.show('live')
    this.#hasLiveRun = true
    await this.queue.begin(
      newPlan({ ...content, ...(models && { models }) }, rows, seedsFrom(content.settings.seed, seeds), {
        id: newRunId(),
        createdAt: Date.now(),
      }),
    )
  }

  async goOnWithQueue(): Promise<void> {
    this.show('live')
    this.#hasLiveRun = true
    await this.queue.goOn()
  }

  async #startQueued(request: StartRequest): Promise<void> {
    this.#liveWorld = request.settings.world
    this.kept.hold(request.runId)
    await this.#start(request)
  }

  /** The controls stay as they are: a queue goes on with the settings that it was started with. */
  async #resumeQueued(runId: string): Promise<void> {
    this.kept.hold(runId)
    await this.#begin(runId, () =>
      this.live.resumeKept(runId, this.models.keys, () => {
        this.#liveWorld = this.live.view.settings?.world ?? null
      }),
    )
  }

  /** The log of the live run as a file for this person. */
  async download(): Promise<void> {
    const log = await this.live.exportLog()
    if (log === null) return
    const link = document.createElement('a')
    link.href = URL.createObjectURL(log.file)
    link.download = `${log.runId}.jsonl`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  }

  show(source: 'recorded' | 'live'): void {
    this.recorded.pause()
    this.#turnTo(source)
  }

  async runOrPause(): Promise<void> {
    this.show('live')
    this.#hasLiveRun = true
    if (this.live.isBusy) await this.live.pause()
    else if (this.live.status.state === 'paused') await this.live.resume()
    else await this.#start(this.#newRun())
  }

  /** Goes on with the run that an earlier visit left. */
  async resumeKept(): Promise<void> {
    const run = this.kept.take()
    if (run === null) return
    this.show('live')
    this.#hasLiveRun = true
    this.kept.hold(run.runId)
    await this.#resume(run.runId)
  }

  async #resume(runId: string): Promise<void> {
    await this.#begin(runId, () =>
      this.live.resumeKept(runId, this.models.keys, () => {
        const { started, settings } = this.live.view
        if (!settings) return
        if (started) this.draft.adopt(started.preset, settings)
        this.#liveWorld = settings.world
      }),
    )
  }

  async #start(request: StartRequest): Promise<void> {
    await this.#begin(request.runId, () =>
      this.live.start({ ...request, ...(request.models && { keys: this.models.keys }) }),
    )
  }

  async #begin(runId: string, beginning: () => Promise<void>): Promise<void> {
    this.#beginning = async () => {
      await this.queue.began(runId)
      await beginning()
    }
    await this.#beginning()
  }

  async step(only?: Component): Promise<void> {
    if (this.live.isBusy) return
    this.show('live')
    this.#hasLiveRun = true
    const request = this.live.isOpen ? this.#request() : this.#newRun()
    const stepped = { ...request, ...(request.models && { keys: this.models.keys }) }
    const runId = this.live.isOpen ? this.live.runId : request.runId
    await this.#begin(runId, () => this.live.stepOnce(only, stepped))
  }

  toggleReplay(): void {
    if (this.recorded.isPlaying) this.recorded.pause()
    else void this.recorded.play()
  }

  /** Settings for the next run. One that is under way goes on with its own. */
  async follow(content: Configuration): Promise<void> {
    const before = this.world
    this.draft.follow(content)
    this.#liveWorld = null
    if (this.#isOpened && this.world !== before) await this.#showRecordingOf(this.world)
  }

  /** Applies the preset of a world. Its recorded run takes the place of another world's, but never that of a live run. */
  async chooseWorld(world: World): Promise<void> {
    if (world === this.world) return
    this.choosePreset(WORLD_PRESETS[world])
    await this.#showRecordingOf(world)
  }

  async #showRecordingOf(world: World): Promise<void> {
    if (this.#hasLiveRun || this.view.settings?.world === world) return
    this.show('recorded')
    await this.recorded.load(RECORDINGS[world])
    // Another world may have been chosen meanwhile, or a run started.
    if (world === this.world && !this.#hasLiveRun) this.#turnTo(this.hasRecording ? 'recorded' : 'live')
  }

  /** Shows the recorded run that comes with the page, whatever was on show before. */
  async showShipped(): Promise<void> {
    const { recorded, world } = this
    const isThere = recorded.state === 'ready' && recorded.fileName === null && recorded.runId === null
    if (!isThere || recorded.view.settings?.world !== world) await recorded.load(RECORDINGS[world])
    if (this.hasRecording && world === this.world) this.show('recorded')
  }

  choosePreset(preset: string): void {
    const patch = this.draft.choosePreset(preset)
    if (Object.keys(patch).length > 0) this.#tell(patch)
  }

  /** The settings on the controls that a preset, a link, a lesson or a resumed run has taken the place of. */
  async takeSettingsBack(): Promise<void> {
    const before = this.world
    const patch = this.draft.takeBack()
    if (Object.keys(patch).length > 0) this.#tell(patch)
    if (this.world !== before) await this.#showRecordingOf(this.world)
  }

  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    const patch = this.draft.set(name, value)
    if (patch) this.#tell(patch)
  }

  /**
   * A run of another world is not told of settings that were chosen for this one, and a run of the queue of none: it would
   * be another experiment than the runs before it.
   */
  #tell(patch: LivePatch): void {
    if (this.queue.isAt(this.live.runId)) return
    if (this.#liveWorld === this.world) void this.live.patch(patch)
  }

  /** Space and full stop act on what is shown: the replay, or the live run. */
  pressRun(): void {
    if (this.#source === 'recorded') this.toggleReplay()
    else void this.runOrPause()
  }

  pressStep(): void {
    if (this.#source === 'recorded') this.recorded.seek(this.recorded.iteration + 1)
    else void this.step()
  }

  pressBack(): void {
    if (this.#source === 'recorded') this.recorded.seek(this.recorded.iteration - 1)
  }

  /** A replay at the next speed; a run of one's own goes at its own, but can be shown event by event. */
  pressSpeed(by: -1 | 1): void {
    if (this.#source === 'recorded') this.recorded.shiftSpeed(by)
    else this.live.isSlow = by < 0
  }

  #turnTo(source: 'recorded' | 'live'): void {
    this.#source = source
    const ticket = ++this.#turn
    const turn = (index: number) => {
      const panel = PANELS[index]
      if (panel === undefined || ticket !== this.#turn) return
      this.#lanes[panel].source = source
      setTimeout(() => turn(index + 1), 0)
    }
    turn(0)
  }

  #newRun(): StartRequest {
    const request = this.#request()
    this.#liveWorld = this.world
    this.kept.hold(request.runId)
    return request
  }

  #request(): StartRequest {
    const { preset, settings, backend, iterations } = this.draft.content
    return { runId: newRunId(), preset, settings, iterations, backend, ...this.models.request }
  }
}
