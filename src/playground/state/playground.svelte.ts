/** The state behind the page: the run on show, the controls for the next run, and the worlds to choose from. */
import type { Phase } from '../../method/events.ts'
import type { Role } from '../../method/ports.ts'
import type { Settings, World } from '../../method/settings.ts'
import { LEARNING_ROLES } from '../../roles/learning.ts'
import type { RunView } from '../../runs/fold.ts'
import type { Lane } from '../kit/revision.svelte.ts'
import type { Configuration } from '../run/configuration.ts'
import { WORLDS } from '../../worlds/index.ts'
import { phonePreset } from '../run/worlds.ts'
import { Comparison } from './comparison.svelte.ts'
import type { DeviceCare } from './device-care.svelte.ts'
import { DraftSettings } from './draft-settings.svelte.ts'
import { Focus } from './focus.svelte.ts'
import type { KeptRunList } from './kept-runs.svelte.ts'
import { Launcher } from './launcher.svelte.ts'
import type { OpenLoop } from './loop-port.ts'
import { RecordedRun } from './recorded-run.svelte.ts'
import type { RunFeed } from './run-feed.svelte.ts'
import { ShownRun, type RunSource } from './shown-run.svelte.ts'
import type { WorldShelf } from './world-shelf.ts'

/** A packed and an unpacked recording, in the order in which they are tried. None ships for a world from a file. */
function recordingsOf(world: World): readonly string[] {
  if (world === 'own') return []
  return [`./runs/${world}.jsonl.gz`, `./runs/${world}.jsonl`]
}

export class Playground {
  readonly draft = new DraftSettings()
  readonly care: DeviceCare
  readonly recorded = new RecordedRun()
  readonly live: RunFeed
  readonly shown: ShownRun
  readonly focus: Focus
  readonly launcher: Launcher
  readonly runs: KeptRunList
  readonly comparison: Comparison
  /** Whether λ was moved while the run on show was there. */
  #isLambdaTried = $state.raw(false)
  readonly #shelves: Readonly<Record<World, Pick<WorldShelf, 'look' | 'supplies'>>>
  #isOpened = false

  constructor(
    open: OpenLoop,
    shelves: Readonly<Record<World, Pick<WorldShelf, 'look' | 'supplies'>>>,
    runs: KeptRunList,
    care: DeviceCare,
  ) {
    this.care = care
    if (care.prefersPhonePreset) this.draft.choosePreset(phonePreset(this.world))
    this.#shelves = shelves
    this.runs = runs
    this.comparison = new Comparison(runs)
    this.launcher = new Launcher(open, this.draft, runs, care, {
      suppliesOf: (world) => shelves[world].supplies,
      onBegun: () => {
        this.#isLambdaTried = false
        this.show('live')
      },
    })
    this.live = this.launcher.feed
    this.shown = new ShownRun(this.recorded, this.live)
    this.focus = new Focus(this.shown)
  }

  /** Id of the run on show; null if this browser does not keep it. */
  get shownRunId(): string | null {
    const { runId } = this.shown.run
    return runId !== null && this.runs.has(runId) ? runId : null
  }
  get source(): RunSource {
    return this.shown.source
  }
  get hasRecording(): boolean {
    return this.recorded.state === 'ready'
  }
  /** Whether the run on show is a recording that is still loading. */
  get isLoading(): boolean {
    return this.source === 'recorded' && this.recorded.isLoading
  }
  get view(): RunView {
    return this.viewFor('loop')
  }
  /** The run on show, up to the iteration on show. */
  viewFor(lane: Lane): RunView {
    return this.focus.viewFor(lane)
  }
  /** The world of the next run. */
  get world(): World {
    return this.draft.values.world
  }
  /** The world of the run on show, or of the next one while nothing is on show. */
  get shownWorld(): World {
    return this.view.settings?.world ?? this.world
  }
  /** What the next run cannot start without in a world from a file: the file, or a model that learns. Null if nothing is missing. */
  get lack(): 'file' | 'model' | null {
    if (this.world !== 'own') return null
    const { supplies } = this.#shelves.own
    if (!supplies) return 'file'
    const { models } = this.launcher
    const isPlayed = (role: Role) => models.source(role).kind !== 'built-in' || supplies.models[role] !== undefined
    return LEARNING_ROLES.every(isPlayed) ? null : 'model'
  }
  get phase(): Phase | null {
    return this.shown.run.phase
  }

  /** λ on the controls, if the views apply it to the iteration on show in place of its own; else null. */
  get triedLambda(): number | null {
    return this.#isLambdaTried ? this.draft.values.lambda : null
  }
  /** Applies λ on the controls to the iteration on show, or shows the iteration as it was. */
  tryLambda(isTried: boolean): void {
    this.#isLambdaTried = isTried
  }
  #tryIfChanged(): void {
    this.#isLambdaTried = this.draft.values.lambda !== this.draft.base.lambda
  }

  async open(): Promise<void> {
    this.#isOpened = true
    const { queue } = this.launcher
    const looked = Promise.all([
      ...Object.values(this.#shelves).map((shelf) => shelf.look()),
      ...[this.runs.look(), queue.look()],
    ])
    await this.recorded.load(recordingsOf(this.world))
    await looked
    // Another world may have been chosen meanwhile, whose recording is still loading.
    const isMissing = this.recorded.state === 'absent' || this.recorded.state === 'failed'
    if (isMissing && this.source === 'recorded') this.shown.show('live')
  }

  show(source: RunSource): void {
    this.recorded.pause()
    this.shown.show(source)
  }

  /** Shows a run log from a file, or imports an exported run and shows it. */
  async openFile(file: File): Promise<void> {
    if (/\.zip$/i.test(file.name)) return this.importRuns([file])
    if (await this.#awaitOther(this.recorded.open(file))) this.#showOther()
  }

  /**
   * Keeps exported runs and logs, chooses several for comparison, and shows the last unless a run of this tab begins meanwhile. The
   * list of kept runs reports what is wrong with others.
   */
  async importRuns(files: readonly File[]): Promise<void> {
    const { runId: before } = this.live
    const imported = await this.runs.importFiles(files)
    if (imported.length > 1) for (const { runId } of imported) await this.runs.choose(runId, true)
    const last = imported.at(-1)
    if (last && before === this.live.runId) await this.openKept(last.runId)
  }

  /** Shows a kept run, at an iteration or at its end. */
  async openKept(runId: string, iteration?: number): Promise<void> {
    if (await this.#awaitOther(this.recorded.openKept(this.runs.source(runId), iteration))) this.#showOther()
  }

  /** Whether the recorded run was opened and can be shown: a run of this tab that begins meanwhile stays on show. */
  async #awaitOther(opening: Promise<boolean>): Promise<boolean> {
    const { runId } = this.live
    return (await opening) && runId === this.live.runId
  }

  /** Shows another run with its own λ, not with the one on the controls. */
  #showOther(): void {
    this.#isLambdaTried = false
    this.shown.show('recorded')
  }

  /** Shows the recorded run that ships with the page, whichever run was on show, unless one of this tab begins meanwhile. */
  async showShipped(): Promise<void> {
    const { recorded, world } = this
    const { runId } = this.live
    const { address } = recorded
    const isThere = this.hasRecording && address !== null && recordingsOf(world).includes(address)
    if (!isThere || recorded.isLoading) await recorded.load(recordingsOf(world))
    if (this.hasRecording && world === this.world && runId === this.live.runId) this.show('recorded')
  }

  /**
   * Shows the recorded run of a published result, by its name in `runs/`, with its world on the controls. Returns why it cannot be
   * loaded, else null. Another run that is opened or begins meanwhile is shown in its place.
   */
  async showRecording(name: string): Promise<string | null> {
    const isWanted = await this.#awaitOther(this.recorded.load([`./runs/${name}.jsonl.gz`]))
    if (!isWanted) return null
    if (this.hasRecording) {
      const { world = this.world } = this.recorded.view.settings ?? {}
      this.#turnTo(world)
      this.#showOther()
      return null
    }
    // Loading the usual run again forgets what was wrong with this one.
    const why = this.recorded.failure?.why ?? `runs/${name}.jsonl.gz is missing.`
    await this.recorded.load(recordingsOf(this.world))
    return why
  }

  toggleReplay(): void {
    if (this.recorded.isPlaying) return this.recorded.pause()
    this.focus.follow()
    void this.recorded.play()
  }

  /** Shows the recorded run as it was at the end of an iteration. */
  seek(iteration: number): void {
    this.recorded.pause()
    this.focus.follow()
    this.recorded.seek(iteration)
  }

  /** Puts a configuration on the controls, for the next run. */
  async follow(content: Configuration): Promise<void> {
    const before = this.world
    this.draft.follow(content)
    this.#tryIfChanged()
    if (this.#isOpened && this.world !== before) await this.#showRecording()
  }

  /** From now on, spares the device, with the preset for phones on the controls; or no longer, with the world's own in its place. */
  spareDevice(isSparing: boolean): void {
    const { own } = WORLDS[this.world].presets
    this.care.choose(isSparing)
    if (isSparing || this.#isForPhones) this.choosePreset(isSparing ? phonePreset(this.world) : own)
    if (!isSparing) this.launcher.rests.cancel()
  }

  get #isForPhones(): boolean {
    return this.draft.preset === phonePreset(this.world)
  }
  /** The preset that a world comes with: that for phones if the reader chose it. */
  #presetOf(world: World): string {
    return this.care.prefersPhonePreset || this.#isForPhones ? phonePreset(world) : WORLDS[world].presets.own
  }

  /**
   * Applies the preset that a world comes with and shows its recorded run, or shows the live run of that world with its own settings
   * on the controls. A live run of another world continues unseen.
   */
  async chooseWorld(world: World): Promise<void> {
    if (world === this.world) return
    this.#turnTo(world)
    await this.#showRecording()
  }

  /** Puts a world on the controls: with the settings of its live run, which keeps them, else with the preset that it comes with. */
  #turnTo(world: World): void {
    if (world === this.world) return
    if (this.launcher.returnTo(world)) this.#tryIfChanged()
    else this.choosePreset(this.#presetOf(world))
  }

  /** Starts a run of the preset that the world comes with, and of a λ, unless a run is open. */
  async train(world: World, lambda: number): Promise<void> {
    if (this.live.isOpen) return
    this.choosePreset(this.#presetOf(world))
    this.set('lambda', lambda)
    await this.launcher.runOrPause()
  }

  choosePreset(preset: string): void {
    this.draft.choosePreset(preset)
    this.launcher.patch(this.draft.liveValues)
    this.care.preferPhonePreset(this.#isForPhones)
    this.#tryIfChanged()
  }

  /**
   * Restores the settings that a preset, a link, a lesson or a resumed run replaced. A live run of their world takes them over, unless
   * they came with a link.
   */
  async restoreSettings(): Promise<void> {
    if (this.draft.replaced === null) return
    const before = this.world
    this.draft.restore()
    this.launcher.patch(this.draft.liveValues)
    this.care.preferPhonePreset(this.#isForPhones)
    this.#tryIfChanged()
    if (this.world !== before) await this.#showRecording()
  }

  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    this.launcher.patch(this.draft.set(name, value))
    if (name === 'lambda') this.#isLambdaTried = true
  }

  async #showRecording(): Promise<void> {
    const { world } = this
    if (this.view.settings?.world === world) return
    if (this.launcher.hasLiveRun && this.live.view.settings?.world === world) return this.show('live')
    const { runId } = this.live
    await this.recorded.load(recordingsOf(world))
    // Meanwhile another world may have been chosen, or a run started.
    if (world === this.world && runId === this.live.runId) this.shown.show(this.hasRecording ? 'recorded' : 'live')
  }
}
