/**
 * What lessons about the reward model look for in a run. Consistency feedback is arithmetic on votes that happens whether or not
 * the reward model learns from it, so these observations are about what it learned: on fixed trajectories, where a frozen one
 * is a flat line, or in iterations in which it was updated.
 */
import type { RunView } from '../../../runs/fold.ts'
import { batchOf } from '../../../runs/batch.ts'
import { counted, percent, signed } from '../../kit/format.ts'
import { countedOnce, finished, isMeanAbove, isMostly, missing, notLearned, seen } from './evidence.ts'
import type { Observation } from './lesson.ts'
import { mean } from '../../../results/moments.ts'

const ends = (values: readonly number[]) => [values[0]!, values.at(-1)!] as const

const KINDER = 0.1

/**
 * The judge approves more: of the good steps, and of the bad ones that the world accepted. It still rejects refused commands, which
 * are most bad steps, so balanced accuracy may rise meanwhile (docs/evaluation.md).
 */
export function judgeTurnsKinder(view: RunView): Observation {
  const [good, bad, balanced] = ['good', 'accepted_bad', 'balanced'].map(
    (kind) => view.series(`judge/${kind}_acc`).values,
  )
  const lacking = notLearned(view, Math.min(good!.length, bad!.length))
  if (lacking) return lacking
  const [goodFirst, goodLast] = ends(good!)
  const [badFirst, badLast] = ends(bad!)
  const words = (first: number, last: number) => `${percent(first, 1)} at first, ${percent(last, 1)} now`
  return seen(
    goodLast >= goodFirst + KINDER && badLast <= badFirst - KINDER,
    `On fixed trajectories, right votes on good steps: ${words(goodFirst, goodLast)}; on bad steps that the world accepted: ${words(badFirst, badLast)}. The mean of these two: ${words((goodFirst + badFirst) / 2, (goodLast + badLast) / 2)}. Balanced, over all steps: ${words(...ends(balanced!))}.`,
  )
}

const FEWEST_PAIRS = 8

/**
 * What an iteration teaches the judge leans to the outcome that dominates it: more +1 after easy tasks, more −1 after hard ones.
 * Compares successive iterations, because a judge also drifts in one direction for a while.
 */
export function difficultyTilts(view: RunView): Observation {
  const good = view.series('judge/good_acc')
  const bad = view.series('judge/bad_acc')
  const tilt = new Map(good.iterations.map((iteration, i) => [iteration, good.values[i]! - bad.values[i]!]))
  const moves = finished(view).flatMap(({ iteration: { iteration, rewardUpdate, theory } }) => {
    const [before, after] = [tilt.get(iteration - 1), tilt.get(iteration)]
    return rewardUpdate && theory && before !== undefined && after !== undefined
      ? [{ iteration, successShare: theory.successShare, move: after - before }]
      : []
  })
  const agreements = moves.flatMap((now, i) => {
    const last = moves[i - 1]
    if (last?.iteration !== now.iteration - 1) return []
    const sign = Math.sign((now.successShare - last.successShare) * (now.move - last.move))
    return sign === 0 ? [] : [sign > 0]
  })
  const agreed = agreements.filter(Boolean).length
  if (agreements.length < FEWEST_PAIRS)
    return missing(
      `${counted(agreements.length, 'change')} of difficulty with evaluations of the reward model around it. ${FEWEST_PAIRS} are needed.`,
    )
  return seen(
    isMostly(agreed, agreements.length),
    `In ${agreed} of ${agreements.length} successive iterations, the judge moved further towards +1 where a rose, or towards −1 where it fell.`,
  )
}

const FEWEST_WRONG = 10

const unanimousSteps = countedOnce((iteration, view, settings) => {
  const count = { silent: 0, wrong: 0, trained: 0, wouldTrain: 0 }
  for (const group of batchOf(view, iteration)) {
    if (group.kind !== 'steps' || group.isRejected) continue
    const accuracy = mean(group.outcomes.map((outcome) => (outcome === 1 ? 1 : 0)))
    if (accuracy < settings.rewardAccuracyLow || accuracy > settings.rewardAccuracyHigh) continue
    const other = group.derive({ ...settings, profile: 'paper', rewardGrouping: 'step' })
    count.wouldTrain += other.reward.flat(2).filter((value) => value !== null).length
    group.episodes.forEach(({ episode, rewardAdvantages }, trajectory) => {
      group.scores[trajectory]!.forEach((votes, step) => {
        const values = rewardAdvantages?.[step] ?? []
        count.trained += values.filter((value) => value !== null).length
        const isUnanimous = votes.length > 1 && votes[0] !== 0 && votes.every((vote) => vote === votes[0])
        if (!isUnanimous || !values.every((value) => value === null)) return
        count.silent++
        if (votes[0] !== episode.steps[step]?.trueLabel) count.wrong++
      })
    })
  }
  return count
})

/** Unanimous votes that are wrong, and that an update leaves as they are. */
export function silentErrors(view: RunView): Observation {
  const counts = finished(view).flatMap(({ iteration, settings }) =>
    iteration.rewardUpdate ? (unanimousSteps(iteration, view, settings) ?? []) : [],
  )
  const sum = (of: 'silent' | 'wrong' | 'trained' | 'wouldTrain') =>
    counts.reduce((total, count) => total + count[of], 0)
  const [silent, wrong] = [sum('silent'), sum('wrong')]
  if (silent < 2 * FEWEST_WRONG)
    return missing(`${counted(silent, 'unanimous step')} trained nothing in an update. ${2 * FEWEST_WRONG} are needed.`)
  return seen(
    wrong >= FEWEST_WRONG && 10 * wrong >= silent,
    `${wrong} of ${silent} steps with unanimous votes are judged wrongly, and the update left them. It trained ${sum('trained')} votes; our comparison would have trained ${sum('wouldTrain')}.`,
  )
}

const worthOfTests = countedOnce(({ writtenTests }) => {
  const worth = { true: [] as number[], false: [] as number[] }
  for (const { written, advantages } of writtenTests) {
    written.tests.forEach(({ isTrue }, test) => {
      const value = advantages?.[test]
      if (isTrue !== null && value !== null && value !== undefined) worth[isTrue ? 'true' : 'false'].push(value)
    })
  }
  return worth
})

/** False tests earn less than true ones where their writer learns from it. */
export function liesAreCostly(view: RunView): Observation {
  const counts = finished(view).flatMap(({ iteration, settings }) =>
    iteration.rewardUpdate ? (worthOfTests(iteration, view, settings) ?? []) : [],
  )
  const lies = counts.flatMap((count) => count.false)
  const truths = counts.flatMap((count) => count.true)
  if (lies.length < 5 || truths.length < 5)
    return missing(
      `The reward model learned from ${counted(lies.length, 'false test')} and ${truths.length} true ones. Five of each are needed.`,
    )
  return seen(
    isMeanAbove(truths, lies),
    `Mean advantage: ${signed(mean(lies))} for ${lies.length} false tests, ${signed(mean(truths))} for ${truths.length} true ones.`,
  )
}
