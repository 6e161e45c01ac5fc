/**
 * What lessons about the policy and its tasks look for in a run: predicates over its events, each with its numbers as evidence.
 * Each can fail: none follows from the arithmetic alone, and where it depends on votes, a judge that tosses coins (or, for
 * reward hacking, one that is never wrong) does not pass. Those about the reward model are in judge-observations.ts.
 */
import type { RunView } from '../../../runs/fold.ts'
import { batchOf } from '../../../runs/batch.ts'
import { counted, percent } from '../../kit/format.ts'
import { countedOnce, finished, isShareAbove, missing, seen, share, type Tally } from './evidence.ts'
import type { Observation } from './lesson.ts'
import { mean } from '../../../results/moments.ts'

export const FEWEST_STEPS = 30

/**
 * Votes rank steps that outcomes cannot: in sets of compared steps whose rollouts all ended alike, those that votes encourage
 * are good more often than those that they discourage. Random votes tell such steps apart as well, but not rightly.
 */
export function votesRank(view: RunView): Observation {
  const shares = { outcome: [] as number[], integrated: [] as number[] }
  const encouraged: Tally = { hits: 0, of: 0 }
  const discouraged: Tally = { hits: 0, of: 0 }
  for (const { iteration, settings } of finished(view)) {
    const without = iteration.metrics['policy/frac_reward_zero_std']
    if (without !== undefined && settings.signal !== 'step') shares[settings.signal].push(without)
    if (settings.signal !== 'integrated') continue
    const silent = goodWhereOutcomesAreSilent(iteration, view, settings)
    if (silent === null) continue
    addTo(encouraged, silent.encouraged)
    addTo(discouraged, silent.discouraged)
  }
  const { outcome, integrated } = shares
  if (outcome.length < 2 || integrated.length < 2)
    return missing(
      `${counted(outcome.length, 'iteration')} with the outcome alone, ${integrated.length} with votes. Two of each are needed.`,
    )
  const untold = `Sets without spread: ${percent(mean(outcome))} with the outcome alone, ${percent(mean(integrated))} with votes.`
  if (encouraged.of < FEWEST_STEPS || discouraged.of < FEWEST_STEPS)
    return missing(
      `${untold} Where rollouts ended alike, votes encouraged ${counted(encouraged.of, 'step')} and discouraged ${discouraged.of}; ${FEWEST_STEPS} of each are needed.`,
    )
  return seen(
    isShareAbove(encouraged, discouraged),
    `${untold} Where rollouts ended alike, ${percent(share(encouraged))} of the steps that votes encourage are good, and ${percent(share(discouraged))} of those that they discourage.`,
  )
}

/** Good steps among those that votes encourage, and among those that they discourage, in sets whose rollouts all ended alike. */
export const goodWhereOutcomesAreSilent = countedOnce((iteration, view) => {
  const tallies = { encouraged: { hits: 0, of: 0 }, discouraged: { hits: 0, of: 0 } }
  for (const group of batchOf(view, iteration)) {
    const longest = Math.max(...group.episodes.map(({ episode }) => episode.steps.length))
    for (let step = 0; step < longest; step++) {
      const set = group.episodes.filter(({ episode }) => step < episode.steps.length)
      if (new Set(set.map(({ episode }) => episode.outcome)).size > 1) continue
      for (const { episode, policyAdvantages } of set) {
        const advantage = policyAdvantages?.[step] ?? null
        const label = episode.steps[step]!.trueLabel
        if (advantage === null || label === null) continue
        addTo(tallies[advantage > 0 ? 'encouraged' : 'discouraged'], { hits: label === 1 ? 1 : 0, of: 1 })
      }
    }
  }
  return tallies
})

export function addTo(sum: Tally, { hits, of }: Tally): void {
  sum.hits += hits
  sum.of += of
}

/** Up to the first, votes hardly outweigh the outcome; from the second on they do. */
const SMALL_LAMBDA = 0.5
const LARGE_LAMBDA = 4
const FEWEST_BAD_STEPS = 20

/** At large λ the judge's mistakes train the policy: bad steps of failed rollouts are encouraged. A perfect judge makes none. */
export function mistakesEncouraged(view: RunView): Observation {
  const small: Tally = { hits: 0, of: 0 }
  const large: Tally = { hits: 0, of: 0 }
  for (const { iteration, settings } of finished(view)) {
    const tally = settings.lambda <= SMALL_LAMBDA ? small : settings.lambda >= LARGE_LAMBDA ? large : null
    if (tally === null || settings.signal !== 'integrated') continue
    addTo(tally, encouragedBadSteps(iteration, view, settings) ?? { hits: 0, of: 0 })
  }
  if (small.of < FEWEST_BAD_STEPS || large.of < FEWEST_BAD_STEPS)
    return missing(
      `${counted(small.of, 'bad step')} of failed rollouts trained at λ ≤ ${SMALL_LAMBDA}, ${large.of} at λ ≥ ${LARGE_LAMBDA}. ${FEWEST_BAD_STEPS} of each are needed.`,
    )
  return seen(
    share(large) >= share(small) + 0.1,
    `Encouraged among the bad steps of failed rollouts: ${percent(share(small))} at small λ, ${percent(share(large))} at large λ.`,
  )
}

/** Among the bad steps of failed rollouts. */
const encouragedBadSteps = countedOnce(({ episodes }) => {
  const tally: Tally = { hits: 0, of: 0 }
  for (const { episode, policyAdvantages } of episodes) {
    if (episode.outcome === 1) continue
    policyAdvantages?.forEach((advantage, step) => {
      if (advantage === null || episode.steps[step]?.trueLabel !== -1) return
      addTo(tally, { hits: advantage > 0 ? 1 : 0, of: 1 })
    })
  }
  return tally
})

const FEWEST_REWRITES = 8

/** Rewrites that change nothing are accepted by chance alone. A reliable measurement would accept none. */
export function chanceAccepts(view: RunView): Observation {
  const resolved = [...view.rewrites.values()].flatMap(({ resolution }) => resolution ?? [])
  const accepted = resolved.filter(({ accepted: isAccepted }) => isAccepted).length
  if (resolved.length < FEWEST_REWRITES)
    return missing(`${counted(resolved.length, 'measured rewrite')} of ${FEWEST_REWRITES}.`)
  return seen(
    5 * accepted >= resolved.length,
    `${accepted} of ${resolved.length} rewrites that change nothing were accepted.`,
  )
}

export function componentsAlone(view: RunView): Observation {
  const iterations = finished(view)
  const policy = iterations.find(({ iteration }) => iteration.policyUpdate && !iteration.rewardUpdate)
  const reward = iterations.find(({ iteration }) => iteration.rewardUpdate && !iteration.policyUpdate)
  const at = (found: typeof policy) => (found ? `in iteration ${found.iteration.iteration}` : 'not yet')
  return seen(Boolean(policy && reward), `Only the policy: ${at(policy)}. Only the reward model: ${at(reward)}.`)
}

/** Accuracy on tasks unlike those trained on rises beyond chance, at the evaluation temperature. A frozen policy stays as it was. */
export function carriesOver(view: RunView): Observation {
  const of = (split: 'id' | 'ood') =>
    view.evaluations
      .filter((evaluation) => evaluation.split === split && evaluation.serves !== 'training')
      .map(({ acc, episodes }): Tally => ({ hits: acc * episodes, of: episodes }))
  const [inside, outside] = [of('id'), of('ood')]
  const count = Math.min(inside.length, outside.length)
  if (count < 3) return missing(`${counted(count, 'evaluation')} of three.`)
  const [first, last] = [outside[0]!, outside.at(-1)!]
  const words = (tallies: Tally[]) =>
    `${percent(share(tallies[0]!), 1)} at first, ${percent(share(tallies.at(-1)!), 1)} now`
  return seen(isShareAbove(last, first), `Out of distribution: ${words(outside)}. In distribution: ${words(inside)}.`)
}
