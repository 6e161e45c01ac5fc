/** What lessons look for in a run: predicates over its events, each with its numbers as evidence. */
import { decideRewrite } from '../../../method/adaptation.ts'
import type { IterationView, RunView } from '../../../runs/fold.ts'
import { heldOutMetric } from '../../../runs/held-out.ts'
import type { Settings } from '../../../method/settings.ts'
import { expectedAgreement } from '../../../method/theory.ts'
import { batchOf } from '../../run/batch.ts'
import { counted, decimal, percent, signed } from '../../kit/format.ts'
import type { Observation } from './lesson.ts'
import { settingsOf } from '../../run/trajectories.ts'

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const seen = (isMade: boolean, evidence: string): Observation => ({ isMade, evidence })
const missing = (evidence: string): Observation => ({ isMade: false, evidence })

/** Finished iterations with the settings that each ran with. */
function finished(view: RunView): { iteration: IterationView; settings: Settings }[] {
  return view.iterations.flatMap((iteration) => {
    const settings = iteration.isFinished ? settingsOf(view, iteration.iteration) : null
    return settings ? [{ iteration, settings }] : []
  })
}

export function sparserOutcome(view: RunView): Observation {
  const shares = (signal: Settings['signal']) =>
    finished(view).flatMap(({ iteration, settings }) => {
      const share = iteration.metrics['policy/frac_reward_zero_std']
      return settings.signal === signal && share !== undefined ? [share] : []
    })
  const outcome = shares('outcome')
  const integrated = shares('integrated')
  if (outcome.length < 2 || integrated.length < 2)
    return missing(
      `${counted(outcome.length, 'iteration')} with the outcome alone, ${integrated.length} with votes. Two of each are needed.`,
    )
  return seen(
    mean(integrated) < mean(outcome),
    `Sets without spread: ${percent(mean(outcome))} with the outcome alone, ${percent(mean(integrated))} with votes.`,
  )
}

/** Up to the first, votes hardly outweigh the outcome; from the second on they do. */
const SMALL_LAMBDA = 0.5
const LARGE_LAMBDA = 4

export function lambdaRewardsFailure(view: RunView): Observation {
  const tally = { small: { encouraged: 0, trained: 0 }, large: { encouraged: 0, trained: 0 } }
  for (const { iteration, settings } of finished(view)) {
    const side = settings.lambda <= SMALL_LAMBDA ? tally.small : settings.lambda >= LARGE_LAMBDA ? tally.large : null
    if (side === null || settings.signal !== 'integrated') continue
    for (const { episode, policyAdvantages } of iteration.episodes) {
      if (episode.outcome === 1) continue
      for (const advantage of policyAdvantages ?? []) {
        if (advantage === null) continue
        side.trained++
        if (advantage > 0) side.encouraged++
      }
    }
  }
  const { small, large } = tally
  if (small.trained === 0 || large.trained === 0)
    return missing(
      `${counted(small.trained, 'step')} of failed trajectories trained at λ ≤ ${SMALL_LAMBDA}, ${large.trained} at λ ≥ ${LARGE_LAMBDA}. Some of each are needed.`,
    )
  const shares = [small, large].map(({ encouraged, trained }) => encouraged / trained)
  return seen(
    shares[1]! >= shares[0]! + 0.1,
    `Encouraged steps of failed trajectories: ${percent(shares[0])} at small λ, ${percent(shares[1])} at large λ.`,
  )
}

export function consistencyPays(view: RunView): Observation {
  const { values } = view.series('reward/process_acc')
  if (values.length < 10) return missing(`${counted(values.length, 'judged iteration')} of ten.`)
  const first = mean(values.slice(0, 3))
  const last = mean(values.slice(-3))
  return seen(
    last >= first + 0.02,
    `Process accuracy was ${percent(first, 1)} at first and is ${percent(last, 1)} now.`,
  )
}

export function collapseTaught(view: RunView): Observation {
  const advantages = { plus: [] as number[], minus: [] as number[] }
  for (const { iteration } of finished(view)) {
    const solved = new Set(
      iteration.episodes.filter(({ episode }) => episode.outcome === 1).map(({ episode }) => episode.taskId),
    )
    for (const { episode, votes, rewardAdvantages } of iteration.episodes) {
      if (solved.has(episode.taskId)) continue
      votes?.forEach((evaluations, step) => {
        evaluations.forEach(({ score }, j) => {
          const advantage = rewardAdvantages?.[step]?.[j]
          if (score !== 0 && advantage !== null && advantage !== undefined)
            advantages[score === 1 ? 'plus' : 'minus'].push(advantage)
        })
      })
    }
  }
  const { plus, minus } = advantages
  const count = plus.length + minus.length
  if (count < 50 || plus.length === 0 || minus.length === 0)
    return missing(
      `${counted(count, 'trained vote')} on tasks with no solved rollout, ${plus.length} of them +1. At least 50, of both signs, are needed.`,
    )
  return seen(
    mean(minus) > 0 && mean(plus) < 0,
    `Where no rollout succeeded, the mean advantage of −1 is ${signed(mean(minus))} and of +1 is ${signed(mean(plus))}, over ${count} votes.`,
  )
}

export function lopsidedTeaching(view: RunView): Observation {
  const gaps = { balanced: [] as number[], lopsided: [] as number[] }
  for (const { iteration } of finished(view)) {
    if (!iteration.theory) continue
    const { pPlus, pMinus, mu, successShare } = iteration.theory
    if (pPlus === null || pMinus === null || mu === null) continue
    const gap = Math.abs(expectedAgreement(successShare, pPlus, pMinus) - (mu - 1))
    if (successShare < 0.3 || successShare > 0.7) gaps.lopsided.push(gap)
    else if (successShare >= 0.4 && successShare <= 0.6) gaps.balanced.push(gap)
  }
  const { balanced, lopsided } = gaps
  if (balanced.length === 0 || lopsided.length === 0)
    return missing(
      `${counted(balanced.length, 'balanced iteration')} and ${lopsided.length} lopsided. One of each is needed.`,
    )
  return seen(
    mean(lopsided) > mean(balanced),
    `Mean distance of E[O·S] from μ − 1: ${decimal(mean(balanced), 3)} where balanced, ${decimal(mean(lopsided), 3)} where lopsided.`,
  )
}

export function fragileAcceptance(view: RunView): Observation {
  let measured = 0
  let fragile = 0
  for (const { resolution, iteration } of view.rewrites.values()) {
    if (!resolution) continue
    const settings = settingsOf(view, iteration + 1)
    const played = view.tasks.get(resolution.candidateId)?.history[0]?.played
    if (!settings || played === undefined) continue
    measured++
    const verdict = (accuracy: number) =>
      decideRewrite(resolution.direction, resolution.accuracyBefore, accuracy, settings).accepted
    const others = [-1, 1]
      .map((by) => resolution.accuracyAfter + by / played)
      .filter((acc) => acc > -1e-9 && acc < 1 + 1e-9)
    if (others.some((accuracy) => verdict(accuracy) !== resolution.accepted)) fragile++
  }
  if (measured < 4) return missing(`${counted(measured, 'measured rewrite')} of four.`)
  return seen(2 * fragile >= measured, `${fragile} of ${measured} verdicts depend on a single rollout.`)
}

export function componentsAlone(view: RunView): Observation {
  const iterations = finished(view)
  const policy = iterations.find(({ iteration }) => iteration.policyUpdate && !iteration.rewardUpdate)
  const reward = iterations.find(({ iteration }) => iteration.rewardUpdate && !iteration.policyUpdate)
  const at = (found: typeof policy) => (found ? `in iteration ${found.iteration.iteration}` : 'not yet')
  return seen(Boolean(policy && reward), `Only the policy: ${at(policy)}. Only the reward model: ${at(reward)}.`)
}

export function heldOutGap(view: RunView): Observation {
  const measured = (metric: string) => view.series(heldOutMetric(metric, (name) => view.series(name).values.length > 0))
  const inside = measured('eval/id/acc').values
  const outside = measured('eval/ood/acc').values
  const count = Math.min(inside.length, outside.length)
  if (count < 3) return missing(`${counted(count, 'evaluation')} of three.`)
  return seen(
    mean(outside) < mean(inside),
    `Over ${counted(count, 'evaluation')}: ${percent(mean(inside), 1)} in distribution, ${percent(mean(outside), 1)} out of distribution.`,
  )
}

export function silentUnanimity(view: RunView): Observation {
  let silent = 0
  let trained = 0
  let wouldTrain = 0
  for (const { iteration, settings } of finished(view)) {
    for (const group of batchOf(view, iteration)) {
      if (group.kind !== 'steps' || group.isRejected) continue
      const accuracy = mean(group.outcomes.map((outcome) => (outcome === 1 ? 1 : 0)))
      if (accuracy < settings.rewardAccuracyLow || accuracy > settings.rewardAccuracyHigh) continue
      const other = group.derive({ ...settings, profile: 'paper', rewardGrouping: 'step' })
      wouldTrain += other.reward.flat(2).filter((value) => value !== null).length
      group.episodes.forEach(({ rewardAdvantages }, trajectory) => {
        group.scores[trajectory]!.forEach((votes, step) => {
          const values = rewardAdvantages?.[step] ?? []
          trained += values.filter((value) => value !== null).length
          const isUnanimous = votes.length > 1 && votes[0] !== 0 && votes.every((vote) => vote === votes[0])
          if (isUnanimous && values.every((value) => value === null)) silent++
        })
      })
    }
  }
  if (silent < 20) return missing(`${counted(silent, 'unanimous step')} trained nothing. Twenty are needed.`)
  return seen(
    wouldTrain > trained,
    `${silent} unanimous steps trained nothing. ${trained} votes were trained; the paper’s comparison would have trained ${wouldTrain}.`,
  )
}

export function liesAreCostly(view: RunView): Observation {
  const advantages = { true: [] as number[], false: [] as number[] }
  for (const { iteration } of finished(view)) {
    for (const { written, advantages: values } of iteration.writtenTests) {
      written.tests.forEach(({ isTrue }, test) => {
        const value = values?.[test]
        if (isTrue !== null && value !== null && value !== undefined) advantages[isTrue ? 'true' : 'false'].push(value)
      })
    }
  }
  const lies = advantages.false
  if (lies.length < 5 || advantages.true.length < 5)
    return missing(
      `${counted(lies.length, 'false test')} and ${advantages.true.length} true ones have an advantage. Five of each are needed.`,
    )
  return seen(
    mean(lies) < mean(advantages.true),
    `Mean advantage: ${signed(mean(lies))} for ${lies.length} false tests, ${signed(mean(advantages.true))} for ${advantages.true.length} true ones.`,
  )
}
