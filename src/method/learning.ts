/**
 * From advantages to two updates at the same time. A record of (prompt, response, log-probabilities, advantage) stays
 * together through every filter. The released trainer drops long prompts without their advantages, so that every example
 * after the first dropped one learns from another's advantage (alfworld_train.py:139-148).
 */
import type { GroupAdvantages } from './advantages.ts'
import type { LanguageModelPort, TrainingExample, UpdateMetrics, UpdateOptions } from './ports.ts'
import { shuffled } from './random.ts'
import type { EvaluatedGroup } from './reward-strategy.ts'
import type { Settings } from './settings.ts'
import { withAdvantages } from './training-sample.ts'

export type Learner = 'policy' | 'reward'
export const LEARNERS = ['policy', 'reward'] as const

/** A group that trains. */
export interface AdvantagedGroup {
  group: EvaluatedGroup
  advantages: GroupAdvantages
}

/**
 * Examples for both models. The seed shuffles the episodes, so that each optimiser step sees a mix of tasks; the steps of an
 * episode stay together, because they share their beginnings. Examples about a whole task are shuffled one by one. Profile
 * `reference` keeps the order of the tasks, as the released trainer does (alfworld_train.py:325-331).
 */
export function trainingExamples(
  groups: readonly AdvantagedGroup[],
  settings: Settings,
  seed: number,
): Record<Learner, TrainingExample[]> {
  const units = groups.flatMap(({ group, advantages }): Record<Learner, TrainingExample[]>[] => {
    const { ofRollout, ofTask } = group.evidence.examples(advantages)
    return [
      ...group.rollouts.map(({ samples }, index) => ({
        policy: withAdvantages(samples, advantages.policy[index]!),
        reward: ofRollout[index] ?? [],
      })),
      ...ofTask.map((example) => ({ policy: [], reward: [example] })),
    ]
  })
  const ordered = settings.profile === 'reference' ? units : shuffled(units, seed)
  return {
    policy: ordered.flatMap((unit) => unit.policy),
    reward: ordered.flatMap((unit) => unit.reward),
  }
}

export interface UpdateResult {
  metrics: UpdateMetrics
  durationMs: number
  /** The part spent sending new weights to a separate sampler; null if the model samples for itself. */
  syncMs: number | null
}

/**
 * Updates both models at the same time; a model without examples stays as it is and gives null. Waits for both before
 * throwing, so that no model changes after the run has ended.
 */
export async function updateModels(
  ports: Record<Learner, LanguageModelPort> & { now(): number },
  examples: Record<Learner, readonly TrainingExample[]>,
  settings: Settings,
  signal?: AbortSignal,
): Promise<Record<Learner, UpdateResult | null>> {
  const update = async (learner: Learner): Promise<UpdateResult | null> => {
    if (examples[learner].length === 0) return null
    const start = ports.now()
    const metrics = await ports[learner].update(examples[learner], updateOptions(learner, settings), signal)
    const durationMs = ports.now() - start
    return { metrics, durationMs, syncMs: (await ports[learner].lastSyncMs?.()) ?? null }
  }
  const [policy, reward] = await Promise.allSettled([update('policy'), update('reward')])
  return { policy: settledValue(policy), reward: settledValue(reward) }
}

function settledValue<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

export function learningRate(learner: Learner, settings: Settings): number {
  return learner === 'policy' ? settings.policyLearningRate : settings.rewardLearningRate
}

export function updateOptions(learner: Learner, settings: Settings): UpdateOptions {
  const {
    clipRatioLow,
    clipRatioHigh,
    klCoefficient,
    klEstimator,
    lossAggregation,
    maxGradNorm,
    weightDecay,
    importanceCap,
  } = settings
  const isPolicy = learner === 'policy'
  return {
    learningRate: learningRate(learner, settings),
    temperature: isPolicy ? settings.policyTemperature : settings.rewardTemperature,
    updatesPerIteration: isPolicy ? settings.policyUpdatesPerIteration : settings.rewardUpdatesPerIteration,
    clipRatioLow,
    clipRatioHigh,
    klCoefficient,
    klEstimator,
    lossAggregation,
    maxGradNorm,
    weightDecay,
    importanceCap,
  }
}
