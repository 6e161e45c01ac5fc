/** Starts, continues and changes the run in this tab: what Run, Step, the queue and the sliders do. */
import type { Component } from '../../method/loop-contract.ts'
import { ROLES, type Role } from '../../method/ports.ts'
import type { LivePatch, Settings, World } from '../../method/settings.ts'
import { LEARNING_ROLES, type LearningRole } from '../../roles/learning.ts'
import { modelNames } from '../../roles/shipped-models.ts'
import { keptSource, sourcesOf, type RoleSource } from '../../roles/source.ts'
import { modelsWithin } from '../../runs/branch.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { StartRequest } from '../../sessions/loop-service.ts'
import { errorText } from '../../threads/error-text.ts'
import { saveFile } from '../kit/save.ts'
import type { AblationId } from '../run/ablations.ts'
import { branchChanges, settingsAt } from '../run/branch-changes.ts'
import { newRunId } from '../run/run-id.ts'
import { newPlan, seedsFrom } from '../run/run-plan.ts'
import type { DeviceCare } from './device-care.svelte.ts'
import type { DraftSettings } from './draft-settings.svelte.ts'
import { KeptRun } from './kept-run.svelte.ts'
import type { KeptRunList } from './kept-runs.svelte.ts'
import { LoopCommands } from './loop-commands.ts'
import type { OpenLoop } from './loop-port.ts'
import { ModelSwaps } from './model-swaps.svelte.ts'
import { browserPlanStore } from './plan-store.ts'
import { RoleModels } from './role-models.svelte.ts'
import { RunFeed } from './run-feed.svelte.ts'
import { Rests } from './rests.svelte.ts'
import { fateOf, RunQueue } from './run-queue.svelte.ts'
import { SteeredRun } from './steered-run.svelte.ts'
import type { WorldSupplies } from './world-shelf.ts'

const BUILT_IN: RoleSource = { kind: 'built-in' }

export interface LauncherContext {
  suppliesOf(world: World): WorldSupplies | undefined
  /** Called before a run of this tab begins or continues. */
  onBegun(): void
}

export class Launcher {
  readonly feed: RunFeed
  readonly commands: LoopCommands
  readonly queue: RunQueue
  readonly kept: KeptRun
  readonly models = new RoleModels()
  readonly swaps = new ModelSwaps((swap) => this.commands.replaceModel(swap))
  readonly rests = new Rests({ pause: () => this.commands.pause(), resume: () => this.commands.resume() })
  readonly #draft: DraftSettings
  readonly #runs: KeptRunList
  readonly #care: Pick<DeviceCare, 'isSparing'>
  readonly #on: LauncherContext
  #hasLiveRun = $state.raw(false)
  /** Whether the live run pauses after this iteration because only that one was asked for. */
  #isStepping = false
  readonly #steered = new SteeredRun()
  /** Begins the live run again, under this id and with the keys of then, when a key was missing. */
  #beginning: ((runId: string) => Promise<void>) | null = null

  constructor(
    open: OpenLoop,
    draft: DraftSettings,
    runs: KeptRunList,
    care: Pick<DeviceCare, 'isSparing'>,
    on: LauncherContext,
  ) {
    this.#draft = draft
    this.#runs = runs
    this.kept = new KeptRun(runs)
    this.#care = care
    this.#on = on
    this.feed = new RunFeed({
      kept: runs,
      onEnded: (runId, how) => {
        // To be resumed from its last checkpoint, once no other tab that may have been faster uses it.
        if (how === 'failed') this.kept.release(runId)
        this.queue.ended(runId, how)
      },
      onStatus: (state) => this.rests.follow(state),
      onTimings: (runId, timings) => {
        if (care.isSparing && this.feed.status.state === 'running' && !this.#isStepping)
          this.rests.measure(runId, timings)
      },
    })
    this.commands = new LoopCommands(open, this.feed)
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
  }

  get hasLiveRun(): boolean {
    return this.#hasLiveRun
  }

  /**
   * Whether the run in this tab takes changes of the controls over. A run of another world does not, and neither does a run of the
   * queue: it would become another experiment than the runs before it.
   */
  get takesChanges(): boolean {
    const { values, isForNextRun } = this.#draft
    return this.#hasOwnSettings && !isForNextRun && this.#steered.contentIn(values.world) !== null
  }

  /** Whether a run is open whose settings are its own, not those of a queue. */
  get #hasOwnSettings(): boolean {
    return this.feed.isOpen && !this.queue.isAt(this.feed.runId)
  }

  async runOrPause(): Promise<void> {
    this.#turnToLive()
    if (this.feed.isBusy) await this.commands.pause()
    else if (this.feed.status.state === 'paused') await this.commands.resume()
    else await this.#start(this.#newRun())
  }

  async step(only?: Component): Promise<void> {
    const { feed } = this
    if (feed.isBusy) return
    this.#turnToLive()
    this.#isStepping = true
    const request = feed.isOpen ? this.#request() : this.#newRun()
    const id = feed.isOpen ? feed.runId : request.runId
    await this.#begin(id, (runId) => this.commands.stepOnce(only, this.#keyed({ ...request, runId })))
  }

  /** Continues a kept run from its last checkpoint. */
  async resumeKept(runId: string): Promise<void> {
    this.#turnToLive()
    await this.#resume(runId)
  }

  /** Takes the key of a server that the live run failed without, and continues the run; without a checkpoint it starts again. */
  async continueWithKey(address: string, key: string): Promise<void> {
    this.models.setServerKey(address, key)
    const { runId } = this.feed
    const kept = await this.#runs.find(runId)
    // Another may have begun meanwhile.
    if (this.feed.isOpen || this.feed.runId !== runId) return
    if (this.queue.current?.runId === runId) await this.queue.resume()
    else if (kept && kept.checkpoints.length > 0) await this.#resume(runId)
    // Under its own id, its log would go on from that of the first attempt.
    else await this.#beginning?.(kept ? newRunId() : runId)
  }

  /** What a role of a branch would go on with in place of its model: the choice for the next run. */
  replacement({ models, settings }: RunSummary, role: LearningRole): RoleSource {
    const chosen = this.models.source(role)
    const own = settings.world === 'own' && chosen.kind === 'built-in' ? models?.[role] : undefined
    return own === undefined ? chosen : keptSource(own)
  }

  /**
   * Starts a new run from a checkpoint of a kept one, under the settings on the controls, and draws the kept one beside it.
   * `roles` get another model, as it is before training.
   */
  async branch(run: RunSummary, iteration: number, roles: readonly LearningRole[] = []): Promise<void> {
    const { patch } = branchChanges(run, iteration, this.#draft.values)
    const iterations = Math.max(iteration + 1, this.#draft.iterations)
    const replaced = Object.fromEntries(roles.map((role) => [role, this.replacement(run, role)]))
    const request = { from: run.runId, iteration, patch, replaced, iterations }
    this.#turnToLive()
    this.#steer({ preset: run.preset, settings: { ...settingsAt(run, iteration), ...patch } })
    void this.#runs.choose(run.runId, true)
    await this.#begin(newRunId(), (runId) => this.commands.branch({ ...request, runId, keys: this.models.keys }))
  }

  /** Why the run in this tab takes no other model; null if it does. */
  get swapObstacle(): string | null {
    const { settings } = this.feed.view
    if (this.queue.isAt(this.feed.runId))
      return 'The run in this tab belongs to a series, whose runs keep their models.'
    if (settings === null) return 'The run in this tab is still loading its models.'
    return settings.world === this.#draft.values.world ? null : 'The run in this tab is in another world.'
  }

  /** The next iteration of the run in this tab, from which it takes other models. */
  get nextIteration(): number {
    return (this.feed.view.current?.iteration ?? 1) + 1
  }

  /** Name of the model that a role would get, as in the log. */
  swapName(role: Role): string {
    return modelNames(sourcesOf(this.#supplied().models), this.#draft.values.world)[role]
  }

  /** Gives a role of the run in this tab the chosen model from the next iteration on. */
  async swapModel(role: Role): Promise<void> {
    const source = sourcesOf(this.#supplied().models)[role]
    const told = { runId: this.feed.runId, model: this.swapName(role), iteration: this.nextIteration }
    await this.swaps.ask({ role, source, keys: this.models.keys }, told)
  }

  /** Chooses models of a kept run's checkpoint for the next run. False if that failed; the list of runs says why. */
  async startFrom(
    run: RunSummary,
    iteration: number,
    roles: readonly LearningRole[] = LEARNING_ROLES,
  ): Promise<boolean> {
    const folders = await this.#runs.addModels(run.runId, iteration)
    const at = run.checkpoints.find((each) => each.iteration === iteration)
    if (folders) this.models.startFrom(folders, roles, at && modelsWithin(run, at))
    return folders !== null
  }

  /** Queues ablations of the settings on the controls, or the settings as they are, each with `seeds` seeds. */
  async runPlan(rows: readonly AblationId[], seeds: number, iterations: number): Promise<void> {
    const { content } = this.#draft
    const supplies = this.#supplied()
    this.#turnToLive()
    await this.queue.begin(
      newPlan({ ...content, iterations, ...supplies }, rows, seedsFrom(content.settings.seed, seeds), {
        id: newRunId(),
        createdAt: Date.now(),
      }),
    )
  }

  async resumeQueue(): Promise<void> {
    this.#turnToLive()
    await this.queue.resume()
  }

  /** Saves the log of the live run so far, or shows why it cannot. */
  async saveLog(): Promise<void> {
    this.feed.refuse(null)
    try {
      const log = await this.commands.exportLog()
      if (log) saveFile(`${log.runId}.jsonl`, log.file)
    } catch (error) {
      this.feed.refuse(errorText(error))
    }
  }

  /** Puts the preset and settings of the run in this tab on the controls. False if it has none of its own in this world. */
  returnTo(world: World): boolean {
    const content = this.#hasOwnSettings ? this.#steered.contentIn(world) : null
    if (content === null) return false
    this.#draft.returnTo(content.preset, content.settings)
    return true
  }

  /** Passes settings on to the run in this tab if it takes changes and does not have them already. */
  patch(patch: LivePatch | null): void {
    if (patch === null || !this.takesChanges) return
    const changes = this.#steered.changesIn(patch)
    if (Object.keys(changes).length > 0) void this.#send(changes)
  }

  /** Takes the changes back from the controls if the run refuses them. */
  async #send(changes: LivePatch): Promise<void> {
    const { runId } = this.feed
    this.#steered.ask(changes)
    const isAccepted = await this.commands.patch(changes)
    if (runId !== this.feed.runId) return
    if (isAccepted) return this.#steered.accept(changes)
    const kept = this.#steered.refuse(changes)
    if (this.takesChanges) this.#draft.takeBack(kept)
  }

  #turnToLive(): void {
    this.#isStepping = false
    this.#on.onBegun()
    this.#hasLiveRun = true
  }

  async #startQueued(request: StartRequest): Promise<void> {
    this.#steer(request)
    await this.#start(request)
  }

  /** Leaves the controls as they are: a queue keeps the settings that it was started with. */
  async #resumeQueued(runId: string): Promise<void> {
    this.#steered.begin(null)
    await this.#begin(runId, () => this.commands.resumeKept(runId, this.models.keys, () => this.#steerResumed()))
  }

  async #resume(runId: string): Promise<void> {
    // Until its own settings are on the controls, a change is not meant for it.
    this.#steered.begin(null)
    await this.#begin(runId, () =>
      this.commands.resumeKept(runId, this.models.keys, () => {
        const { started, settings } = this.feed.view
        if (started && settings) this.#draft.adopt(started.preset, settings)
        this.#steerResumed()
      }),
    )
  }

  /** The controls are for the run that begins. */
  #steer(content: { preset: string; settings: Settings }): void {
    this.#steered.begin(content)
    this.#draft.steer()
  }

  #steerResumed(): void {
    const { started, settings } = this.feed.view
    if (started && settings) this.#steer({ preset: started.preset, settings })
  }

  async #start(request: StartRequest): Promise<void> {
    await this.#begin(request.runId, (runId) => this.commands.start(this.#keyed({ ...request, runId })))
  }

  #keyed(request: StartRequest): StartRequest {
    return request.models ? { ...request, keys: this.models.keys } : request
  }

  async #begin(id: string, beginning: (runId: string) => Promise<void>): Promise<void> {
    this.#beginning = async (runId) => {
      this.kept.claim(runId)
      // Messages keep their order, so the run begins with it.
      void this.commands.spare(this.#care.isSparing)
      await this.queue.began(runId)
      await beginning(runId)
    }
    await this.#beginning(id)
  }

  #newRun(): StartRequest {
    const request = this.#request()
    this.#steer(request)
    return request
  }

  #request(): StartRequest {
    return { runId: newRunId(), ...this.#draft.content, ...this.#supplied() }
  }

  /** The chosen models, and what the world has in place of built-in ones. */
  #supplied(): Pick<StartRequest, 'models' | 'worldFile'> {
    const { chosen } = this.models
    const supplies = this.#on.suppliesOf(this.#draft.values.world)
    if (!supplies) return chosen ? { models: chosen } : {}
    const { worldFile } = supplies
    const models = { ...chosen }
    for (const role of ROLES) {
      const supplied = supplies.models[role]
      if (supplied && (models[role] ?? BUILT_IN).kind === 'built-in') models[role] = supplied
    }
    return { worldFile, ...(Object.keys(models).length > 0 && { models }) }
  }
}
