/**
 * The arms that a comparison needs: which component learns, and which signal the policy learns from. They begin with plain GRPO,
 * and add one part at a time (RLAnything, table 1); votes alone are the paper's curve "step-wise reward".
 *
 *     row                        policy  reward model  environment  signal   in the paper
 *     outcome alone (GRPO)       learns  not asked     frozen       O        the curve "outcome"
 *     frozen reward model        learns  frozen        frozen       R        table 1, "Policy"
 *     + reward model             learns  learns        frozen       R        table 1, "Policy + Reward"
 *     full loop                  learns  learns        adapts       R        table 1, "Policy + Reward + Env"
 *     votes alone, frozen        learns  frozen        frozen       mean S   ours: no label reaches any model
 *     votes alone, trained       learns  learns        frozen       mean S   the curve "step-wise reward"
 *
 * An ablation replaces these four settings. Votes alone also open the filters on accuracy, which read outcomes.
 *
 * Earlier versions offered three more rows. Their runs keep their rows, but no new ones are offered: two differ from the full loop
 * in the signal alone, and so mix what the signal does with what adapted tasks do.
 */
import { ARMS, FORMER_PRESETS, PRESETS, presetSettings } from '../../method/presets.ts'
import { DEFAULTS, type Settings, type World } from '../../method/settings.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { WORLDS } from '../../worlds/index.ts'

const FILTERS = ['policyAccuracyLow', 'policyAccuracyHigh', 'rewardAccuracyLow', 'rewardAccuracyHigh'] as const
type Filters = Pick<Settings, (typeof FILTERS)[number]>
type AblatedSettings = Pick<Settings, 'trainPolicy' | 'trainReward' | 'adaptEnvironment' | 'signal'> & Partial<Filters>

export interface Ablation {
  settings: AblatedSettings
  /** The preset of the ablation; null if there is none. */
  preset: string | null
}

const FORMER_ABLATIONS = ['policy-environment', 'outcome', 'step'] as const
export const ABLATION_IDS = [...ARMS, ...FORMER_ABLATIONS] as const
export type AblationId = (typeof ABLATION_IDS)[number]

const named = (preset: (typeof ARMS)[number]): Ablation => ({ settings: PRESETS[preset], preset })

export const ABLATIONS: Readonly<Record<AblationId, Ablation>> = {
  grpo: named('grpo'),
  'frozen-judge': named('frozen-judge'),
  'policy-reward': named('policy-reward'),
  full: named('full'),
  'step-frozen': named('step-frozen'),
  'step-trained': named('step-trained'),
  'policy-environment': { settings: { ...PRESETS.full, trainReward: false }, preset: null },
  outcome: { settings: { ...PRESETS.full, signal: 'outcome' }, preset: 'outcome-only' },
  step: { settings: { ...PRESETS.full, signal: 'step' }, preset: 'step-only' },
}

const ABLATED = Object.keys(ABLATIONS.full.settings)
const FILTER_NAMES: readonly string[] = FILTERS

export function isAblated(name: string): boolean {
  return ABLATED.includes(name)
}

/** Whether an ablation opens the filters on accuracy. */
function opensFilters(id: AblationId | null): boolean {
  return id !== null && 'policyAccuracyLow' in ABLATIONS[id].settings
}

export function ablationLabel(id: AblationId, world: World): string {
  switch (id) {
    case 'frozen-judge':
      return 'Policy, frozen reward model'
    case 'policy-reward':
      return 'Policy + reward model'
    case 'policy-environment':
      return 'Policy + environment'
    case 'full':
      return 'Full loop'
    default:
      return WORLDS[world].ablations[id]
  }
}

/** The preset without its ablation: "household+frozen-judge" gives "household". Empty for an ablation alone. */
export function basePreset(preset: string): string {
  const ablating: readonly (string | null)[] = [
    ...Object.values(ABLATIONS).map((ablation) => ablation.preset),
    ...Object.keys(FORMER_PRESETS),
  ]
  return preset
    .split('+')
    .filter((name) => !ablating.includes(name))
    .join('+')
}

/** The configuration with an ablation applied, which its preset then names. */
export function ablated<Configuration extends { preset: string; settings: Settings }>(
  configuration: Configuration,
  id: AblationId,
): Configuration {
  const base = basePreset(configuration.preset)
  const { preset, settings } = ABLATIONS[id]
  // Presets train everything by default, so the full loop needs a name only without another preset.
  const own = id === 'full' && base !== '' ? null : preset
  const names = [base, own].filter((name) => name !== null && name !== '')
  const others = { ...configuration.settings, ...filtersBefore(configuration, base) }
  return { ...configuration, preset: names.join('+') || 'full', settings: { ...others, ...settings } }
}

/** The filters that other rows than votes alone have: those of the settings, or of the preset if the settings opened them. */
function filtersBefore({ settings }: { settings: Settings }, base: string): Partial<Filters> {
  if (!opensFilters(ablationOf(settings))) return {}
  const before = base === '' ? DEFAULTS : presetSettings(base)
  return Object.fromEntries(FILTERS.map((name) => [name, before[name]]))
}

/** Null for settings outside the table, such as a frozen policy. */
export function ablationOf(settings: Settings): AblationId | null {
  const matches = ({ settings: own }: Ablation) =>
    (Object.keys(own) as (keyof AblatedSettings)[]).every((name) => own[name] === settings[name])
  return ABLATION_IDS.find((id) => matches(ABLATIONS[id])) ?? null
}

/**
 * Equal for runs of one matrix: they share everything but the seed and the ablated settings. `filters` are those on accuracy; null
 * for votes alone, which have none and belong to every matrix of their `settings`. Null for runs that belong to no matrix, such
 * as branches and runs whose settings changed.
 */
export function experimentKey(
  run: Pick<RunSummary, 'settings' | 'changes' | 'origin' | 'iterations' | 'models' | 'worldFile'>,
): { settings: string; filters: string | null } | null {
  const ablation = ablationOf(run.settings)
  if (run.changes.length > 0 || run.origin?.kind === 'branch' || ablation === null) return null
  const others = Object.entries(run.settings)
    .filter(([name]) => name !== 'seed' && !isAblated(name) && !FILTER_NAMES.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    settings: JSON.stringify([others, run.iterations, run.models ?? null, run.worldFile?.hash]),
    filters: opensFilters(ablation) ? null : JSON.stringify(FILTERS.map((name) => run.settings[name])),
  }
}
