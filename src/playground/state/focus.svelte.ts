/**
 * What the page looks at: one run, and in it an iteration, a task, a rollout and a step. Decides it once for all views, from
 * what a person chose; without a choice it follows the run. Whatever is chosen also keeps its iteration and task on show,
 * however far the run continues, until `follow`, another choice or another run.
 *
 * An iteration has no advantages before it is judged. The equation meanwhile keeps the newest judged iteration (`judged`),
 * and so does the theatre, unless a person chose an iteration that has episodes (`replayed`).
 */
import { untrack } from 'svelte'
import type { Settings } from '../../method/settings.ts'
import type { IterationView, RunView } from '../../runs/fold.ts'
import type { Lane } from '../kit/revision.svelte.ts'
import { batchOf, isJudged, type BatchGroup } from '../../runs/batch.ts'
import { groupOnShow, NOTHING_CHOSEN, spotIn, type Chosen, type ShownGroup } from '../run/run-spot.ts'
import type { Spot } from '../run/spot.ts'
import type { RunOnShow } from './run-on-show.ts'

/** A judged iteration with its groups, as the method's arithmetic takes them. */
export interface JudgedBatch {
  iteration: number
  /** The settings that the iteration ran with. */
  settings: Settings
  groups: BatchGroup[]
}

export class Focus {
  readonly #runs: { runFor(lane: Lane): RunOnShow }
  /** What was chosen last, and the run that it belongs to. */
  #choice = $state.raw<{ of: string; chosen: Chosen }>({ of: '', chosen: NOTHING_CHOSEN })
  readonly #chosen = $derived.by(() => (this.#choice.of === this.#key ? this.#choice.chosen : NOTHING_CHOSEN))
  readonly #iteration = $derived(this.#chosen.iteration)
  readonly #taskId = $derived(this.#chosen.taskId)
  /** The run as it was at the end of an earlier iteration, which no longer changes. */
  readonly #past = new WeakMap<RunView, RunView>()

  constructor(runs: { runFor(lane: Lane): RunOnShow }) {
    this.#runs = runs
  }

  /** The first lane turns to another run at once, the others soon after. */
  get #key(): string {
    return this.#runs.runFor('loop').key
  }
  /** What a person chose, whether or not the run has it. */
  get chosen(): Chosen {
    return this.#chosen
  }
  /** Whether anything was chosen. */
  get isChosen(): boolean {
    const { iteration, taskId, rollout, step, test } = this.#chosen
    return iteration !== null || taskId !== null || rollout !== 0 || step !== 0 || test !== null
  }
  get isFollowing(): boolean {
    return this.#iteration === null
  }

  get run(): RunOnShow {
    return this.#runs.runFor('trajectories')
  }
  get #view(): RunView {
    return this.run.viewFor('trajectories')
  }
  /** The run up to the end of the chosen iteration; without a choice, all of it. */
  viewFor(lane: Lane): RunView {
    const view = this.#runs.runFor(lane).viewFor(lane)
    const iteration = this.#iteration
    if (iteration === null || iteration >= (view.current?.iteration ?? 0)) return view
    let past = this.#past.get(view)
    if (past?.current?.iteration !== iteration) {
      past = view.at(iteration)
      this.#past.set(view, past)
    }
    return past
  }
  /** How many iterations the run has after the chosen one. */
  readonly newer = $derived.by(() => {
    const chosen = this.#chosenIteration()
    return chosen === null ? 0 : this.#view.current!.iteration - chosen.iteration
  })

  /** The number of the iteration on show; null before the first. */
  readonly iteration = $derived.by(() => (this.#chosenIteration() ?? this.#view.current)?.iteration ?? null)
  /** A new object for each change of the run, since its view changes in place. Null before the first iteration. */
  readonly shown = $derived.by((): ShownGroup | null =>
    groupOnShow(this.#view, { iteration: this.#iteration, taskId: this.#taskId }, this.run.liveSteps),
  )
  readonly spot = $derived(this.shown && spotIn(this.shown, this.#chosen))
  /** Whether the advantages of the task on show are known. */
  readonly isJudged = $derived.by(() => {
    const { shown, batch } = this
    return (
      shown !== null &&
      batch?.iteration === shown.iteration.iteration &&
      batch.groups.some(({ taskId }) => taskId === shown.group.taskId)
    )
  })

  readonly #judgedKey = $derived.by(() => keyOf(this.#view, this.#judgedIteration()))
  /** The iteration on show, if it is judged, or else the newest judged one. Null before there is any. */
  readonly batch = $derived.by((): JudgedBatch | null => {
    const at = iterationOf(this.#judgedKey)
    if (at === null) return null
    return untrack(() => {
      const view = this.#view
      const shown = groupOnShow(view, { iteration: at, taskId: null })
      return shown && { iteration: at, settings: shown.settings, groups: batchOf(view, shown.iteration) }
    })
  })
  /** The task of that batch on show. */
  readonly judged = $derived.by(() => this.#groupAt(this.#judgedKey))
  readonly judgedSpot = $derived(this.judged && spotIn(this.judged, this.#chosen))

  readonly #replayedKey = $derived.by(() => {
    const chosen = this.#chosenIteration()
    return keyOf(this.#view, chosen && chosen.episodes.length > 0 ? chosen : this.#judgedIteration())
  })
  /** The task whose finished episodes can be watched. */
  readonly replayed = $derived.by(() => this.#groupAt(this.#replayedKey))
  readonly replayedSpot = $derived(this.replayed && spotIn(this.replayed, this.#chosen))

  #chosenIteration(): IterationView | null {
    return this.#iteration === null ? null : this.#view.iteration(this.#iteration)
  }

  #judgedIteration(): IterationView | null {
    const chosen = this.#chosenIteration()
    return chosen && isJudged(chosen) ? chosen : (this.#view.iterations.findLast(isJudged) ?? null)
  }

  #groupAt(key: string | null): ShownGroup | null {
    const iteration = iterationOf(key)
    const taskId = this.#taskId
    return iteration === null ? null : untrack(() => groupOnShow(this.#view, { iteration, taskId }))
  }

  lookAt(spot: Spot): void {
    this.#choose({ ...spot })
  }

  /** Shows the newest iteration again, with the chosen task, rollout and step. */
  follow(): void {
    if (this.#iteration !== null) this.#choose({ ...this.#chosen, iteration: null })
  }

  /** Stops following the run. What is chosen in the iteration stays chosen. */
  stay(shown: ShownGroup): void {
    this.#pin(shown, {})
  }

  /** Keeps what a person opens. What they chose before stays. */
  hold(opened = this.shown): void {
    if (this.isFollowing && opened) this.stay(opened)
  }

  /** Rounds the number and clamps it to the iterations of the run. Null and NaN follow the run. */
  chooseIteration(iteration: number | null): void {
    const newest = this.#view.current?.iteration ?? Infinity
    const isNumber = iteration !== null && !Number.isNaN(iteration)
    const chosen = isNumber ? Math.max(1, Math.min(newest, Math.round(iteration))) : null
    this.#choose({ ...NOTHING_CHOSEN, iteration: chosen })
  }

  /** Chooses a task of the iteration on show, or of another one that a part of the page shows. */
  chooseTask(taskId: string, iteration = this.iteration): void {
    this.#choose({ ...NOTHING_CHOSEN, iteration, taskId })
  }

  chooseStep(rollout: number, step: number, shown = this.shown): void {
    this.#pin(shown, { rollout, step })
  }

  /** Null chooses the program as a whole. */
  chooseProgram(rollout: number, test: number | null, shown = this.shown): void {
    this.#pin(shown, { rollout, test, isOnHeads: false })
  }

  /** Chooses the test itself; the program on show stays. */
  chooseTest(test: number, shown = this.shown): void {
    this.#pin(shown, { test, isOnHeads: true })
  }

  #pin(shown: ShownGroup | null, part: Partial<Chosen>): void {
    const at = shown && { iteration: shown.iteration.iteration, taskId: shown.group.taskId }
    this.#choose({ ...this.#chosen, ...at, ...part })
  }

  #choose(chosen: Chosen): void {
    this.#choice = { of: this.#key, chosen }
  }
}

/** Changes when the iteration gains episodes or results, and not with every event. */
function keyOf({ started }: RunView, iteration: IterationView | null): string | null {
  if (iteration === null) return null
  const { episodes, resolved, isFinished, isReleased } = iteration
  return [iteration.iteration, started?.runId, episodes.length, resolved.length, isFinished, isReleased].join()
}

function iterationOf(key: string | null): number | null {
  return key === null ? null : Number.parseInt(key, 10)
}
