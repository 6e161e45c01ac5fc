/** What the gateway stores of a run (`run.json`), and what follows from that alone. */
import type { Settings } from '../../method/settings.ts'
import type { GatewayRun, LaunchPlan, LiveParameters } from '../protocol.ts'
import type { ConfigTree } from '../released/defaults.ts'
import type { TextLimits } from '../released/group-events.ts'
import { liveAt, type LiveChange } from '../released/live-changes.ts'
import { textAt, valueAt } from '../released/mapping.ts'
import { SYSTEMS } from '../released/systems.ts'
import type { RunIdentity } from '../released/translator.ts'
import type { JobBackend } from './jobs.ts'

export interface RunRecord extends Omit<GatewayRun, 'step' | 'live' | 'pending' | 'events'> {
  settings: Settings
  changes: LiveChange[]
  /** Null until the job has started. */
  handle: string | null
  backend: JobBackend['kind']
  isStopWanted: boolean
  plan: LaunchPlan
  config: ConfigTree
}

/** λ and α in a step. */
export function liveOf({ changes, settings }: RunRecord, step: number): LiveParameters {
  const { lambda, alphaLow, alphaHigh } = settings
  return liveAt(changes, step) ?? { lambda, alphaLow, alphaHigh }
}

export function identityOf({ runId, system, settings, config, backend }: RunRecord, limits: TextLimits): RunIdentity {
  // The name of a model's folder is not a path.
  const model = (key: string) => textAt(config, key).split('/').filter(Boolean).at(-1) ?? ''
  const isOod = valueAt(config, 'dataset.alfworld_eval_type') === 'eval_out_of_distribution'
  return {
    system,
    split: isOod ? 'ood' : 'id',
    limits,
    started: {
      runId,
      settings,
      preset: SYSTEMS[system].preset,
      backend: backend === 'ray' ? 'Open-AgentRL on Ray' : 'Open-AgentRL',
      models: {
        policy: model('model.policy_model'),
        reward: model('model.reward_model'),
        author: model('model.environment_model'),
      },
    },
  }
}
