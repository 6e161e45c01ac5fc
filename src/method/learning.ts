/**
 * From advantages to two updates at the same time. A record of (prompt, response, log-probabilities, advantage) stays one
 * record on its way through every filter; the released trainer drops long prompts without their advantages, and every
 * example after the first dropped one learns from another's (alfworld_train.py:139-148).
 */
import type { GroupAdvantages } from './advantages.ts'
import type { LanguageModelPort, TrainingExample, UpdateMetrics, UpdateOptions } from './ports.ts'
import { shuffled } from './random.ts'
import type { TrainingSample } from './rollout.ts'
import type { Settings } from './settings.ts'
import type { TaskGroup } from './task-group.ts'

export type Learner = 'policy' | 'reward'
export const LEARNERS = ['policy', 'reward'] as const

/** A group that trains, and how. */
export interface AdvantagedGroup {
  group: TaskGroup
  advantages: GroupAdvantages
}

/**
 * Examples of both models. Episodes come in an order drawn from the seed, so that each optimiser step sees a mix of tasks,
 * and the steps of an episode stay together, because they share their beginnings. Written tests come one by one, as the
 * programs do. Profile `reference` goes through the tasks in order, as the released trainer does
 * (alfworld_train.py:325-331).
 */
export function trainingExamples(
  groups: readonly AdvantagedGroup[],
  settings: Settings,
  seed: number,
): Record<Learner, TrainingExample[]> {
  const units = groups.flatMap(({ group, advantages }): Record<Learner, TrainingExample[]>[] => [
    ...group.rollouts.map((rollout, index) => ({
      policy: withAdvantages(rollout.samples, advantages.policy[index]!),
      reward: (group.judgements?.[index]?.samples ?? []).flatMap((samples, step) =>
        withAdvantages(samples, advantages.reward[index]![step]!),
      ),
    })),
    ...withAdvantages(group.tests?.samples ?? [], advantages.tests?.reward ?? []).map((example) => ({
      policy: [],
      reward: [example],
    })),
  ])
  const ordered = settings.profile === 'reference' ? units : shuffled(units, seed)
  return {
    policy: ordered.flatMap((unit) => unit.policy),
    reward: ordered.flatMap((unit) => unit.reward),
  }
}

/** Samples that have an advantage and a token to learn it: where the context was full there is none. */
function withAdvantages(samples: readonly TrainingSample[], advantages: readonly (number | null)[]): TrainingExample[] {
  return samples.flatMap((sample, index) => {
    const advantage = advantages[index] ?? null
    return advantage === null || sample.response.length === 0 ? [] : [{ ...sample, advantage }]
  })
}

export interface UpdateResult {
  metrics: UpdateMetrics
  durationMs: number
  /** Of which new weights went to a sampler elsewhere; null where the model samples for itself. */
  syncMs: number | null
}

/**
 * Updates both models at the same time; a model without examples is left as it is and gives null. Both have settled
 * before anything is thrown, so that no model changes behind a run that has ended.
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
