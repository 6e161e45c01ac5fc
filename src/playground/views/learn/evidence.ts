/** What observations are made of: finished iterations, and comparisons that chance alone seldom passes. */
import type { IterationView, RunView } from '../../../runs/fold.ts'
import type { Settings } from '../../../method/settings.ts'
import { counted } from '../../kit/format.ts'
import { settingsOf } from '../../run/trajectories.ts'
import type { Observation } from './lesson.ts'
import { mean, varianceOfMean } from '../../../results/moments.ts'

export const seen = (isMade: boolean, evidence: string): Observation => ({ isMade, evidence })
export const missing = (evidence: string): Observation => ({ isMade: false, evidence })

/** Finished iterations with the settings that each ran with. */
export function finished(view: RunView): { iteration: IterationView; settings: Settings }[] {
  return view.iterations.flatMap((iteration) => {
    const settings = iteration.isFinished ? settingsOf(view, iteration.iteration) : null
    return settings ? [{ iteration, settings }] : []
  })
}

export const FEWEST_EVALUATIONS = 3

/** Updates of a model up to an iteration. */
export const updatesOf = (view: RunView, role: 'policyUpdate' | 'rewardUpdate', last = Infinity) =>
  view.iterations.filter((iteration) => iteration[role] !== null && iteration.iteration <= last).length

/** What is missing before evaluations of a reward model can show what it has learned; null if nothing is. */
export function notLearned(view: RunView, evaluations: number): Observation | null {
  const updates = updatesOf(view, 'rewardUpdate')
  if (evaluations >= FEWEST_EVALUATIONS && updates > 0) return null
  return missing(
    `${counted(evaluations, 'evaluation')} of ${FEWEST_EVALUATIONS}, ${counted(updates, 'update')} of the reward model.`,
  )
}

/**
 * Counts an iteration once, while it is whole: a long run releases the episodes of earlier iterations, and what they showed would
 * be forgotten. Null for one that was released before it was counted.
 */
export function countedOnce<Count>(
  count: (iteration: IterationView, view: RunView, settings: Settings) => Count,
): (iteration: IterationView, view: RunView, settings: Settings) => Count | null {
  const counts = new WeakMap<IterationView, { count: Count }>()
  return (iteration, view, settings) => {
    let known = counts.get(iteration)
    if (!known && !iteration.isReleased) counts.set(iteration, (known = { count: count(iteration, view, settings) }))
    return known ? known.count : null
  }
}

/** A share, counted: `hits` of `of`. */
export interface Tally {
  hits: number
  of: number
}

export const share = ({ hits, of }: Tally) => hits / of

/** Standard errors that a difference must exceed: one side, 5 %. */
const BEYOND_CHANCE = 1.645

/** Whether the first share is above the second by more than chance explains: two proportions with a pooled error. */
export function isShareAbove(first: Tally, second: Tally, errors = BEYOND_CHANCE): boolean {
  const pooled = (first.hits + second.hits) / (first.of + second.of)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / first.of + 1 / second.of))
  return share(first) - share(second) > errors * error
}

/** Whether the first mean is above the second by more than chance explains (Welch). Needs two values of each. */
export function isMeanAbove(first: readonly number[], second: readonly number[]): boolean {
  const error = Math.sqrt(varianceOfMean(first) + varianceOfMean(second))
  return mean(first) - mean(second) > BEYOND_CHANCE * error
}

/**
 * Whether more than half of the signs agree, beyond chance, for two series that were differenced. Successive differences share a
 * value, so their signs correlate with -1/3 and agreements with (1/3)²; the variance of their number is 1 + 2/9 of a binomial's.
 */
export function isMostly(agreed: number, of: number): boolean {
  return 2 * agreed - of > BEYOND_CHANCE * Math.sqrt((11 / 9) * of)
}
