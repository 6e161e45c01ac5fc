/**
 * Settings of a run: their schema, their defaults (the paper's where it states one) and the presets.
 * `LIVE_SETTINGS` may change while a run goes; they take effect at the next iteration and are logged.
 */
import * as v from 'valibot'

const count = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high))
const real = (low: number, high: number) => v.pipe(v.number(), v.finite(), v.minValue(low), v.maxValue(high))

export const KL_ESTIMATORS = ['k1', 'k2', 'k3'] as const
export type KlEstimator = (typeof KL_ESTIMATORS)[number]
export const LOSS_AGGREGATIONS = ['token-mean', 'seq-mean-token-mean', 'seq-mean-token-sum', 'seq-mean-token-sum-norm'] as const
export type LossAggregation = (typeof LOSS_AGGREGATIONS)[number]

export const settingsSchema = v.pipe(
  v.object({
    seed: count(0, 2 ** 31 - 1),
    /** `paper`: published formulas. `reference`: the released code's arithmetic, quirks included. */
    profile: v.picklist(['paper', 'reference']),
    /** Which signal trains the policy: O + λ mean S, O alone, or mean S alone. */
    signal: v.picklist(['integrated', 'outcome', 'step']),
    /** Components that learn or adapt; a component switched off is frozen. */
    trainPolicy: v.boolean(),
    trainReward: v.boolean(),
    adaptEnvironment: v.boolean(),
    lambda: real(0, 10),
    alphaLow: real(0, 1),
    alphaHigh: real(0, 1),
    /** m */
    evaluationsPerStep: count(1, 16),
    /** G: rollouts of a task in one iteration. */
    groupSize: count(2, 64),
    tasksPerIteration: count(1, 128),
    /** Active tasks that iterations draw from. */
    taskPoolSize: count(1, 4096),
    maxSteps: count(1, 50),
    policyTemperature: real(0.05, 2),
    rewardTemperature: real(0.05, 2),
    authorTemperature: real(0.05, 2),
    topP: real(0.05, 1),
    /** Over which evaluations the consistency feedback is standardised. */
    rewardGrouping: v.picklist(['vote', 'step', 'task']),
    /** The only rollout that reached a step index: its raw feedback (as released), or no training signal. */
    singleSurvivor: v.picklist(['raw', 'zero']),
    /** Tasks whose accuracy is outside [low, high] do not train the policy / the reward model. */
    policyAccuracyLow: real(0, 1),
    policyAccuracyHigh: real(0, 1),
    rewardAccuracyLow: real(0, 1),
    rewardAccuracyHigh: real(0, 1),
    normAdvByStd: v.boolean(),
    policyLearningRate: real(0, 1),
    rewardLearningRate: real(0, 1),
    policyUpdatesPerIteration: count(1, 32),
    rewardUpdatesPerIteration: count(1, 32),
    clipRatioLow: real(0, 1),
    clipRatioHigh: real(0, 5),
    klCoefficient: real(0, 10),
    klEstimator: v.picklist(KL_ESTIMATORS),
    lossAggregation: v.picklist(LOSS_AGGREGATIONS),
    maxGradNorm: real(0.001, 1000),
    weightDecay: real(0, 1),
    /** Rewrites that the author may try for one task in one iteration. */
    rewriteAttempts: count(1, 32),
    /** Iterations between evaluations; 0 evaluates never. */
    evaluateEvery: count(0, 1000),
    /** Held-out tasks of each split, one rollout each. */
    evaluationTasks: count(0, 1000),
  }),
  v.forward(
    v.check((s) => s.alphaLow < s.alphaHigh, 'alphaLow must be below alphaHigh: tasks between them are left as they are.'),
    ['alphaLow'],
  ),
)

export type Settings = v.InferOutput<typeof settingsSchema>

export const LIVE_SETTINGS = [
  'signal', 'trainPolicy', 'trainReward', 'adaptEnvironment', 'lambda', 'alphaLow', 'alphaHigh', 'evaluationsPerStep',
  'groupSize', 'tasksPerIteration', 'maxSteps', 'policyTemperature', 'rewardTemperature', 'authorTemperature',
  'policyLearningRate', 'rewardLearningRate', 'klCoefficient', 'evaluateEvery',
] as const satisfies readonly (keyof Settings)[]
export type LiveSetting = (typeof LIVE_SETTINGS)[number]
export type LivePatch = Partial<Pick<Settings, LiveSetting>>
