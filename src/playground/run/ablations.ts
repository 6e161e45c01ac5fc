/**
 * The ablations of the paper: which component learns (RLAnything, table 1) and which signal the policy learns from
 * (integrated feedback, outcomes alone or optimised step scores alone). An ablation replaces only these four settings:
 *
 *     row                  policy  reward model  environment  signal        in the paper
 *     policy alone         learns  frozen        frozen       R             table 1, "Policy"
 *     + reward model       learns  learns        frozen       R             table 1, "Policy + Reward"
 *     + environment        learns  frozen        adapts       R             missing; completes the two-by-two
 *     full loop            learns  learns        adapts       R             table 1, "Policy + Reward + Env"
 *     outcomes alone       learns  learns        adapts       O             the curve "outcome", as in GRPO
 *     votes alone          learns  learns        adapts       mean S        the curve "step-wise reward"
 *
 * The rows for signals differ from the full loop only in the signal, so that a difference has one cause.
 */
import type { RunSummary } from '../../runs/run-store.ts'
import { FORMER_PRESETS, type Settings, type World } from '../../method/settings.ts'
import { WORLDS } from '../../worlds/index.ts'

export const ABLATION_IDS = ['policy', 'policy-reward', 'policy-environment', 'full', 'outcome', 'step'] as const
export type AblationId = (typeof ABLATION_IDS)[number]
type AblatedSettings = Pick<Settings, 'trainPolicy' | 'trainReward' | 'adaptEnvironment' | 'signal'>

export interface Ablation {
  settings: AblatedSettings
  /** The preset of the ablation; null if there is none. */
  preset: string | null
}

const learning = (
  trainReward: boolean,
  adaptEnvironment: boolean,
  signal: Settings['signal'] = 'integrated',
): AblatedSettings => ({ trainPolicy: true, trainReward, adaptEnvironment, signal })

export const ABLATIONS: Readonly<Record<AblationId, Ablation>> = {
  policy: { settings: learning(false, false), preset: 'frozen-judge' },
  'policy-reward': { settings: learning(true, false), preset: 'policy-reward' },
  'policy-environment': { settings: learning(false, true), preset: null },
  full: { settings: learning(true, true), preset: 'full' },
  outcome: { settings: learning(true, true, 'outcome'), preset: 'outcome-only' },
  step: { settings: learning(true, true, 'step'), preset: 'step-only' },
}

const ABLATED = Object.keys(ABLATIONS.full.settings) as (keyof AblatedSettings)[]

export function isAblated(name: string): boolean {
  return ABLATED.some((ablatedName) => ablatedName === name)
}

export function ablationLabel(id: AblationId, world: World): string {
  switch (id) {
    case 'policy':
      return 'Policy alone'
    case 'policy-reward':
      return 'Policy + reward model'
    case 'policy-environment':
      return 'Policy + environment'
    case 'full':
      return 'Full loop'
    case 'outcome':
      return WORLDS[world].ablations.outcome
    case 'step':
      return WORLDS[world].ablations.step
  }
}

/** The preset without its ablation: "household+policy-only" gives "household". Empty for an ablation alone. */
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
  return { ...configuration, preset: names.join('+') || 'full', settings: { ...configuration.settings, ...settings } }
}

/** Null for settings outside the table, such as a frozen policy. */
export function ablationOf(settings: Settings): AblationId | null {
  return ABLATION_IDS.find((id) => ABLATED.every((name) => ABLATIONS[id].settings[name] === settings[name])) ?? null
}

/**
 * Equal for runs of one matrix: they share everything but the seed and the ablated settings. Null for runs that belong to
 * none, such as branches and runs whose settings changed.
 */
export function experimentKey(
  run: Pick<RunSummary, 'settings' | 'changes' | 'origin' | 'iterations' | 'models'>,
): string | null {
  if (run.changes.length > 0 || run.origin?.kind === 'branch' || ablationOf(run.settings) === null) return null
  const others = Object.entries(run.settings)
    .filter(([name]) => name !== 'seed' && !isAblated(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([others, run.iterations, run.models ?? null])
}
