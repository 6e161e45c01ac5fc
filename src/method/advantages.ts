/**
 * What both ways of asking the reward model share of a group's advantages. The policy's, for trajectories τ of one task:
 *
 *     A_i^τ = (R_i^τ - mean) / std      over the trajectories that reached step i
 *
 * std is the population's; a group without spread gives no signal (RLAnything, "standardizing rewards across
 * trajectories at the same step index"; alfworld_rl_reward.py:31-51).
 *
 * A trajectory that alone reached a step index has nothing to be compared with. The released code trains on its raw R
 * (`singleSurvivor` raw, :39-40); the formula gives 0 (`zero`).
 */
import type { AdvantagesAssigned, TestAdvantagesAssigned } from './events.ts'
import type { Outcome, Score } from './ports.ts'
import type { Settings } from './settings.ts'

/** Spread below which a group counts as constant (alfworld_rl_reward.py:31-51). */
export const SMALLEST_STD = 1e-8

export interface ScoredTrajectory {
  outcome: Outcome
  /** scores[step][evaluation]; empty for a step without scores. */
  scores: readonly (readonly Score[])[]
}

export type AdvantageSettings = Pick<
  Settings,
  | 'profile'
  | 'signal'
  | 'lambda'
  | 'singleSurvivor'
  | 'rewardGrouping'
  | 'rewardBalance'
  | 'normAdvByStd'
  | 'policyAccuracyLow'
  | 'policyAccuracyHigh'
  | 'rewardAccuracyLow'
  | 'rewardAccuracyHigh'
>

export interface GroupAdvantages {
  /** Share of successful trajectories. */
  accuracy: number
  /** feedback[trajectory][step] = R_i */
  feedback: number[][]
  /** policy[trajectory][step]; null if the step does not train. */
  policy: (number | null)[][]
  /** reward[trajectory][step][evaluation]; null if the evaluation does not train. */
  reward: (number | null)[][][]
  /** Those of written tests; null without any, or if their worth is unknown. */
  tests: TestAdvantages | null
  /** False where the filter on accuracy drops the group, so that nothing of it trains the policy. */
  trainsPolicy: boolean
  /** Sets of at least two values over which the policy's feedback was standardised, and how many teach it nothing. */
  policySets: number
  /** Those whose feedback is constant; all of them where the group does not train. */
  constantPolicySets: number
}

/** One entry for each test of the task. */
export interface TestAdvantages {
  feedback: number[]
  /** Null if the test does not train. */
  reward: (number | null)[]
}

/** Mean 0 and, with `byStd`, population standard deviation 1; all 0 if the values do not differ. */
export function standardise(values: readonly number[], byStd: boolean): number[] {
  if (values.length === 0) return []
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const deviations = values.map((value) => value - mean)
  const std = Math.sqrt(deviations.reduce((sum, deviation) => sum + deviation * deviation, 0) / values.length)
  if (!(std > SMALLEST_STD)) return values.map(() => 0)
  return byStd ? deviations.map((deviation) => deviation / std) : deviations
}

export function accuracyOf(outcomes: readonly Outcome[]): number {
  if (outcomes.length === 0) return 0
  return outcomes.filter((outcome) => outcome === 1).length / outcomes.length
}

/** Whether a task of this accuracy passes the filters of the two roles, edges included. */
export function trainsAt(
  accuracy: number,
  settings: AdvantageSettings,
): { trainsPolicy: boolean; trainsReward: boolean } {
  return {
    trainsPolicy: accuracy >= settings.policyAccuracyLow && accuracy <= settings.policyAccuracyHigh,
    trainsReward: accuracy >= settings.rewardAccuracyLow && accuracy <= settings.rewardAccuracyHigh,
  }
}

/**
 * Standardises the feedback of all trajectories of one task at every step index. `keep` maps an advantage; null excludes the
 * step from training.
 */
export function policyAdvantages(
  feedback: readonly (readonly number[])[],
  isTrained: boolean,
  settings: Pick<AdvantageSettings, 'singleSurvivor' | 'normAdvByStd'>,
  keep: (advantage: number) => number | null = nonZero,
): Pick<GroupAdvantages, 'policy' | 'trainsPolicy' | 'policySets' | 'constantPolicySets'> {
  const sets = groupBy(
    feedback.flatMap((steps, trajectory) => steps.map((value, step) => ({ key: step, value, trajectory, step }))),
  )
  const policy = feedback.map((steps) => steps.map((): number | null => null))
  let constantPolicySets = 0
  for (const set of sets) {
    const isAlone = set.length === 1
    const advantages =
      isAlone && settings.singleSurvivor === 'raw'
        ? set.map((entry) => entry.value)
        : standardise(
            set.map((entry) => entry.value),
            settings.normAdvByStd,
          )
    if (!isAlone && advantages.every((advantage) => advantage === 0)) constantPolicySets++
    if (!isTrained) continue
    set.forEach(({ trajectory, step }, index) => {
      policy[trajectory]![step] = keep(advantages[index]!)
    })
  }
  const policySets = sets.filter((set) => set.length > 1).length
  return {
    policy,
    trainsPolicy: isTrained,
    policySets,
    constantPolicySets: isTrained ? constantPolicySets : policySets,
  }
}

/** An advantage of exactly 0 has no gradient, so it does not train (alfworld_rl_reward.py:296). */
export function nonZero(advantage: number): number | null {
  return advantage === 0 ? null : advantage
}

/** The same group when nothing of it trains, as for a rejected candidate. */
export function untrained(advantages: GroupAdvantages): GroupAdvantages {
  return {
    ...advantages,
    policy: advantages.policy.map((steps) => steps.map(() => null)),
    reward: advantages.reward.map((steps) => steps.map((evaluations) => evaluations.map(() => null))),
    tests: advantages.tests && { ...advantages.tests, reward: advantages.tests.reward.map(() => null) },
  }
}

/** The group's advantages as the log has them: one event for each episode, and one for the task's tests. */
export function advantageEvents(
  taskId: string,
  episodeIds: readonly string[],
  { feedback, policy, reward, tests }: GroupAdvantages,
): (AdvantagesAssigned | TestAdvantagesAssigned)[] {
  return [
    ...episodeIds.map((episodeId, index) => ({
      type: 'advantages' as const,
      episodeId,
      feedback: feedback[index]!,
      policy: policy[index]!,
      reward: reward[index]!,
    })),
    ...(tests ? [{ type: 'test-advantages' as const, taskId, ...tests }] : []),
  ]
}

/** Entries with equal keys, in the order in which the keys first appear. */
export function groupBy<Entry extends { key: number | string }>(entries: readonly Entry[]): Entry[][] {
  const groups = new Map<number | string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.key)
    if (group) group.push(entry)
    else groups.set(entry.key, [entry])
  }
  return [...groups.values()]
}
