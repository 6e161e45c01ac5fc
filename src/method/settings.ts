/**
 * Settings of a run: their schema and their defaults. presets.ts has the runs that a person chooses from.
 *
 * Defaults are the paper's if it states them (λ 1, α_low 0.2, α_high 0.8), else the released code's (m 3, G 8, ε 0.2, k3 with
 * β 0.01, seq-mean-token-mean, gradient norm 1). Sizes and learning rates fit small models in a browser tab instead of a
 * cluster. setting-words.ts gives the source of each one.
 *
 * `LIVE_SETTINGS` can change during a run; changes take effect at the next iteration and are logged.
 */
import * as v from 'valibot'

const count = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high))
const real = (low: number, high: number) => v.pipe(v.number(), v.finite(), v.minValue(low), v.maxValue(high))

export const KL_ESTIMATORS = ['k1', 'k2', 'k3'] as const
export type KlEstimator = (typeof KL_ESTIMATORS)[number]
export const LOSS_AGGREGATIONS = [
  'token-mean',
  'seq-mean-token-mean',
  'seq-mean-token-sum',
  'seq-mean-token-sum-norm',
] as const
export type LossAggregation = (typeof LOSS_AGGREGATIONS)[number]

export const settingsSchema = v.pipe(
  v.object({
    seed: count(0, 2 ** 31 - 1),
    /** `paper`: published formulas. `reference`: the released code's arithmetic, including its quirks. */
    profile: v.picklist(['paper', 'reference']),
    /** Which signal trains the policy: O + λ mean S, O alone, or mean S alone. */
    signal: v.picklist(['integrated', 'outcome', 'step']),
    /** Components that learn or adapt; others are frozen. */
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
    /** ε: the probability that a vote, or a written test's verdict, is flipped before anything reads it (vote-flips.ts). */
    voteFlips: real(0, 0.5),
    /** The sets over which consistency feedback is standardised (step-judging/advantages.ts). */
    rewardGrouping: v.picklist(['vote', 'step', 'task']),
    /** Whether votes on successes and votes on failures of a task weigh the same together (step-judging/balance.ts). */
    rewardBalance: v.picklist(['none', 'outcomes']),
    /** Training signal of a rollout that alone reached a step index: raw feedback (as released), or none. */
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
    /** C of truncated importance sampling, if another program samples than trains; 0 is off. */
    importanceCap: real(0, 100),
    /** Attempts of the author to rewrite one task in one iteration. */
    rewriteAttempts: count(1, 32),
    /** Who rewrites: the author, or no model. A null rewrite is the unchanged task under a new id. */
    rewrites: v.picklist(['author', 'null']),
    /** Whether q is rolled out again beside q', so that the acceptance rule compares accuracies under one policy. */
    remeasure: v.boolean(),
    /** Iterations between evaluations; 0 never evaluates. */
    evaluateEvery: count(0, 1000),
    /** Held-out tasks of each split. */
    evaluationTasks: count(0, 1000),
    /** Rollouts of each held-out task. Detect requires tasks with a correct and a wrong program, so more than one. */
    evaluationRollouts: count(1, 64),
    /** Steps of a held-out episode; 0 is `maxSteps`. */
    evaluationMaxSteps: count(0, 100),
    /** The policy's temperature in evaluations, beside a measurement at `policyTemperature`; 0 is exactly greedy. */
    evaluationTemperature: real(0, 2),
    /** Tasks of each split whose fixed trajectories measure the reward model at every evaluation; 0 measures none. */
    judgeTasks: count(0, 1000),
    /** ALFWorld's rooms, programs that must pass tests, six applications of a desktop, or a world of one's own from a file. */
    world: v.picklist(['household', 'coding', 'desktop', 'own']),
    /** Problems of the coding world: generated ones, or imported ones in the released format. */
    problems: v.picklist(['generated', 'imported']),
    /** Games of the household: generated ones, small or of ALFWorld's size, imported ALFWorld games, or those that a person made. */
    games: v.picklist(['compact', 'full', 'official', 'own']),
    /** ALFWorld's command language: v2 since 0.4 ("move mug 1 to shelf 2"), v1 before it ("put mug 1 in/on shelf 2"). */
    dialect: v.picklist(['v2', 'v1']),
    /** Whether "Nothing happens." says why. */
    explainRefusals: v.boolean(),
    /** What is shown of the desktop: a few words on what is new, with a numbered list of all that can be clicked, with OSWorld's table, or a picture. */
    screen: v.picklist(['text', 'marks', 'table', 'pixels']),
    /** Tasks of the desktop: generated ones, or those that a person made. */
    desktopTasks: v.picklist(['generated', 'own']),
  }),
  v.forward(
    v.check((s) => s.alphaLow < s.alphaHigh, 'alphaLow must be below alphaHigh: tasks between them are not rewritten.'),
    ['alphaLow'],
  ),
  v.forward(
    v.check(
      (s) => s.policyAccuracyLow <= s.policyAccuracyHigh,
      'policyAccuracyLow must not be above policyAccuracyHigh: no task could train the policy.',
    ),
    ['policyAccuracyLow'],
  ),
  v.forward(
    v.check(
      (s) => s.rewardAccuracyLow <= s.rewardAccuracyHigh,
      'rewardAccuracyLow must not be above rewardAccuracyHigh: no task could train the reward model.',
    ),
    ['rewardAccuracyLow'],
  ),
)

export type Settings = v.InferOutput<typeof settingsSchema>
export type World = Settings['world']
/** A world whose models, trajectories and recorded run ship with the app: every one but `own`. */
export type ShippedWorld = Exclude<World, 'own'>

/** Former names of settings, which older links, logs and commands use. */
const FORMER_NAMES: Readonly<Record<string, keyof Settings>> = { setting: 'world' }

export function currentName(name: string): string {
  return Object.hasOwn(FORMER_NAMES, name) ? FORMER_NAMES[name]! : name
}

/** The same object where every name is current. */
export function withCurrentNames<Input extends object>(settings: Input): Input {
  if (Object.keys(settings).every((name) => currentName(name) === name)) return settings
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [currentName(name), value])) as Input
}

export const LIVE_SETTINGS = [
  'signal',
  'trainPolicy',
  'trainReward',
  'adaptEnvironment',
  'lambda',
  'alphaLow',
  'alphaHigh',
  'evaluationsPerStep',
  'groupSize',
  'tasksPerIteration',
  'maxSteps',
  'policyTemperature',
  'rewardTemperature',
  'authorTemperature',
  'voteFlips',
  'policyLearningRate',
  'rewardLearningRate',
  'klCoefficient',
  'evaluateEvery',
] as const satisfies readonly (keyof Settings)[]
export type LiveSetting = (typeof LIVE_SETTINGS)[number]
export type LivePatch = Partial<Pick<Settings, LiveSetting>>

export const DEFAULTS: Settings = {
  seed: 0,
  profile: 'paper',
  signal: 'integrated',
  trainPolicy: true,
  trainReward: true,
  adaptEnvironment: true,
  lambda: 1,
  alphaLow: 0.2,
  alphaHigh: 0.8,
  evaluationsPerStep: 3,
  groupSize: 8,
  tasksPerIteration: 4,
  taskPoolSize: 32,
  maxSteps: 30,
  policyTemperature: 1,
  rewardTemperature: 0.8,
  authorTemperature: 0.8,
  topP: 0.95,
  voteFlips: 0,
  rewardGrouping: 'step',
  rewardBalance: 'none',
  singleSurvivor: 'zero',
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
  rewardAccuracyLow: 0.2,
  rewardAccuracyHigh: 0.8,
  normAdvByStd: true,
  policyLearningRate: 3e-4,
  rewardLearningRate: 3e-4,
  policyUpdatesPerIteration: 4,
  rewardUpdatesPerIteration: 4,
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  klCoefficient: 0.01,
  klEstimator: 'k3',
  lossAggregation: 'seq-mean-token-mean',
  maxGradNorm: 1,
  weightDecay: 0,
  importanceCap: 0,
  rewriteAttempts: 8,
  rewrites: 'author',
  remeasure: false,
  evaluateEvery: 5,
  evaluationTasks: 32,
  evaluationRollouts: 1,
  evaluationMaxSteps: 0,
  evaluationTemperature: 0,
  judgeTasks: 5,
  world: 'household',
  problems: 'generated',
  games: 'compact',
  dialect: 'v2',
  explainRefusals: false,
  screen: 'text',
  desktopTasks: 'generated',
}

/** An invalid setting. `field` is null if the preset or the input as a whole is invalid. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly field: string | null

  constructor(message: string, field: string | null) {
    super(message)
    this.field = field
  }
}

/** The settings after a change of live settings. Throws SettingsError for invalid values and for fixed settings. */
export function applyPatch(settings: Settings, patch: LivePatch): Settings {
  const fixed = Object.keys(definedEntries(patch)).find((name) => !isLiveSetting(name))
  if (fixed !== undefined) {
    const reason = Object.hasOwn(settings, fixed) ? 'is fixed for a run' : 'is not a setting'
    throw new SettingsError(`"${fixed}" ${reason}; these may change during a run: ${LIVE_SETTINGS.join(', ')}.`, fixed)
  }
  return validated({ ...settings, ...definedEntries(patch) })
}

export function isLiveSetting(name: string): name is LiveSetting {
  return (LIVE_SETTINGS as readonly string[]).includes(name)
}

/** Settings of the right form. Throws SettingsError, which names the field and its valid values. */
export function validated(candidate: Record<string, unknown>): Settings {
  const unknown = Object.keys(candidate).find((name) => !Object.hasOwn(settingsSchema.entries, name))
  if (unknown !== undefined) {
    throw new SettingsError(
      `"${unknown}" is not a setting; the settings are ${Object.keys(settingsSchema.entries).join(', ')}.`,
      unknown,
    )
  }
  const result = v.safeParse(settingsSchema, candidate)
  if (result.success) return result.output
  const issue = result.issues[0]
  const field = v.getDotPath(issue) ?? ''
  if (issue.type === 'check') throw new SettingsError(issue.message, field)
  throw new SettingsError(
    `${field} must be ${validValues(field as keyof Settings)}, not ${shown(candidate[field])}.`,
    field,
  )
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
}

/** The entries with a value: a patch may contain undefined. */
export function definedEntries(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

export type SettingDomain =
  | { kind: 'number'; integer: boolean; min: number; max: number }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'switch' }

/** The valid values of a setting, read from the schema so that controls and errors agree with it. */
export function settingDomain(name: keyof Settings): SettingDomain {
  const schema = settingsSchema.entries[name]
  if (schema.type === 'boolean') return { kind: 'switch' }
  if (schema.type === 'picklist') return { kind: 'choice', options: schema.options }
  const domain = { kind: 'number' as const, integer: false, min: -Infinity, max: Infinity }
  for (const action of schema.pipe) {
    if (action.type === 'integer') domain.integer = true
    if (action.type === 'min_value') domain.min = action.requirement
    if (action.type === 'max_value') domain.max = action.requirement
  }
  return domain
}

/** "a number from 0 to 10", "one of k1, k2, k3", "true or false". */
export function validValues(name: keyof Settings): string {
  const domain = settingDomain(name)
  switch (domain.kind) {
    case 'switch':
      return 'true or false'
    case 'choice':
      return `one of ${domain.options.join(', ')}`
    case 'number':
      return `a${domain.integer ? ' whole' : ''} number from ${domain.min} to ${domain.max}`
  }
}
