/**
 * Advantages of one task's group of trajectories:
 *
 *     A_i^τ    = (R_i^τ - mean) / std      over the trajectories τ of the task that reached step i
 *     A_ij^τ   = (R_S_ij^τ - mean) / std   over the evaluations that `rewardGrouping` puts together
 *
 * std is the population's; a group without spread gives no signal (RLAnything, "standardizing rewards across
 * trajectories at the same step index"; alfworld_rl_reward.py:31-51).
 *
 * `rewardGrouping` says which evaluations are compared. `vote`: the m of one step, as released (:333-339); R is then a
 * common factor, so only its sign survives and unanimous steps teach nothing. `step`: all evaluations of the task at
 * one step index, the set that the paper names for the policy, and our default. `task`: all evaluations of the task.
 *
 * A trajectory that alone reached a step index has nothing to be compared with. The released code trains on its raw R
 * (`singleSurvivor` raw, :39-40); the formula gives 0 (`zero`).
 */
import { consistencyFeedback, integratedFeedback } from './feedback.ts'
import type { Outcome, Score } from './ports.ts'
import type { Settings } from './settings.ts'

/** Spread below which a group counts as constant (alfworld_rl_reward.py:31-51). */
export const SMALLEST_STD = 1e-8

export interface ScoredTrajectory {
  outcome: Outcome
  /** scores[step][evaluation]; an empty inner list for a step that nobody judged. */
  scores: readonly (readonly Score[])[]
}

export type AdvantageSettings = Pick<
  Settings,
  | 'profile'
  | 'signal'
  | 'lambda'
  | 'singleSurvivor'
  | 'rewardGrouping'
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
  /** policy[trajectory][step]; null where the step does not train. */
  policy: (number | null)[][]
  /** reward[trajectory][step][evaluation]; null where the evaluation does not train. */
  reward: (number | null)[][][]
  /** Of the tests that the reward model wrote; null where it wrote none, or where nothing tells what they are worth. */
  tests: TestAdvantages | null
  /** Sets of at least two that the policy's feedback was standardised over, and how many of them were constant. */
  policySets: number
  constantPolicySets: number
}

/** One entry for each test of the task. */
export interface TestAdvantages {
  feedback: number[]
  /** Null where the test does not train. */
  reward: (number | null)[]
}

/** Mean 0 and, with `byStd`, population standard deviation 1; all 0 where the values do not differ. */
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

/** Whether a task of this accuracy is let through by the filters of the two roles, edges included. */
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
 * The feedback of all trajectories of one task, standardised at every step index. `keep` says what becomes of an advantage;
 * null keeps the step from training.
 */
export function policyAdvantages(
  feedback: readonly (readonly number[])[],
  isTrained: boolean,
  settings: Pick<AdvantageSettings, 'singleSurvivor' | 'normAdvByStd'>,
  keep: (advantage: number) => number | null = nonZero,
): Pick<GroupAdvantages, 'policy' | 'policySets' | 'constantPolicySets'> {
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
  return { policy, policySets: sets.filter((set) => set.length > 1).length, constantPolicySets }
}

/** Advantages of all trajectories of one task whose steps were judged. Pure: nothing outside the group is looked at. */
export function groupAdvantages(group: readonly ScoredTrajectory[], settings: AdvantageSettings): GroupAdvantages {
  const accuracy = accuracyOf(group.map((trajectory) => trajectory.outcome))
  const { trainsPolicy, trainsReward } = trainsAt(accuracy, settings)
  const feedback = group.map(({ outcome, scores }) => scores.map((step) => integratedFeedback(outcome, step, settings)))

  const reward = group.map(({ scores }) => scores.map((step) => step.map((): number | null => null)))
  if (trainsReward) {
    const evaluations = group.flatMap(({ outcome, scores }, trajectory) =>
      scores.flatMap((votes, step) =>
        consistencyFeedback(outcome, votes, settings).map((value, evaluation) => ({
          key: rewardSetKey(settings.rewardGrouping, trajectory, step),
          value,
          trajectory,
          step,
          evaluation,
        })),
      ),
    )
    for (const set of groupBy(evaluations)) {
      const advantages = standardise(
        set.map((entry) => entry.value),
        settings.normAdvByStd,
      )
      set.forEach(({ trajectory, step, evaluation }, index) => {
        reward[trajectory]![step]![evaluation] = nonZero(advantages[index]!)
      })
    }
  }
  return { accuracy, feedback, ...policyAdvantages(feedback, trainsPolicy, settings), reward, tests: null }
}

function rewardSetKey(grouping: Settings['rewardGrouping'], trajectory: number, step: number): string {
  switch (grouping) {
    case 'vote':
      return `${trajectory}/${step}`
    case 'step':
      return `${step}`
    case 'task':
      return ''
  }
}

/** An advantage of exactly 0 has no gradient, so it does not take part (alfworld_rl_reward.py:296). */
export function nonZero(advantage: number): number | null {
  return advantage === 0 ? null : advantage
}

function groupBy<Entry extends { key: number | string }>(entries: readonly Entry[]): Entry[][] {
  const groups = new Map<number | string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.key)
    if (group) group.push(entry)
    else groups.set(entry.key, [entry])
  }
  return [...groups.values()]
}
