/**
 * What the exercises on regions of the map look for (regions.ts). Each compares the beginning of a run with its end: the policy
 * on held-out tasks at the evaluation temperature, the reward model on fixed trajectories or programs. What does not learn is a
 * flat line there, so a frozen model passes none of the checks about it.
 */
import type { Settings } from '../../../method/settings.ts'
import type { RunView, Series } from '../../../runs/fold.ts'
import { counted, percent, signed } from '../../kit/format.ts'
import {
  FEWEST_EVALUATIONS,
  finished,
  isMeanAbove,
  isShareAbove,
  missing,
  notLearned,
  seen,
  share,
  updatesOf,
  type Tally,
} from './evidence.ts'
import type { Observation } from './lesson.ts'
import { addTo, FEWEST_STEPS, goodWhereOutcomesAreSilent } from './observations.ts'
import { mean } from '../../../results/moments.ts'

/** Up to the first, hardly a vote is flipped; from the second on many are. */
const FEW_FLIPS = 0.05
const MANY_FLIPS = 0.3
/** Standard errors: an iteration has hundreds of such steps, so a judge that helps passes easily, and chance hardly ever. */
const CLEARLY = 3

/**
 * Where all rollouts of a task end alike, votes tell good steps from bad ones, and flips take that away. Votes of a coin rank
 * nothing at any ε, so a smaller gap at a large one is not enough.
 */
export function flipsCost(view: RunView): Observation {
  const empty = () => ({ encouraged: { hits: 0, of: 0 }, discouraged: { hits: 0, of: 0 } })
  const [few, many] = [empty(), empty()]
  for (const { iteration, settings } of finished(view)) {
    const tallies = settings.voteFlips <= FEW_FLIPS ? few : settings.voteFlips >= MANY_FLIPS ? many : null
    if (tallies === null || settings.signal !== 'integrated') continue
    const silent = goodWhereOutcomesAreSilent(iteration, view, settings)
    if (silent === null) continue
    addTo(tallies.encouraged, silent.encouraged)
    addTo(tallies.discouraged, silent.discouraged)
  }
  const fewest = (tallies: typeof few) => Math.min(tallies.encouraged.of, tallies.discouraged.of)
  if (fewest(few) < FEWEST_STEPS || fewest(many) < FEWEST_STEPS)
    return missing(
      `Where rollouts ended alike, votes encouraged or discouraged at least ${fewest(few)} steps at ε ≤ ${FEW_FLIPS}, and ${fewest(many)} at ε ≥ ${MANY_FLIPS}. ${FEWEST_STEPS} of each are needed.`,
    )
  const gap = ({ encouraged, discouraged }: typeof few) => share(encouraged) - share(discouraged)
  const words = ({ encouraged, discouraged }: typeof few) =>
    `${percent(share(encouraged))} of the encouraged and ${percent(share(discouraged))} of the discouraged steps are good`
  return seen(
    isShareAbove(few.encouraged, few.discouraged, CLEARLY) && gap(many) <= gap(few) / 2,
    `Where rollouts ended alike: with few flips, ${words(few)}; with many, ${words(many)}.`,
  )
}

/** Solved held-out tasks of both splits together, for each evaluation at the evaluation temperature up to an iteration. */
function heldOut(view: RunView, last: number): Tally[] {
  const tallies = new Map<number, Tally & { splits: number }>()
  for (const { iteration, acc, episodes, serves } of view.evaluations) {
    if (serves === 'training' || iteration > last) continue
    const before = tallies.get(iteration) ?? { hits: 0, of: 0, splits: 0 }
    tallies.set(iteration, { hits: before.hits + acc * episodes, of: before.of + episodes, splits: before.splits + 1 })
  }
  return [...tallies.values()].filter(({ splits }) => splits === 2)
}

/** Settings that move votes, or how many of them are right, although nobody learns: flips draw the mean vote towards 0. */
const SETTINGS_OF_VOTES = [
  'signal',
  'voteFlips',
  'policyTemperature',
  'rewardTemperature',
  'maxSteps',
  'adaptEnvironment',
] as const satisfies (keyof Settings)[]

/** The last iteration whose votes came about as those of the first. */
function lastOfTheSameVotes({ started, settingsChanges }: RunView): number {
  const change = settingsChanges.find(({ patch }) =>
    SETTINGS_OF_VOTES.some((name) => patch[name] !== undefined && patch[name] !== started?.settings[name]),
  )
  return change === undefined ? Infinity : change.iteration - 1
}

const upTo = (last: number, { iterations, values }: Readonly<Series>) => values.filter((_, i) => iterations[i]! <= last)

const FEWEST_ITERATIONS = 9

/**
 * The policy learns which of its judge's mistakes pay: the mean vote rises, the judge is right less often about what the policy
 * does, and no more held-out tasks are solved. The judge is frozen, so neither has it become kinder nor worse. A policy that does
 * not learn, and votes that toss coins, leave all three as they are.
 */
export function judgePleased(view: RunView): Observation {
  const last = lastOfTheSameVotes(view)
  const scores = upTo(last, view.series('policy/step_score/mean'))
  const right = upTo(last, view.series('reward/process_acc'))
  const tallies = heldOut(view, last)
  const count = Math.min(scores.length, right.length)
  const updates = updatesOf(view, 'policyUpdate', last)
  if (updatesOf(view, 'rewardUpdate') > 0)
    return missing('The judge learned, so its votes may have changed by themselves.')
  if (count < FEWEST_ITERATIONS || tallies.length < FEWEST_EVALUATIONS || updates === 0) {
    const until =
      last === Infinity ? '' : ` Only iterations before ${last + 1} count: from then on, other settings move the votes.`
    return missing(
      `${counted(count, 'iteration')} of ${FEWEST_ITERATIONS} with votes, ${counted(tallies.length, 'evaluation')} of ${FEWEST_EVALUATIONS}, ${counted(updates, 'update')} of the policy.${until}`,
    )
  }
  const [before, after] = [tallies[0]!, tallies.at(-1)!]
  const [scoreThen, scoreNow] = ends(scores)
  const [rightThen, rightNow] = ends(right)
  return seen(
    isMeanAbove(scoreNow, scoreThen) && isMeanAbove(rightThen, rightNow) && share(after) <= share(before),
    `Mean vote: ${signed(mean(scoreThen))} at first, ${signed(mean(scoreNow))} now. Right votes: ${percent(mean(rightThen))} at first, ${percent(mean(rightNow))} now. Held-out tasks solved: ${percent(share(before), 1)} at first, ${percent(share(after), 1)} now.`,
  )
}

/** The first and the last third. */
function ends(values: readonly number[]): [first: number[], last: number[]] {
  const third = Math.floor(values.length / 3)
  return [values.slice(0, third), values.slice(-third)]
}

const STRICTER = 0.1

/** The judge comes to blame good steps, and does not merely get worse at everything. */
export function judgeTurnsStrict(view: RunView): Observation {
  const [good, bad] = (['good', 'bad'] as const).map((side) => view.series(`judge/${side}_acc`).values)
  const lacking = notLearned(view, Math.min(good!.length, bad!.length))
  if (lacking) return lacking
  const lost = (values: readonly number[]) => values[0]! - values.at(-1)!
  const words = (values: readonly number[]) => `${percent(values[0])} at first, ${percent(values.at(-1))} now`
  return seen(
    lost(good!) >= STRICTER && lost(good!) - lost(bad!) >= STRICTER,
    `On fixed trajectories, +1 for good steps: ${words(good!)}. −1 for bad steps: ${words(bad!)}.`,
  )
}

const FEWER_TRUE = 0.1

/** The writer's tests come to be false, on fixed problems with fixed programs. */
export function testsBecomeFalse(view: RunView): Observation {
  const { values } = view.series('judge/ut')
  const lacking = notLearned(view, values.length)
  if (lacking) return lacking
  const [first, last] = [values[0]!, values.at(-1)!]
  return seen(
    first - last >= FEWER_TRUE,
    `Tests for fixed problems that every right program passes: ${percent(first)} at first, ${percent(last)} now.`,
  )
}
