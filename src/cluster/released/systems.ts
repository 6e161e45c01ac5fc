/**
 * The three systems of the release (Gen-Verse/Open-AgentRL 1fe5dbd): which script starts one, which file configures it, and
 * what it calls the things that our settings set.
 */
import { LIVE_PARAMETERS, type LiveParameter, type ReleasedSystem } from '../protocol.ts'
import { presetSettings, type Settings } from '../../method/settings.ts'

export interface SystemFacts {
  /** Started in the root of the checkout. */
  script: string
  stockConfig: string
  /** What patched code can read; the coding system's reward has no term of the reward model, so no λ. */
  liveParameters: readonly LiveParameter[]
  /** The preset of ours that says the same as the released configuration. */
  preset: string
  /** What our settings say otherwise than that preset. */
  settings: Partial<Settings>
}

export const SYSTEMS: Record<ReleasedSystem, SystemFacts> = {
  alfworld: {
    script: 'alfworld_rl.py',
    stockConfig: 'configs/alfworld_rl.yaml',
    liveParameters: LIVE_PARAMETERS,
    preset: 'paper-alfworld+reference',
    // 3 rollouts of each held-out game (configs/alfworld_rl.yaml, evaluation.policy).
    settings: { topP: 0.95, evaluationRollouts: 3, seed: 10086 },
  },
  coding: {
    script: 'coding_rl.py',
    stockConfig: 'configs/coding_rl.yaml',
    liveParameters: ['alphaLow', 'alphaHigh'],
    preset: 'paper-coding',
    settings: { evaluationRollouts: 3, seed: 10086 },
  },
  osworld: {
    script: 'osworld_rl.py',
    stockConfig: 'configs/osworld_rl.yaml',
    liveParameters: LIVE_PARAMETERS,
    // The same formulas as AlfWorld's, without its filter (osworld_rl_reward.py:766-767); the world has no name among ours.
    preset: 'paper-alfworld+reference',
    settings: {
      seed: 10086,
      tasksPerIteration: 12,
      maxSteps: 30,
      taskPoolSize: 222,
      policyTemperature: 1,
      policyAccuracyLow: 0,
      policyAccuracyHigh: 1,
      rewriteAttempts: 3,
      rewardUpdatesPerIteration: 2,
      evaluateEvery: 20,
      evaluationTasks: 222,
      evaluationRollouts: 3,
    },
  },
}

/** What a run has whose request changes nothing, in our words. */
export function releasedSettings(system: ReleasedSystem): Settings {
  return { ...presetSettings(SYSTEMS[system].preset), ...SYSTEMS[system].settings }
}
