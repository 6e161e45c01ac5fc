/**
 * A judged iteration under another λ. Every advantage is derived again from the log; the map, the equation and the
 * decomposition of R all draw the result.
 */
import { countFlips, rederive } from '../../../runs/batch.ts'
import type { Moment } from '../../figures/moment.ts'
import { Links } from '../../kit/math/links.svelte.ts'
import { equationLines, SYMBOLS } from '../../run/equation.ts'
import { compact, counted } from '../../kit/format.ts'
import type { Focus } from '../../state/focus.svelte.ts'
import { advantageMap, type AdvantageMap, type MapCell, type MapRole } from './advantage-map.ts'
import { decompose } from './reward-decomposition.ts'

export class WhatIf {
  /** Whose advantages are on show. */
  role = $state<MapRole>('policy')
  readonly links = new Links(SYMBOLS)
  #tried = $state.raw<number | null>(null)
  readonly #focus: Focus

  constructor(focus: Focus) {
    this.#focus = focus
  }

  get batch() {
    return this.#focus.batch
  }
  /** The settings of the iteration with the λ that is tried. */
  readonly settings = $derived.by(
    () => this.batch && { ...this.batch.settings, lambda: this.#tried ?? this.batch.settings.lambda },
  )
  readonly #rederived = $derived(
    this.batch && this.settings ? rederive(this.batch.groups, this.batch.settings, this.settings) : [],
  )
  readonly chosen = $derived(
    this.#rederived.find(({ group }) => group.taskId === this.#focus.judgedSpot?.taskId) ?? null,
  )
  readonly taskId = $derived(this.chosen?.group.taskId ?? null)
  readonly trajectory = $derived.by(() => this.#focus.judgedSpot?.rollout ?? 0)
  readonly step = $derived.by(() => this.#focus.judgedSpot?.step ?? 0)
  /** Index among the written tests; the focus counts the hidden tests first. */
  readonly test = $derived.by(() => {
    const written = (this.#focus.judgedSpot?.test ?? 0) - (this.#focus.judged?.tests.hidden ?? 0)
    return Math.max(0, Math.min(written, (this.chosen?.now.tests?.feedback.length ?? 1) - 1))
  })
  readonly hasPrograms = $derived(this.chosen?.group.kind === 'programs')
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

  /** What of the chosen step can be shared; null where there are no advantages. */
  readonly moment = $derived.by((): Moment | null => {
    const { batch, settings, chosen, trajectory } = this
    const { judged } = this.#focus
    if (!batch || !settings || !chosen || !judged) return null
    const { group } = chosen
    const step = this.hasPrograms ? 0 : this.step
    const episode = { iteration: judged.iteration, settings: batch.settings, group, trajectory, step, isFlipping: true }
    return { episode, lambda: settings.lambda }
  })

  /** The λ that is tried; null for the run's own. */
  get tried(): number | null {
    return this.#tried
  }
  try(lambda: number | null): void {
    this.#tried = lambda
  }

  /** What the λ that is tried does to the batch, in a sentence. */
  readonly consequence = $derived.by(() => {
    const { batch, settings } = this
    if (!batch || !settings) return ''
    const flips = countFlips(this.#rederived, this.role)
    const of = this.role === 'policy' ? 'the policy' : 'the reward model'
    const all = `${counted(flips.trained, 'advantage')} of this batch train${flips.trained === 1 ? 's' : ''} ${of}`
    if (settings.lambda === batch.settings.lambda) return `${all}.`
    const changed = flips.stopped + flips.started
    return (
      `At λ = ${compact(settings.lambda)} instead of ${compact(batch.settings.lambda)}, ${all}: ` +
      `${flips.flipped} with the opposite sign` +
      (changed > 0 ? `; ${flips.started} came in, ${flips.stopped} dropped out` : '') +
      '.'
    )
  })

  readonly choose = (cell: MapCell): void => {
    if (cell.taskId !== this.taskId) this.#focus.chooseTask(cell.taskId, this.batch?.iteration)
    const { judged } = this.#focus
    if (!this.hasPrograms) this.#focus.chooseStep(cell.trajectory, cell.step, judged)
    else if (this.role === 'reward') this.#focus.chooseTest((judged?.tests.hidden ?? 0) + cell.step, judged)
    else this.#focus.chooseProgram(cell.trajectory, null, judged)
  }
  readonly isChosen = (cell: MapCell): boolean =>
    cell.taskId === this.taskId &&
    (this.hasPrograms && this.role === 'reward'
      ? cell.step === this.test
      : cell.trajectory === this.trajectory && cell.step === this.step)
  /** Whether the mean and the spread in the equation include a cell. */
  readonly isCompared = (cell: MapCell): boolean =>
    cell.taskId === this.taskId && (this.hasPrograms || cell.step === this.step)
}
