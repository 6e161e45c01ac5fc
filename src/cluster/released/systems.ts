/**
 * The three systems of the release (Gen-Verse/Open-AgentRL 1fe5dbd): the script that starts each, its configuration file, and the
 * settings of ours that describe it.
 */
import { LIVE_PARAMETERS, type LiveParameter, type ReleasedSystem } from '../protocol.ts'
import { presetSettings } from '../../method/presets.ts'
import type { Settings } from '../../method/settings.ts'

export interface SystemFacts {
  /** Path from the root of the checkout. */
  script: string
  stockConfig: string
  /** Values that patched code reads; the coding system's reward has no reward-model term, so it has no λ. */
  liveParameters: readonly LiveParameter[]
  /** Our preset for the released configuration. */
  preset: string
  /** Settings that differ from that preset. */
  settings: Partial<Settings>
}

export const SYSTEMS: Record<ReleasedSystem, SystemFacts> = {
  alfworld: {
    script: 'alfworld_rl.py',
    stockConfig: 'configs/alfworld_rl.yaml',
    liveParameters: LIVE_PARAMETERS,
    preset: 'paper-alfworld+reference',
    // 3 rollouts of each held-out game, at the temperature of training (configs/alfworld_rl.yaml, evaluation.policy).
    settings: { topP: 0.95, evaluationRollouts: 3, evaluationTemperature: 0.8, judgeTasks: 0, seed: 10086 },
  },
  coding: {
    script: 'coding_rl.py',
    stockConfig: 'configs/coding_rl.yaml',
    liveParameters: ['alphaLow', 'alphaHigh'],
    preset: 'paper-coding',
    settings: { evaluationRollouts: 3, judgeTasks: 0, seed: 10086 },
  },
  osworld: {
    script: 'osworld_rl.py',
    stockConfig: 'configs/osworld_rl.yaml',
    liveParameters: LIVE_PARAMETERS,
    // The formulas of AlfWorld, without its filter and with a judge that learns from all tasks in the band.
    preset: 'reference+paper-osworld',
    settings: { seed: 10086 },
  },
}

/** Our settings for a run whose request changes nothing. */
export function releasedSettings(system: ReleasedSystem): Settings {
  return { ...presetSettings(SYSTEMS[system].preset), ...SYSTEMS[system].settings }
}
