/** What the gateway stores of a run (`run.json`), and what follows from it. */
import type { Settings } from '../../method/settings.ts'
import {
  isOver,
  LIVE_PARAMETERS,
  type GatewayRun,
  type LaunchPlan,
  type LiveParameters,
  type LivePatchRequest,
} from '../protocol.ts'
import type { ConfigTree } from '../released/defaults.ts'
import type { TextLimits } from '../released/group-events.ts'
import { liveAt, type LiveChange } from '../released/live-changes.ts'
import { isPatched, textAt, valueAt } from '../released/mapping.ts'
import { SYSTEMS } from '../released/systems.ts'
import type { RunIdentity } from '../released/translator.ts'
import type { JobBackend } from './jobs.ts'
import { GatewayProblem } from './problem.ts'
import type { Redactor } from './redactor.ts'
import type { RunWatch } from './run-watch.ts'

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

export function summaryOf(record: RunRecord, watch: RunWatch, redactor: Redactor): GatewayRun {
  const { runId, system, name, state, message, exitCode, startedAt, endedAt, totalSteps, notices } = record
  const { step } = watch.translator.state
  const last = record.changes.at(-1)
  return {
    runId,
    system,
    name,
    // The last events come before the end.
    state: isOver(state) && !watch.isOver ? 'RUNNING' : state,
    message: redactor.text(message),
    exitCode,
    startedAt,
    endedAt,
    step,
    totalSteps,
    live: liveOf(record, Math.max(1, step)),
    pending:
      last && last.fromStep > Math.max(1, step) && !isOver(state)
        ? { effectiveFromStep: last.fromStep, live: last.live }
        : null,
    events: watch.length,
    notices,
  }
}

/** Throws GatewayProblem if the run is over, or its system lacks a value of the request. */
export function checkPatch({ runId, system, state }: RunRecord, request: LivePatchRequest): void {
  if (isOver(state)) {
    throw new GatewayProblem(409, {
      what: `${runId} cannot be changed.`,
      why: `It is over: ${state}.`,
      remedy: 'Start a new run with the new values.',
    })
  }
  for (const name of LIVE_PARAMETERS) {
    if (request[name] !== undefined && !isPatched(system, name)) {
      throw new GatewayProblem(400, {
        what: `${name} cannot be changed here.`,
        why: `The release's ${system} system has no such value in its code.`,
        remedy: `Change ${SYSTEMS[system].liveParameters.join(' or ')} instead.`,
      })
    }
  }
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
