/** The presets: named runs, as differences from the defaults. */
import { DEFAULTS, definedEntries, SettingsError, validated, withCurrentNames, type Settings } from './settings.ts'

function arm<Signal extends Settings['signal'], Reward extends boolean, Environment extends boolean>(
  signal: Signal,
  trainReward: Reward,
  adaptEnvironment: Environment,
) {
  return { signal, trainPolicy: true, trainReward, adaptEnvironment } as const
}

/** A filter on accuracy reads outcomes, so a policy that learns from votes alone has none. A reward model reads them anyway. */
const NO_POLICY_FILTER = { policyAccuracyLow: 0, policyAccuracyHigh: 1 } as const

/**
 * For the shipped models. Tasks that all rollouts solve or fail do not train the policy, as in the released code
 * (alfworld_rl_reward.py:272): without this filter votes alone drive it there, and it learns to please the reward model. The reward
 * model learns from tasks that at least half of the rollouts solve: where most fail, good steps are mostly seen in failures, and it
 * learns to doubt them (docs/decisions/0013).
 */
const WORLD_FILTERS = {
  policyAccuracyLow: 1 / 8,
  policyAccuracyHigh: 7 / 8,
  rewardAccuracyLow: 1 / 2,
  rewardAccuracyHigh: 7 / 8,
} as const

/** Differences from DEFAULTS. Combine presets with +; later ones override earlier ones: "household+frozen-judge". */
export const PRESETS = {
  /**
   * For the shipped models (docs/decisions/0012). The pool is small enough that a rewritten task comes round again within eight
   * iterations.
   */
  household: {
    tasksPerIteration: 16,
    groupSize: 8,
    evaluationsPerStep: 3,
    maxSteps: 20,
    taskPoolSize: 128,
    topP: 1,
    ...WORLD_FILTERS,
    policyLearningRate: 2e-4,
    rewardLearningRate: 1e-4,
    evaluateEvery: 10,
    evaluationTasks: 100,
    judgeTasks: 10,
  },
  /**
   * For the shipped models that write programs and tests. The reward model learns from tasks in which false tests cost it
   * (docs/decisions/0008-false-tests-must-cost.md). The pool is large, because a small policy learns a few hundred problems by
   * heart.
   */
  coding: {
    world: 'coding',
    lambda: 0.5,
    tasksPerIteration: 32,
    groupSize: 8,
    evaluationsPerStep: 16,
    maxSteps: 1,
    taskPoolSize: 2048,
    topP: 1,
    rewardTemperature: 1,
    ...WORLD_FILTERS,
    policyLearningRate: 3e-4,
    rewardLearningRate: 1.5e-4,
    policyUpdatesPerIteration: 1,
    rewardUpdatesPerIteration: 1,
    evaluateEvery: 20,
    evaluationTasks: 100,
    evaluationRollouts: 4,
    judgeTasks: 16,
  },
  /**
   * For the shipped models of the desktop; the reasons are the household's. Its tasks are of 33 kinds, so the pool is larger:
   * with 128, four of a kind, what was learned did not carry over to held-out tasks.
   */
  desktop: {
    world: 'desktop',
    tasksPerIteration: 32,
    groupSize: 8,
    evaluationsPerStep: 3,
    maxSteps: 20,
    taskPoolSize: 2048,
    topP: 1,
    ...WORLD_FILTERS,
    policyLearningRate: 3e-4,
    rewardLearningRate: 1e-4,
    evaluateEvery: 10,
    evaluationTasks: 100,
    judgeTasks: 20,
  },
  /**
   * For a world from a file, with models of `npm run pretrain -- --world FILE`. Iterations are small, so that a new world shows
   * within minutes whether anything is learned; there are no fixed trajectories that could measure its reward model.
   */
  own: {
    world: 'own',
    tasksPerIteration: 16,
    groupSize: 8,
    evaluationsPerStep: 3,
    maxSteps: 20,
    taskPoolSize: 256,
    topP: 1,
    ...WORLD_FILTERS,
    policyLearningRate: 2e-4,
    rewardLearningRate: 1e-4,
    evaluateEvery: 5,
    evaluationTasks: 100,
    judgeTasks: 0,
  },
  /** The paper's coding run, from its released configuration and code (configs/coding_rl.yaml). */
  'paper-coding': {
    world: 'coding',
    profile: 'reference',
    tasksPerIteration: 64,
    groupSize: 32,
    evaluationsPerStep: 16,
    maxSteps: 1,
    taskPoolSize: 4096,
    policyAccuracyLow: 0.2,
    policyAccuracyHigh: 0.8,
    rewardAccuracyLow: 0.2,
    rewardAccuracyHigh: 0.8,
    policyTemperature: 1,
    rewardTemperature: 0.8,
    authorTemperature: 0.8,
    rewriteAttempts: 3,
    policyLearningRate: 1e-6,
    rewardLearningRate: 1e-6,
    policyUpdatesPerIteration: 2,
    rewardUpdatesPerIteration: 2,
    evaluateEvery: 10,
    evaluationTasks: 128,
    evaluationRollouts: 32,
  },
  /**
   * The paper's AlfWorld run, from its released configuration (configs/alfworld_rl.yaml), in generated rooms of ALFWorld's size;
   * with imported games, `games: 'official'` plays ALFWorld's own. Evaluated as the paper says, at temperature 0 on 140 games of
   * each split; the official one out of distribution has 134. The configuration evaluates for 60 steps, of which ALFWorld's own
   * limit leaves 50. docs/arms.md lists what differs.
   */
  'paper-alfworld': {
    games: 'full',
    tasksPerIteration: 16,
    groupSize: 8,
    evaluationsPerStep: 3,
    maxSteps: 40,
    taskPoolSize: 3553,
    policyTemperature: 0.8,
    rewardTemperature: 0.8,
    authorTemperature: 0.8,
    policyLearningRate: 1e-6,
    rewardLearningRate: 1e-6,
    policyUpdatesPerIteration: 4,
    rewardUpdatesPerIteration: 4,
    evaluateEvery: 5,
    evaluationTasks: 140,
    evaluationMaxSteps: 50,
  },
  /**
   * The released configuration of OSWorld (configs/osworld_rl.yaml), on our desktop, for chat models that read a list of marks where
   * the release shows screenshots. Its policy has no filter on accuracy (osworld_rl_reward.py:766-767). docs/desktop.md lists what
   * differs.
   */
  'paper-osworld': {
    world: 'desktop',
    screen: 'marks',
    tasksPerIteration: 12,
    groupSize: 8,
    evaluationsPerStep: 3,
    maxSteps: 30,
    taskPoolSize: 222,
    policyTemperature: 1,
    rewardTemperature: 0.8,
    authorTemperature: 0.8,
    topP: 0.9,
    policyAccuracyLow: 0,
    policyAccuracyHigh: 1,
    rewardAccuracyLow: 0.2,
    rewardAccuracyHigh: 0.8,
    rewriteAttempts: 3,
    policyLearningRate: 1e-6,
    rewardLearningRate: 1e-6,
    policyUpdatesPerIteration: 4,
    rewardUpdatesPerIteration: 2,
    evaluateEvery: 20,
    evaluationTasks: 222,
    evaluationRollouts: 3,
    judgeTasks: 0,
  },
  /** The released code's arithmetic (alfworld_rl_reward.py), at our size. */
  reference: {
    profile: 'reference',
    signal: 'integrated',
    lambda: 1,
    rewardGrouping: 'vote',
    singleSurvivor: 'raw',
    policyAccuracyLow: 1 / 8,
    policyAccuracyHigh: 7 / 8,
    rewardAccuracyLow: 0.2,
    rewardAccuracyHigh: 0.8,
    normAdvByStd: true,
    policyTemperature: 0.8,
  },
  /** The released code's arithmetic for programs and tests (llm_rl_reward.py), at our size. */
  'coding-reference': {
    profile: 'reference',
    policyAccuracyLow: 0.2,
    policyAccuracyHigh: 0.8,
    rewardAccuracyLow: 0.2,
    rewardAccuracyHigh: 0.8,
  },
  /**
   * GRPO: outcomes alone. No judge is asked, and nothing but the policy learns. As released, outcomes are standardised over the
   * rollouts that reached a step index (advantages.ts), not over the group, so late steps that only failed rollouts reach train nothing.
   */
  grpo: arm('outcome', false, false),
  /** The paper's row "Policy": integrated feedback from a judge that does not learn. */
  'frozen-judge': arm('integrated', false, false),
  /** The paper's row "Policy + Reward". */
  'policy-reward': arm('integrated', true, false),
  /** The paper's row "Policy + Reward + Env". */
  full: arm('integrated', true, true),
  /** Votes alone, from a judge that does not learn: no label reaches the policy. */
  'step-frozen': { ...arm('step', false, false), ...NO_POLICY_FILTER },
  /** Votes alone, from a judge that consistency feedback optimises. Outcomes reach the judge, but not the policy. */
  'step-trained': { ...arm('step', true, false), ...NO_POLICY_FILTER },
  /**
   * For the memory and clock of a phone: an iteration has a quarter of the household's tasks, and evaluations are small and rare.
   * Fewer than four tasks would often leave none that some rollouts solve and others fail, and then nothing is learned.
   */
  phone: { tasksPerIteration: 4, evaluateEvery: 20, evaluationTasks: 20, judgeTasks: 0 },
} as const satisfies Record<string, Partial<Settings>>
export type PresetName = keyof typeof PRESETS

/** The presets that say which parts learn and from what, one a row of the comparison; joined with a world's own. */
export const ARMS = [
  'grpo',
  'frozen-judge',
  'policy-reward',
  'full',
  'step-frozen',
  'step-trained',
] as const satisfies PresetName[]

/** Former names of presets, which older links, logs and commands use. */
export const FORMER_PRESETS = {
  'policy-only': PRESETS['frozen-judge'],
  'outcome-only': { signal: 'outcome' },
  'step-only': { signal: 'step' },
} as const satisfies Record<string, Partial<Settings>>

export const DEFAULT_PRESET: PresetName = 'household'

/** Settings of a preset. Throws SettingsError for an unknown name. */
export function presetSettings(preset: string = DEFAULT_PRESET): Settings {
  const known: Readonly<Record<string, Partial<Settings>>> = { ...PRESETS, ...FORMER_PRESETS }
  let settings: Settings = DEFAULTS
  for (const name of preset.split('+')) {
    if (!Object.hasOwn(known, name)) {
      throw new SettingsError(`There is no preset "${name}"; the presets are ${Object.keys(PRESETS).join(', ')}.`, null)
    }
    settings = { ...settings, ...known[name] }
  }
  return settings
}

/** Names and values of the settings that differ from a preset's, in their order. Throws SettingsError for an unknown preset. */
export function changedFrom(
  preset: string,
  settings: Partial<Settings>,
): [name: string, value: Settings[keyof Settings]][] {
  const usual: Readonly<Record<string, unknown>> = { ...presetSettings(preset) }
  return Object.entries(settings).filter(([name, value]) => value !== usual[name])
}

/** The preset overridden by the input. Throws SettingsError, which names the field and its valid values. */
export function parseSettings(input: unknown = {}, preset: string = DEFAULT_PRESET): Settings {
  const base = presetSettings(preset)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new SettingsError('Settings must be an object of names and values.', null)
  }
  return validated({ ...base, ...definedEntries(withCurrentNames(input)) })
}
