/**
 * Our settings as keys of the released configurations, system by system. A setting without a key is either fixed in the released code
 * (`fixedInRelease`) or a live parameter, which patched code reads.
 *
 * The release has one learning rate and one clip range for policy and reward model, so two of our settings share a key and must be
 * equal. `training.max_grad_norm` is in its files but is never read (DeepSpeed clips at 1.0), so it is not listed.
 */
import { presetSettings } from '../../method/presets.ts'
import { settingDomain, type Settings } from '../../method/settings.ts'
import { LIVE_PARAMETERS, type EditableField, type ReleasedSystem } from '../protocol.ts'
import { RELEASED_DEFAULTS, type ConfigTree, type ConfigValue } from './defaults.ts'
import { releasedSettings, SYSTEMS } from './systems.ts'

export type FieldName = EditableField['name']

/** Keys that a setting sets. The first is read back. */
const TRAINING = {
  seed: ['training.seed'],
  policyUpdatesPerIteration: ['training.policy.update_per_step'],
  rewardUpdatesPerIteration: ['training.reward.update_per_step'],
  policyLearningRate: ['optimizer.params.learning_rate', 'lr_scheduler.params.learning_rate'],
  rewardLearningRate: ['optimizer.params.learning_rate', 'lr_scheduler.params.learning_rate'],
  weightDecay: ['optimizer.params.weight_decay'],
  clipRatioLow: ['training.eps'],
  clipRatioHigh: ['training.eps'],
  klCoefficient: ['training.beta'],
  policyTemperature: ['rollout.policy.temperature'],
  rewardTemperature: ['rollout.reward.temperature'],
  authorTemperature: ['rollout.environment.temperature'],
  evaluateEvery: ['experiment.eval_every'],
  totalSteps: ['experiment.total_step'],
  saveEvery: ['experiment.save_every'],
} as const satisfies Partial<Record<FieldName, readonly string[]>>

type KeyMap = Partial<Record<FieldName, readonly string[]>>

export const SETTING_KEYS: Record<ReleasedSystem, KeyMap> = {
  alfworld: {
    ...TRAINING,
    tasksPerIteration: ['rollout.policy.num_trial'],
    groupSize: ['rollout.policy.num_rollout_per_trial'],
    maxSteps: ['rollout.policy.max_interaction_step'],
    evaluationsPerStep: ['rollout.reward.num_rollout_per_query'],
    evaluationRollouts: ['evaluation.policy.num_rollout_per_trial'],
    evaluationTemperature: ['evaluation.policy.temperature'],
  },
  coding: {
    ...TRAINING,
    tasksPerIteration: ['rollout.policy.num_task'],
    groupSize: ['rollout.policy.num_response_per_task'],
    evaluationsPerStep: ['rollout.reward.num_response_per_task'],
    rewriteAttempts: ['rollout.environment.num_response_per_task'],
    evaluationRollouts: ['evaluation.policy.num_response_per_task'],
    evaluationTemperature: ['evaluation.policy.temperature'],
  },
  osworld: {
    ...TRAINING,
    tasksPerIteration: ['rollout.policy.num_trial'],
    groupSize: ['rollout.policy.num_rollout_per_trial'],
    maxSteps: ['rollout.policy.max_steps'],
    evaluationsPerStep: ['rollout.reward.num_rollout_per_query'],
    rewriteAttempts: ['rollout.environment.num_rollout_per_query'],
    evaluationRollouts: ['rollout.policy_evaluation.num_rollout_per_trial'],
    evaluationTemperature: ['rollout.policy_evaluation.temperature'],
  },
}

/** Settings that must be equal, because the release has one key for both. */
export const SHARED_KEYS: readonly (readonly [keyof Settings, keyof Settings])[] = [
  ['policyLearningRate', 'rewardLearningRate'],
  ['clipRatioLow', 'clipRatioHigh'],
]

const LABELS: Partial<Record<FieldName, string>> = {
  seed: 'Training seed',
  lambda: 'λ: weight of the step scores in the integrated feedback',
  alphaLow: 'α_low: tasks solved less often are made easier',
  alphaHigh: 'α_high: tasks solved more often are made harder',
  tasksPerIteration: 'Tasks per step, over all nodes',
  groupSize: 'Rollouts per task',
  evaluationsPerStep: 'm: evaluations per step, or tests per task',
  maxSteps: 'Most steps per episode',
  policyTemperature: 'Temperature of the policy',
  rewardTemperature: 'Temperature of the reward model',
  authorTemperature: 'Temperature of the model that rewrites tasks',
  policyUpdatesPerIteration: 'Optimiser steps of the policy per step',
  rewardUpdatesPerIteration: 'Optimiser steps of the reward model per step',
  policyLearningRate: 'Learning rate, the same for policy and reward model',
  rewardLearningRate: 'Learning rate, the same for policy and reward model',
  weightDecay: 'Weight decay',
  clipRatioLow: 'ε of the clipped surrogate, the same for both sides',
  clipRatioHigh: 'ε of the clipped surrogate, the same for both sides',
  klCoefficient: 'β of the KL penalty against the policy before the update',
  rewriteAttempts: 'Attempts per rewrite',
  evaluateEvery: 'Steps between evaluations',
  evaluationRollouts: 'Rollouts per held-out task',
  evaluationTemperature: 'Temperature of the policy in evaluations; 0 is greedy',
  totalSteps: 'Steps of the run',
  saveEvery: 'Steps between checkpoints that are kept',
}

const RUN_LIMITS: Partial<Record<FieldName, readonly [number, number]>> = {
  totalSteps: [1, 1_000_000],
  saveEvery: [1, 1_000_000],
  // The release divides by it (alfworld_rl.py:250), so it cannot be 0.
  evaluateEvery: [1, 1000],
  // OmegaConf allows larger groups, but one process of the cluster holds a whole group.
  groupSize: [2, 64],
}

/** The value at a dotted key; undefined if there is none. */
export function valueAt(tree: ConfigTree, key: string): ConfigValue | undefined {
  let value: ConfigValue | undefined = tree
  for (const part of key.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, part) ? (value as ConfigTree)[part] : undefined
  }
  return value
}

/** The string at a dotted key; '' if there is none. */
export function textAt(tree: ConfigTree, key: string): string {
  const value = valueAt(tree, key)
  return typeof value === 'string' ? value : ''
}

/** The tree with the value at a dotted key; creates missing parents. */
export function withValueAt(tree: ConfigTree, key: string, value: ConfigValue): ConfigTree {
  const [first = '', ...rest] = key.split('.')
  if (rest.length === 0) return { ...tree, [first]: value }
  const child = Object.hasOwn(tree, first) ? tree[first] : undefined
  const parent = isTree(child) ? child : {}
  return { ...tree, [first]: withValueAt(parent, rest.join('.'), value) }
}

export function isTree(value: unknown): value is ConfigTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a request may set for a system, with the release's values. */
export function editableFields(system: ReleasedSystem): EditableField[] {
  const fields: EditableField[] = []
  for (const [name, keys] of Object.entries(SETTING_KEYS[system]) as [FieldName, readonly string[]][]) {
    fields.push(field(name, keys, valueAt(RELEASED_DEFAULTS[system], keys[0] ?? '') as number))
  }
  for (const name of SYSTEMS[system].liveParameters) fields.push(field(name, [], releasedSettings(system)[name]))
  return fields
}

function field(name: FieldName, keys: readonly string[], value: number): EditableField {
  const domain =
    name === 'totalSteps' || name === 'saveEvery'
      ? { kind: 'number' as const, integer: true, min: 1, max: Infinity }
      : settingDomain(name)
  const [min, max] = RUN_LIMITS[name] ?? (domain.kind === 'number' ? [domain.min, domain.max] : [null, null])
  return {
    name,
    keys: [...keys],
    default: value,
    min,
    max,
    isInteger: domain.kind === 'number' && domain.integer,
    isLive: (LIVE_PARAMETERS as readonly string[]).includes(name),
    label: LABELS[name] ?? name,
  }
}

/**
 * Why a system of the release cannot take a setting that differs from its own; null if it has a key, is the same, or concerns worlds
 * that the release does not have.
 */
export function whyNotCarried(system: ReleasedSystem, name: keyof Settings, settings: Settings): string | null {
  if (SETTING_KEYS[system][name] !== undefined || isPatched(system, name)) return null
  if (OURS_ALONE.has(name)) return null
  const released = releasedSettings(system)[name]
  if (Object.is(settings[name], released)) return null
  if (name === 'signal' && settings.signal === 'outcome' && isPatched(system, 'lambda')) return null
  return `The release fixes it in code, as ${JSON.stringify(released)}.`
}

/** Whether the system's patched code reads the setting. */
export function isPatched(system: ReleasedSystem, name: string): boolean {
  return (SYSTEMS[system].liveParameters as readonly string[]).includes(name)
}

/** Our choice of games, problems, scenes, held-out episodes and fixed trajectories. The release plays its own in any case. */
const OURS_ALONE: ReadonlySet<string> = new Set([
  'world',
  'problems',
  'games',
  'dialect',
  'explainRefusals',
  'screen',
  'desktopTasks',
  'taskPoolSize',
  'evaluationTasks',
  'evaluationMaxSteps',
  'judgeTasks',
])

/** The presets of the released systems must exist. */
for (const { preset } of Object.values(SYSTEMS)) presetSettings(preset)
