/** The two worlds of the page: what each is called, which presets are its own, and what its settings are called there. */
import { PRESETS, presetSettings, type PresetName, type Settings } from '../../method/settings.ts'
import { SETTING_INFO } from './setting-info.ts'

export type World = Settings['world']
export type SettingName = keyof Settings

export interface WorldWords {
  title: string
  /** What happens there, in one line. */
  about: string
  /** The page in one sentence. */
  sentence: string
  /** What a rollout is called. */
  rollout: string
}

export const WORLDS: Readonly<Record<World, WorldWords>> = {
  household: {
    title: 'Household',
    about: 'Commands in rooms; a reward model judges every step.',
    sentence: 'A policy acts, a reward model judges every step, and tasks adapt to what the policy can do.',
    rollout: 'rollout',
  },
  coding: {
    title: 'Coding',
    about: 'Programs; a reward model writes the tests that judge them.',
    sentence:
      'A policy writes programs, a reward model writes tests for them, and problems adapt to what the policy can do.',
    rollout: 'program',
  },
}

/** What choosing a world applies. */
export const WORLD_PRESETS: Readonly<Record<World, PresetName>> = { household: 'household', coding: 'coding' }

/** Presets that are laid over that of the world, where they say nothing of a world themselves. */
const OVERLAYS: Readonly<Record<World, readonly PresetName[]>> = {
  household: ['reference', 'policy-only', 'policy-reward', 'full', 'outcome-only', 'step-only'],
  coding: ['coding-reference', 'policy-only', 'policy-reward', 'full', 'outcome-only', 'step-only'],
}

export interface PresetChoice {
  preset: string
  label: string
}

/** The presets of a world. In the household an overlay lies on the defaults, in the coding setting on its preset. */
export function presetsOf(world: World): PresetChoice[] {
  const overlays: readonly string[] = [...OVERLAYS.household, ...OVERLAYS.coding]
  const whole = (Object.keys(PRESETS) as PresetName[]).filter(
    (name) => !overlays.includes(name) && presetSettings(name).world === world,
  )
  return [
    ...whole.map((name) => ({ preset: name, label: name })),
    ...OVERLAYS[world].map((name) => ({
      preset: world === 'coding' ? `${WORLD_PRESETS.coding}+${name}` : name,
      label: name,
    })),
  ]
}

/** Settings that say nothing in a world, each group with why. */
const IRRELEVANT: Readonly<Record<World, readonly { names: readonly SettingName[]; why: string }[]>> = {
  household: [{ names: ['problems'], why: 'the household has no problems to solve by programs' }],
  coding: [
    { names: ['maxSteps'], why: 'a program is one step' },
    { names: ['rewardGrouping'], why: 'the tests of a problem are compared with one another' },
    { names: ['singleSurvivor'], why: 'every program is compared with those of its problem' },
    { names: ['games', 'dialect', 'explainRefusals'], why: 'they belong to the household' },
  ],
}

export function isRelevant(name: SettingName, world: World): boolean {
  return !IRRELEVANT[world].some(({ names }) => names.includes(name))
}

/** Why settings of a list are not shown; null where all are. "Steps per episode: a program is one step." */
export function leftOutSentence(names: readonly SettingName[], world: World): string | null {
  const reasons = IRRELEVANT[world].flatMap(({ names: irrelevant, why }) => {
    const here = names.filter((name) => irrelevant.includes(name))
    return here.length === 0 ? [] : [`${here.map((name) => SETTING_INFO[name].label).join(', ')}: ${why}`]
  })
  return reasons.length === 0 ? null : `Without meaning here. ${reasons.join('; ')}.`
}

type Words = Partial<Record<SettingName, { label: string; help: string }>>

/** Where the coding setting has other words than SETTING_INFO, which was written for steps and votes. */
const CODING_WORDS: Words = {
  signal: {
    label: 'Policy signal',
    help: 'What the policy learns from: hidden tests and written tests together, the hidden tests alone, or the written tests alone.',
  },
  lambda: {
    label: 'λ, weight of the written tests',
    help: 'How much the written tests that a program passes count beside the hidden tests.',
  },
  evaluationsPerStep: {
    label: 'm, tests per problem',
    help: 'Unit tests that the reward model writes for every problem, without having seen a program.',
  },
  groupSize: { label: 'G, programs per problem', help: 'Programs for a problem that are compared with one another.' },
  trainReward: {
    label: 'Train the reward model',
    help: 'Off, the reward model writes tests but does not learn.',
  },
  adaptEnvironment: {
    label: 'Adapt the problems',
    help: 'Off, no problem is rewritten, and candidates that wait go on waiting.',
  },
  alphaLow: { label: 'α_low, easier up to', help: 'A problem solved at most this often is made easier.' },
  alphaHigh: { label: 'α_high, harder from', help: 'A problem solved at least this often is made harder.' },
  tasksPerIteration: {
    label: 'Problems per iteration',
    help: 'Active problems that programs are written for in an iteration; waiting candidates come on top.',
  },
  taskPoolSize: { label: 'Problem pool', help: 'Problems that iterations draw from, each in its turn.' },
  rewardTemperature: {
    label: 'Reward temperature',
    help: 'How freely the reward model samples; tests need some freedom to differ.',
  },
  evaluationTasks: {
    label: 'Evaluation problems',
    help: 'Held-out problems of each split, in- and out-of-distribution.',
  },
  evaluationRollouts: {
    label: 'Programs per evaluation problem',
    help: 'What tests detect needs a right and a wrong program for the same problem, so more than one.',
  },
  policyAccuracyLow: { label: 'Policy filter, low', help: 'A problem solved less often does not train the policy.' },
  policyAccuracyHigh: { label: 'Policy filter, high', help: 'A problem solved more often does not train the policy.' },
  rewardAccuracyLow: {
    label: 'Reward filter, low',
    help: 'A problem solved less often does not train the reward model.',
  },
  rewardAccuracyHigh: {
    label: 'Reward filter, high',
    help: 'A problem solved more often does not train the reward model.',
  },
}

export function settingWords(name: SettingName, world: World): { label: string; help: string } {
  const { label, help } = (world === 'coding' ? CODING_WORDS[name] : undefined) ?? SETTING_INFO[name]
  return { label, help }
}

/**
 * A message about settings with their labels in place of their names, which only the command line and files know: their
 * symbols, of labels that begin with one.
 */
export function inLabels(message: string, world: World): string {
  return message.replace(/\b(?:lambda|[a-z]+(?:[A-Z][a-z]+)+)\b/g, (name) =>
    Object.hasOwn(SETTING_INFO, name)
      ? settingWords(name as SettingName, world).label.replace(/^(\S+),.*/, '$1')
      : name,
  )
}
