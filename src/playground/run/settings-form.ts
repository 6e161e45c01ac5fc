/** Where the page shows each setting, and how slider positions map to values. */
import { SETTING_INFO } from './setting-info.ts'
import type { Settings } from '../../method/settings.ts'

export type SettingName = keyof Settings

/** Always shown; the diagram repeats the switches. */
export const UP_FRONT: readonly { title: string; names: readonly SettingName[] }[] = [
  { title: 'Signal', names: ['signal', 'lambda', 'evaluationsPerStep', 'groupSize'] },
  { title: 'Task adaptation', names: ['alphaLow', 'alphaHigh'] },
  { title: 'Sampling', names: ['policyTemperature', 'rewardTemperature'] },
  { title: 'Learning', names: ['policyLearningRate', 'rewardLearningRate'] },
  { title: 'What learns', names: ['trainPolicy', 'trainReward', 'adaptEnvironment'] },
]

/** Collapsed. `setting` is the choice of a world, at the top of the page. */
export const FOLDED: readonly { title: string; names: readonly SettingName[] }[] = [
  {
    title: 'Run',
    names: [
      'seed',
      'profile',
      'tasksPerIteration',
      'taskPoolSize',
      'maxSteps',
      'evaluateEvery',
      'evaluationTasks',
      'evaluationRollouts',
      'evaluationMaxSteps',
      'evaluationTemperature',
      'judgeTasks',
    ],
  },
  {
    title: 'Feedback and filters',
    names: [
      'voteFlips',
      'rewardGrouping',
      'rewardBalance',
      'singleSurvivor',
      'normAdvByStd',
      'policyAccuracyLow',
      'policyAccuracyHigh',
      'rewardAccuracyLow',
      'rewardAccuracyHigh',
    ],
  },
  {
    title: 'Optimisation',
    names: [
      'policyUpdatesPerIteration',
      'rewardUpdatesPerIteration',
      'clipRatioLow',
      'clipRatioHigh',
      'klCoefficient',
      'klEstimator',
      'lossAggregation',
      'maxGradNorm',
      'weightDecay',
      'importanceCap',
    ],
  },
  { title: 'Household', names: ['games', 'dialect', 'explainRefusals'] },
  { title: 'Coding', names: ['problems'] },
  { title: 'Desktop', names: ['desktopTasks', 'screen'] },
  { title: 'Author', names: ['rewrites', 'remeasure', 'authorTemperature', 'rewriteAttempts', 'topP'] },
]

interface Travel {
  min: number
  max: number
  step: number
  isLogarithmic: boolean
}

/** The ranges of sliders, often narrower than those of their settings: the number field beside accepts the rest. */
const TRAVEL: Partial<Record<SettingName, Partial<Travel>>> = {
  evaluationsPerStep: { max: 9 },
  groupSize: { max: 32 },
  policyTemperature: { max: 1.5 },
  rewardTemperature: { max: 1.5 },
  authorTemperature: { max: 1.5 },
  policyLearningRate: { min: 1e-6, max: 1e-2, isLogarithmic: true },
  rewardLearningRate: { min: 1e-6, max: 1e-2, isLogarithmic: true },
  tasksPerIteration: { max: 32 },
  taskPoolSize: { min: 1, max: 4096, isLogarithmic: true },
  evaluateEvery: { max: 50 },
  evaluationTasks: { max: 256 },
  evaluationTemperature: { max: 1.5 },
  judgeTasks: { max: 32 },
  clipRatioLow: { max: 0.5 },
  clipRatioHigh: { max: 0.5 },
  klCoefficient: { max: 0.2 },
  maxGradNorm: { min: 0.01, max: 100, isLogarithmic: true },
  weightDecay: { max: 0.2 },
  importanceCap: { max: 10 },
}

/** Null for settings without a slider: choices, switches, the seed. */
export function travelOf(name: SettingName): Travel | null {
  const { domain } = SETTING_INFO[name]
  if (domain.kind !== 'number' || name === 'seed') return null
  return {
    min: domain.min,
    max: domain.max,
    step: SETTING_INFO[name].step ?? 1,
    isLogarithmic: false,
    ...TRAVEL[name],
  }
}

/** The last position of a logarithmic slider; the first is 0. */
export const LOG_STEPS = 200

export function toPosition(value: number, travel: Travel): number {
  const within = Math.min(travel.max, Math.max(travel.min, value))
  if (!travel.isLogarithmic) return within
  return Math.round((LOG_STEPS * Math.log(within / travel.min)) / Math.log(travel.max / travel.min))
}

/** Rounds logarithmic values to two digits: 3e-4, not 3.0199e-4. */
export function fromPosition(position: number, travel: Travel, isInteger = false): number {
  if (!travel.isLogarithmic) return position
  const value = Number((travel.min * (travel.max / travel.min) ** (position / LOG_STEPS)).toPrecision(2))
  return Math.min(travel.max, Math.max(travel.min, isInteger ? Math.round(value) : value))
}
