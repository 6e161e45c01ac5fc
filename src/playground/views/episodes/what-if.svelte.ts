/**
 * A judged iteration under another λ: its batch is read once, and every advantage is derived again at once, from what the
 * log already has. The map, the equation and the decomposition of R are all drawn from it.
 */
import { untrack } from 'svelte'
import { advantageMap, type AdvantageMap, type MapCell, type MapRole } from './advantage-map.ts'
import { batchOf, countFlips, isJudged, rederive } from '../../run/batch.ts'
import { equationLines, type SymbolId } from '../../run/equation.ts'
import { compact, counted } from '../../kit/format.ts'
import { decompose } from './reward-decomposition.ts'
import { groupChoices, mostTelling, settingsOf } from '../../run/trajectories.ts'
import type { Playground } from '../../state/playground.svelte.ts'
import type { Selection } from '../../state/selection.svelte.ts'

export class WhatIf {
  /** Whose advantages are looked at. */
  role = $state<MapRole>('policy')
  /** Of the equation, the symbol that is lit with its number. */
  lit = $state.raw<SymbolId | null>(null)
  #wished = $state.raw<number | null>(null)
  readonly #playground: Playground
  readonly #selection: Selection

  constructor(playground: Playground, selection: Selection) {
    this.#playground = playground
    this.#selection = selection
  }

  /** The iteration that is looked at, once its feedback is known, and what of it may still change. */
  readonly #key = $derived.by(() => {
    const view = this.#playground.viewFor('trajectories')
    const wanted = this.#selection.iteration === null ? null : view.iteration(this.#selection.iteration)
    const iteration = wanted && isJudged(wanted) ? wanted : view.iterations.findLast(isJudged)
    return iteration
      ? [
          view.started?.runId,
          iteration.iteration,
          iteration.episodes.length,
          iteration.resolved.length,
          iteration.isFinished,
          iteration.isReleased,
        ].join()
      : null
  })
  /** Of the judged iteration that is looked at, or of the newest one; null before there is any. */
  readonly batch = $derived.by(() => {
    const key = this.#key
    if (key === null) return null
    return untrack(() => {
      const { view } = this.#playground
      const iteration = view.iteration(Number(key.split(',')[1]))
      const settings = iteration && settingsOf(view, iteration.iteration)
      if (!iteration || !settings) return null
      const groups = batchOf(view, iteration)
      return { iteration: iteration.iteration, settings, groups, choices: groupChoices(view, iteration) }
    })
  })
  /** Those of the iteration, with the λ that is tried. */
  readonly settings = $derived.by(
    () => this.batch && { ...this.batch.settings, lambda: this.#wished ?? this.batch.settings.lambda },
  )
  readonly #rederived = $derived(
    this.batch && this.settings ? rederive(this.batch.groups, this.batch.settings, this.settings) : [],
  )
  readonly taskId = $derived.by(() => {
    const { batch } = this
    if (!batch) return null
    const isThere = (taskId: string | null) => batch.groups.some((group) => group.taskId === taskId)
    const wanted = this.#selection.taskId
    return isThere(wanted) ? wanted : mostTelling(batch.choices.filter((choice) => isThere(choice.taskId)))
  })
  readonly chosen = $derived(this.#rederived.find(({ group }) => group.taskId === this.taskId) ?? null)
  readonly trajectory = $derived.by(() =>
    Math.max(0, Math.min(this.#selection.rollout, (this.chosen?.group.scores.length ?? 1) - 1)),
  )
  readonly step = $derived.by(() =>
    Math.max(0, Math.min(this.#selection.step, (this.chosen?.group.scores[this.trajectory]?.length ?? 1) - 1)),
  )
  /** The written test, where programs are tested. */
  readonly test = $derived.by(() =>
    Math.max(0, Math.min(this.#selection.test ?? 0, (this.chosen?.now.tests?.feedback.length ?? 1) - 1)),
  )
  readonly isCoding = $derived(this.chosen?.group.kind === 'programs')
  readonly lines = $derived(
    this.chosen && this.settings
      ? equationLines(this.chosen.group, this.chosen.now, this.settings, {
          trajectory: this.trajectory,
          step: this.step,
          test: this.test,
        })
      : null,
  )
  readonly map = $derived<AdvantageMap | null>(
    this.taskId === null ? null : advantageMap(this.#rederived, this.taskId, this.role),
  )
  readonly decomposition = $derived(
    this.chosen && this.settings ? decompose(this.chosen, this.settings, this.trajectory) : null,
  )

  /** λ that is tried; null is the run's own. */
  get wished(): number | null {
    return this.#wished
  }
  wish(lambda: number | null): void {
    this.#wished = lambda
  }

  /** What the λ that is tried does to the batch, in a sentence. */
  readonly consequence = $derived.by(() => {
    const { batch, settings } = this
    if (!batch || !settings) return ''
    const flips = countFlips(this.#rederived, this.role)
    const of = this.role === 'policy' ? 'the policy' : 'the reward model'
    const all = `${counted(flips.trained, 'advantage')} of this batch train${flips.trained === 1 ? 's' : ''} ${of}`
    if (settings.lambda === batch.settings.lambda) return `${all}. Drag λ to see which of them would change sign.`
    const changed = flips.stopped + flips.started
    return (
      `At λ = ${compact(settings.lambda)} instead of ${compact(batch.settings.lambda)}, ${all}: ` +
      `${flips.flipped} with the opposite sign` +
      (changed > 0 ? `; ${flips.started} came in, ${flips.stopped} dropped out` : '') +
      '.'
    )
  })

  readonly choose = (cell: MapCell): void => {
    if (cell.taskId !== this.taskId) this.#selection.chooseTask(cell.taskId)
    if (!this.isCoding) this.#selection.chooseStep(cell.trajectory, cell.step)
    else if (this.role === 'reward') this.#selection.chooseTest(cell.step)
    else this.#selection.chooseProgram(cell.trajectory, null)
  }
  readonly isChosen = (cell: MapCell): boolean =>
    cell.taskId === this.taskId &&
    (this.isCoding && this.role === 'reward'
      ? cell.step === this.test
      : cell.trajectory === this.trajectory && cell.step === this.step)
  /** Whether the mean and the spread that are lit in the equation are taken over a cell. */
  readonly isCompared = (cell: MapCell): boolean =>
    (this.lit === 'mean' || this.lit === 'std') &&
    cell.taskId === this.taskId &&
    (this.isCoding || cell.step === this.step)
}
