/** What the page shows: the recorded run or the live one, and the verbs of its buttons and keys. */
import type { Component } from '../../method/loop-contract.ts'
import { LIVE_SETTINGS, type LivePatch, type Settings } from '../../method/settings.ts'
import type { Phase } from '../../method/events.ts'
import type { RunView } from '../../method/fold.ts'
import type { StartRequest } from '../../runs/loop-service.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { OpenSession } from '../session-port.ts'
import { WORLD_PRESETS, type World } from '../panels/worlds.ts'
import type { LinkContent } from '../link.ts'
import { newRunId } from '../run-id.ts'
import { Comparison } from './comparison.svelte.ts'
import { DraftSettings } from './draft-settings.svelte.ts'
import type { Games } from './games.svelte.ts'
import type { Problems } from './problems.svelte.ts'
import { KeptRun } from './kept-run.svelte.ts'
import type { KeptRunList } from './kept-runs.svelte.ts'
import { RecordedRun } from './recorded-run.svelte.ts'
import { PANELS, type Panel } from './revision.svelte.ts'
import { RoleModels } from './role-models.svelte.ts'
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
  readonly games: Games
  readonly problems: Problems
  readonly runs: KeptRunList
  readonly comparison: Comparison
  #queue = $state.raw<readonly number[]>([])
  #source = $state.raw<'recorded' | 'live'>('recorded')
  readonly #lanes = Object.fromEntries(PANELS.map((panel) => [panel, new SourceLane()])) as Record<Panel, SourceLane>
  #turn = 0
  #hasLiveRun = $state.raw(false)
  /** Of the run that was started last; null before one. */
  #liveWorld: World | null = null
  #isOpened = false
  /** The run that was started last for one of several seeds. */
  #queued: string | null = null
  /** What began the live run, to be done again when a key was missing. */
  #beginning: (() => Promise<void>) | null = null

  constructor(open: OpenSession, games: Games, problems: Problems, runs: KeptRunList) {
    this.live = new RunSession(open)
    this.games = games
    this.problems = problems
    this.runs = runs
    this.comparison = new Comparison(runs)
    this.live.isKept = (runId) => runs.has(runId)
    this.live.onEnded = (how) => this.#goOnWithQueue(how)
  }

  /** Of the run on show; null where this browser does not keep it. */
  get shownRunId(): string | null {
    const runId = this.#source === 'recorded' ? this.recorded.runId : this.live.runId
    return runId !== null && this.runs.has(runId) ? runId : null
  }
  /** Seeds that are still to be run, one run after another. */
  get queue(): readonly number[] {
    return this.#queue
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
    return this.draft.values.setting
  }
  /** The world of the run that is shown, or of the next one before there is any. */
  get shownWorld(): World {
    return this.view.settings?.setting ?? this.world
  }
  get phase(): Phase | null {
    return this.#source === 'recorded' ? this.recorded.phase : this.live.phase
  }

  async open(): Promise<void> {
    this.#isOpened = true
    const looked = Promise.all([this.kept.look(), this.games.look(), this.problems.look(), this.runs.look()])
    await this.recorded.load(RECORDINGS[this.world])
    await looked
    if (this.recorded.state !== 'ready' && this.#source === 'recorded') this.#turnTo('live')
  }

  /** A run from a file, shown as a recorded run: a log, or a zip, which is kept as well. */
  async openFile(file: File): Promise<void> {
    if (/\.zip$/i.test(file.name)) {
      const imported = await this.runs.importFile(file)
      if (imported) await this.openKept(imported.runId)
      return
    }
    if (await this.recorded.open(file)) this.#turnTo('recorded')
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

  /** What a branch of a run would change from an iteration on: the settings on the controls that a run can take over. */
  branchPatch(run: RunSummary, iteration: number): LivePatch {
    let then = run.settings
    for (const change of run.changes) if (change.iteration <= iteration) then = { ...then, ...change.patch }
    const now = this.draft.values
    return Object.fromEntries(LIVE_SETTINGS.filter((name) => now[name] !== then[name]).map((name) => [name, now[name]]))
  }

  /** Another future of a kept run from a checkpoint on, under the settings on the controls, with its first beside it. */
  async branch(run: RunSummary, iteration: number): Promise<void> {
    const patch = this.branchPatch(run, iteration)
    const runId = newRunId()
    const iterations = Math.max(iteration + 1, this.draft.iterations)
    this.#queue = []
    this.show('live')
    this.#hasLiveRun = true
    this.kept.hold(runId)
    void this.runs.choose(run.runId, true)
    await this.#begin(() =>
      this.live.branch({ from: run.runId, iteration, runId, patch, iterations, keys: this.models.keys }, () => {
        const { settings } = this.live.view
        if (settings) this.#liveWorld = settings.setting
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

  /** Runs the settings on the controls with several seeds, one after another, from the seed on the controls on. */
  async runSeeds(count: number): Promise<void> {
    const first = this.draft.values.seed
    this.#queue = Array.from({ length: count - 1 }, (_, i) => first + i + 1)
    this.show('live')
    this.#hasLiveRun = true
    await this.#runSeed(first)
  }

  clearQueue(): void {
    this.#queue = []
  }

  async #runSeed(seed: number): Promise<void> {
    const request = this.#newRun()
    const ofSeed = { ...request, settings: { ...request.settings, seed } }
    this.#queued = request.runId
    await this.#start(ofSeed)
  }

  /** A run that was stopped or failed ends the queue: what went wrong with one seed would go wrong with the next. */
  #goOnWithQueue(how: 'completed' | 'stopped' | 'failed'): void {
    if (this.live.runId !== this.#queued) return
    void this.runs.choose(this.#queued, true)
    const [next, ...rest] = this.#queue
    if (how !== 'completed' || next === undefined) {
      this.#queue = []
      return
    }
    this.#queue = rest
    // In a task of its own: the session is still telling how the run before ended.
    setTimeout(() => void this.#runSeed(next), 0)
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
    await this.#begin(() =>
      this.live.resumeKept(runId, this.models.keys, () => {
        const { started, settings } = this.live.view
        if (!settings) return
        if (started) this.draft.adopt(started.preset, settings)
        this.#liveWorld = settings.setting
      }),
    )
  }

  async #start(request: StartRequest): Promise<void> {
    await this.#begin(() => this.live.start({ ...request, ...(request.models && { keys: this.models.keys }) }))
  }

  async #begin(beginning: () => Promise<void>): Promise<void> {
    this.#beginning = beginning
    await beginning()
  }

  async step(only?: Component): Promise<void> {
    if (this.live.isBusy) return
    this.show('live')
    this.#hasLiveRun = true
    const request = this.live.isOpen ? this.#request() : this.#newRun()
    await this.#begin(() => this.live.stepOnce(only, { ...request, ...(request.models && { keys: this.models.keys }) }))
  }

  toggleReplay(): void {
    if (this.recorded.isPlaying) this.recorded.pause()
    else void this.recorded.play()
  }

  /** Settings for the next run. One that is under way goes on with its own. */
  async follow(content: LinkContent): Promise<void> {
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
    if (this.#hasLiveRun || this.view.settings?.setting === world) return
    this.show('recorded')
    await this.recorded.load(RECORDINGS[world])
    // Another world may have been chosen meanwhile, or a run started.
    if (world === this.world && !this.#hasLiveRun) this.#turnTo(this.hasRecording ? 'recorded' : 'live')
  }

  choosePreset(preset: string): void {
    const patch = this.draft.choosePreset(preset)
    if (Object.keys(patch).length > 0) this.#tell(patch)
  }

  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    const patch = this.draft.set(name, value)
    if (patch) this.#tell(patch)
  }

  /** A run of another world is not told of settings that were chosen for this one. */
  #tell(patch: LivePatch): void {
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
