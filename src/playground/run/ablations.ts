/**
 * The ablations of the paper: which component learns (RLAnything, table 1) and which signal the policy learns from (its
 * comparison of integrated feedback, outcomes alone and optimised step scores alone). An ablation is laid over the
 * settings on the controls and replaces these four of them alone:
 *
 *     row                  policy  reward model  environment  signal        in the paper
 *     policy alone         learns  frozen        frozen       R             table 1, "Policy"
 *     + reward model       learns  learns        frozen       R             table 1, "Policy + Reward"
 *     + environment        learns  frozen        adapts       R             not there; it completes the two-by-two
 *     full loop            learns  learns        adapts       R             table 1, "Policy + Reward + Env"
 *     outcomes alone       learns  learns        adapts       O             the curve "outcome", as GRPO has it
 *     votes alone          learns  learns        adapts       mean S        the curve "step-wise reward"
 *
 * Rows of the signal differ from the full loop in the signal alone, so that a difference from it has one cause.
 */
import type { RunSummary } from '../../runs/run-store.ts'
import type { Settings } from '../../method/settings.ts'
import type { World } from './worlds.ts'

export const ABLATION_IDS = ['policy', 'policy-reward', 'policy-environment', 'full', 'outcome', 'step'] as const
export type AblationId = (typeof ABLATION_IDS)[number]
export type AblatedSettings = Pick<Settings, 'trainPolicy' | 'trainReward' | 'adaptEnvironment' | 'signal'>

export interface Ablation {
  settings: AblatedSettings
  /** The preset that says it, where there is one. */
  preset: string | null
}

const learning = (
  trainReward: boolean,
  adaptEnvironment: boolean,
  signal: Settings['signal'] = 'integrated',
): AblatedSettings => ({ trainPolicy: true, trainReward, adaptEnvironment, signal })

export const ABLATIONS: Readonly<Record<AblationId, Ablation>> = {
  policy: { settings: learning(false, false), preset: 'policy-only' },
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
      return world === 'coding' ? 'Full loop, hidden tests alone' : 'Full loop, outcomes alone'
    case 'step':
      return world === 'coding' ? 'Full loop, written tests alone' : 'Full loop, votes alone'
  }
}

/** The preset without what an ablation says: "household+policy-only" is of "household". Empty for an ablation by itself. */
export function basePreset(preset: string): string {
  const ablating = Object.values(ABLATIONS).map((ablation) => ablation.preset)
  return preset
    .split('+')
    .filter((name) => !ablating.includes(name))
    .join('+')
}

/** A configuration with an ablation laid over it, under the preset whose name says so. */
export function ablated<Configuration extends { preset: string; settings: Settings }>(
  configuration: Configuration,
  id: AblationId,
): Configuration {
  const base = basePreset(configuration.preset)
  const { preset, settings } = ABLATIONS[id]
  // Presets train everything unless they say otherwise, so the full loop needs a name only where there is no other.
  const own = id === 'full' && base !== '' ? null : preset
  const names = [base, own].filter((name) => name !== null && name !== '')
  return { ...configuration, preset: names.join('+') || 'full', settings: { ...configuration.settings, ...settings } }
}

/** Null for settings that are no row, such as a policy that is frozen. */
export function ablationOf(settings: Settings): AblationId | null {
  return ABLATION_IDS.find((id) => ABLATED.every((name) => ABLATIONS[id].settings[name] === settings[name])) ?? null
}

/**
 * Equal for runs that are rows of one matrix: all but the seed and what an ablation says is the same, and they were asked
 * for as many iterations. Null for a run that belongs to none: its settings were changed on the way, or it is a branch.
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
