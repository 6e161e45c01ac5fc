/**
 * The protocol between the gateway and its clients (docs/gateway.md). The gateway runs on the cluster, launches runs of the released
 * system (Open-AgentRL), and reports them in our own vocabulary of events. Nothing here contains a path, a host or a secret of the
 * cluster.
 */
import type { EphemeralEvent, LoggedEvent } from '../method/events.ts'
import type { Settings } from '../method/settings.ts'

/** Increased when older clients can no longer understand the gateway. */
export const PROTOCOL_VERSION = 1
export const GATEWAY_NAME = 'rlanything-gateway'
/** Milliseconds between the comments that keep an event stream alive. */
export const HEARTBEAT_MS = 15_000

/** The three systems of the release: `<name>_rl.py` with `configs/<name>_rl.yaml`. */
export const RELEASED_SYSTEMS = ['alfworld', 'coding', 'osworld'] as const
export type ReleasedSystem = (typeof RELEASED_SYSTEMS)[number]

/** The states of Ray's Jobs API. */
export const RUN_STATES = ['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'] as const
export type RunState = (typeof RUN_STATES)[number]

export function isOver(state: RunState): boolean {
  return state === 'STOPPED' || state === 'SUCCEEDED' || state === 'FAILED'
}

/** Parameters that the release fixes in code. Patched code reads them in every step. */
export const LIVE_PARAMETERS = ['lambda', 'alphaLow', 'alphaHigh'] as const
export type LiveParameter = (typeof LIVE_PARAMETERS)[number]
export type LiveParameters = Pick<Settings, LiveParameter>

export interface PatchState {
  isPatched: boolean
  /** Parameters that this system's patched code reads; the coding system has no λ. */
  parameters: LiveParameter[]
  /** Why the code cannot be patched and no run can start; null if it is patched, or will be before the first run. */
  problem: string | null
}

/** GET /v1/health */
export interface GatewayHealth {
  name: typeof GATEWAY_NAME
  protocol: number
  version: string
  /** `subprocess`: without Ray, runs are processes on the gateway's machine. */
  backend: 'ray' | 'subprocess'
  rayVersion: string | null
  /** Commit of the released system's checkout; null if it is not a repository. */
  commit: string | null
  /** Number of GPUs according to the cluster file. */
  gpus: number
  /** Systems that the cluster file configures. */
  systems: Partial<Record<ReleasedSystem, PatchState>>
}

/** A value that a request may set. */
export interface EditableField {
  /** A name in our settings, or `totalSteps` or `saveEvery`, which only the release has. */
  name: keyof Settings | 'totalSteps' | 'saveEvery'
  /** Keys of the released YAML that it sets; none for a value that patched code reads. */
  keys: string[]
  default: number | boolean
  min: number | null
  max: number | null
  isInteger: boolean
  /** May change while a run is running. */
  isLive: boolean
  label: string
}

/** GET /v1/schema */
export interface GatewaySchema {
  systems: Partial<Record<ReleasedSystem, EditableField[]>>
}

/** Names that users give to runs. */
export const RUN_NAME = /^[a-z][a-z0-9_]{0,39}$/

/** POST /v1/runs */
export interface LaunchRequest {
  system: ReleasedSystem
  /** Only what differs from the released configuration. */
  settings?: Partial<Settings>
  totalSteps?: number
  saveEvery?: number
  /** Matches RUN_NAME. */
  name?: string
  /** Returns what would be launched, without launching it. */
  dryRun?: boolean
}

export interface ConfigDifference {
  key: string
  released: unknown
  now: unknown
}

/** What a request launches. Values that stay on the cluster are shown as `<on the cluster>`. */
export interface LaunchPlan {
  yaml: string
  command: string
  /** Environment variables by name. */
  environment: Record<string, string>
  /** Compared with the released defaults. */
  differences: ConfigDifference[]
  live: LiveParameters
}

/** GET /v1/runs/{id} and POST /v1/runs/{id}/stop; GET /v1/runs has an array of them, latest first. */
export interface GatewayRun {
  runId: string
  system: ReleasedSystem
  name: string
  state: RunState
  /** The cluster's message about the state: an error's last lines, or ''. */
  message: string
  exitCode: number | null
  /** Milliseconds since 1970. */
  startedAt: number
  endedAt: number | null
  /** The current step; 0 before the first. */
  step: number
  totalSteps: number
  /** Values in the current step. */
  live: LiveParameters
  /** The last change, until its first step begins; null if none is pending. */
  pending: LivePatchAnswer | null
  /** Number of logged events, which is also the number of the next one. */
  events: number
  /** What could not be read or was omitted, latest last. */
  notices: string[]
}

export interface StartAnswer extends LaunchPlan {
  run: GatewayRun
}

/** PATCH /v1/runs/{id}/config */
export type LivePatchRequest = Partial<LiveParameters>
export interface LivePatchAnswer {
  /** The first step with these values. */
  effectiveFromStep: number
  live: LiveParameters
}

/** GET /v1/runs/{id}/files, as an array */
export interface RunFile {
  name: string
  bytes: number
}

/** A line of the job's log, without colours and without the cluster's paths and secrets. */
export interface LogLine {
  /** First byte of the line in the file. `text` may be longer or shorter than the line there. */
  offset: number
  text: string
}

/** Whole lines, in order. They are not events and have no number; a client that reconnects may receive lines again. */
export interface LogLines {
  lines: LogLine[]
}

/**
 * GET /v1/runs/{id}/events, as server-sent events. Only `run` has an id, the event's `seq`. With `Last-Event-ID: n` the stream starts
 * at n+1, without the header at the first event.
 */
export interface StreamMessages {
  run: LoggedEvent
  now: EphemeralEvent
  log: LogLines
  status: GatewayRun
  /** The run is over and all events have been sent. */
  end: GatewayRun
}
export type StreamMessageName = keyof StreamMessages

/** The body of every unsuccessful answer. */
export interface GatewayErrorBody {
  error: { what: string; why: string; remedy: string }
}
