/**
 * What the gateway and its clients say to one another (docs/gateway.md). The gateway stands on the cluster, launches runs of
 * the released system (Open-AgentRL), and tells of them in our own vocabulary of events; nothing here names a path, a host or
 * a secret of the cluster.
 */
import type { EphemeralEvent, LoggedEvent } from '../method/events.ts'
import type { Settings } from '../method/settings.ts'

/** Raised when a client of the former version could no longer understand the gateway. */
export const PROTOCOL_VERSION = 1
export const GATEWAY_NAME = 'rlanything-gateway'
/** Milliseconds between the comments that keep an event stream open. */
export const HEARTBEAT_MS = 15_000

/** The three systems of the release: `<name>_rl.py` with `configs/<name>_rl.yaml`. */
export const RELEASED_SYSTEMS = ['alfworld', 'coding', 'osworld'] as const
export type ReleasedSystem = (typeof RELEASED_SYSTEMS)[number]

/** As Ray's Jobs API has them. */
export const RUN_STATES = ['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'] as const
export type RunState = (typeof RUN_STATES)[number]

export function isOver(state: RunState): boolean {
  return state === 'STOPPED' || state === 'SUCCEEDED' || state === 'FAILED'
}

/**
 * Metrics of `iteration-finished` where a world has domains (OSWorld: chrome, gimp, os, …): the prefix and the domain's name.
 * Accuracy of the training tasks of the step, and of the evaluation that was measured in it.
 */
export const DOMAIN_ACCURACY = 'policy/acc/'
export const DOMAIN_EVALUATION_ACCURACY = 'eval/id/acc/'

/** Parameters that the release fixes in code, and that patched code reads anew in every step. */
export const LIVE_PARAMETERS = ['lambda', 'alphaLow', 'alphaHigh'] as const
export type LiveParameter = (typeof LIVE_PARAMETERS)[number]
export type LiveParameters = Pick<Settings, LiveParameter>

export interface PatchState {
  isPatched: boolean
  /** Parameters that the patched code of this system reads; the coding system has no λ. */
  parameters: LiveParameter[]
  /** Why the code cannot be patched, and no run be started; null where it is patched, or will be before the first run. */
  problem: string | null
}

/** GET /v1/health */
export interface GatewayHealth {
  name: typeof GATEWAY_NAME
  protocol: number
  version: string
  /** `subprocess` has no Ray: runs are processes of the gateway's own machine. */
  backend: 'ray' | 'subprocess'
  rayVersion: string | null
  /** Of the released system's checkout; null where it is no repository. */
  commit: string | null
  /** GPUs that the cluster file promises. */
  gpus: number
  /** Systems that the cluster file sets up, with what can be changed while they run. */
  systems: Partial<Record<ReleasedSystem, PatchState>>
}

/** One thing that a request may set. */
export interface EditableField {
  /** Name in our settings, or `totalSteps`, `saveEvery`, which a run of the release has besides. */
  name: keyof Settings | 'totalSteps' | 'saveEvery'
  /** Keys of the released YAML that it becomes; none for what patched code reads. */
  keys: string[]
  default: number | boolean
  min: number | null
  max: number | null
  isInteger: boolean
  /** May change while a run goes. */
  isLive: boolean
  label: string
}

/** GET /v1/schema */
export interface GatewaySchema {
  systems: Partial<Record<ReleasedSystem, EditableField[]>>
}

/** Names that people give to runs. */
export const RUN_NAME = /^[a-z][a-z0-9_]{0,39}$/

/** POST /v1/runs */
export interface LaunchRequest {
  system: ReleasedSystem
  /** Only what differs from the released configuration. */
  settings?: Partial<Settings>
  totalSteps?: number
  saveEvery?: number
  /** A name for people, as RUN_NAME has it. */
  name?: string
  /** Answers with what would be launched, and launches nothing. */
  dryRun?: boolean
}

export interface ConfigDifference {
  key: string
  released: unknown
  now: unknown
}

/** What a request becomes. What belongs to the cluster alone stands as `<on the cluster>`. */
export interface LaunchPlan {
  yaml: string
  command: string
  /** Environment variables by name. */
  environment: Record<string, string>
  /** From the released defaults. */
  differences: ConfigDifference[]
  live: LiveParameters
}

/** GET /v1/runs/{id} and, as an array with the latest first, GET /v1/runs; also what POST /v1/runs/{id}/stop answers. */
export interface GatewayRun {
  runId: string
  system: ReleasedSystem
  name: string
  state: RunState
  /** What the cluster says of the state: an error's last lines, or ''. */
  message: string
  exitCode: number | null
  /** Milliseconds since 1970. */
  startedAt: number
  endedAt: number | null
  /** Step that the run is in; 0 before the first. */
  step: number
  totalSteps: number
  /** In that step. */
  live: LiveParameters
  /** The last change, while the step from which it holds has not begun; null where none waits. */
  pending: LivePatchAnswer | null
  /** Logged events so far; the next one has this number. */
  events: number
  /** What could not be read or was left out, latest last. */
  notices: string[]
}

export interface StartAnswer extends LaunchPlan {
  run: GatewayRun
}

/** PATCH /v1/runs/{id}/config */
export type LivePatchRequest = Partial<LiveParameters>
export interface LivePatchAnswer {
  /** The values hold from this step on. */
  effectiveFromStep: number
  live: LiveParameters
}

/** GET /v1/runs/{id}/files, as an array */
export interface RunFile {
  name: string
  bytes: number
}

/** A line of the job's own log, without colours and without what belongs to the cluster alone. */
export interface LogLine {
  /** Byte of the file where it begins: its text may be longer or shorter than what stands there. */
  offset: number
  text: string
}

/** Whole lines, in order. They are not events, and have no number: those that begin at bytes told before are told again. */
export interface LogLines {
  lines: LogLine[]
}

/**
 * GET /v1/runs/{id}/events, as server-sent events. Only `run` has an id: the event's `seq`. Whoever comes back with
 * `Last-Event-ID: n` is told n+1 and the rest; a new client without the header is told everything.
 */
export interface StreamMessages {
  run: LoggedEvent
  now: EphemeralEvent
  log: LogLines
  status: GatewayRun
  /** The run is over and everything has been told. */
  end: GatewayRun
}
export type StreamMessageName = keyof StreamMessages

/** The body of every answer that is no success. */
export interface GatewayErrorBody {
  error: { what: string; why: string; remedy: string }
}
