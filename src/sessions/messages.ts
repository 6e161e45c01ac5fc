/** What the page and the loop worker send each other: requests to start a run, and the stream of events and status. */
import type { BackendChoice } from '../engines/backends/choice.ts'
import type { RunEvent, WorldFile } from '../method/events.ts'
import type { Role } from '../method/ports.ts'
import type { LivePatch, Settings } from '../method/settings.ts'
import type { LearningRole } from '../roles/learning.ts'
import type { RoleSource, ServerKeys } from '../roles/source.ts'

/** `auto` is the fastest backend that this machine has for the models of the run. */
export type BackendWish = 'auto' | 'cpu' | 'webgpu'

export interface StartRequest {
  runId: string
  preset: string
  settings: Settings
  /** Iterations until the run completes. */
  iterations: number
  /** `auto` by default. */
  backend?: BackendWish
  /** The built-in models by default. */
  models?: Partial<Record<Role, RoleSource>>
  /** Keys of the servers among them. They are not kept, so resuming the run requires them again. */
  keys?: ServerKeys
  /** The file of a world of one's own. */
  worldFile?: WorldFile
}

/** Continues a kept run from a checkpoint with other settings or models, as a new run. */
export interface BranchRequest {
  /** The kept run, and an iteration with a checkpoint. */
  from: string
  iteration: number
  runId: string
  patch: LivePatch
  /** Models that these roles go on with, untrained; the others keep what they have learned. */
  replaced?: Partial<Record<LearningRole, RoleSource>>
  /** Total of the branch, including those before the checkpoint. */
  iterations: number
  /** Keys of the servers among its models. */
  keys?: ServerKeys
}

/** Gives a role of the current run another model, untrained, from the next iteration on. */
export interface SwapRequest {
  role: Role
  source: RoleSource
  /** Keys of the servers among the models. */
  keys?: ServerKeys
}

export type SwapResult =
  | { state: 'swapped' }
  /** The run continues with the model that it had; `why` is for display. */
  | { state: 'kept'; why: string }
  /** Another choice took the place of this one, or the run ended before. */
  | { state: 'dropped' }

/** What happened, why, and what to do, for display. */
export interface RunFailure {
  what: string
  why: string
  remedy: string
  /** Address of a server that requires another key to continue the run. */
  keyFor?: string
}

export type RunStatus =
  | { state: 'idle' }
  /** Bytes; `total` is 0 while unknown. */
  | { state: 'loading'; what: string; done: number; total: number }
  | { state: 'running' }
  | { state: 'pausing' }
  | { state: 'paused' }
  | { state: 'finished'; reason: 'completed' | 'stopped' }
  | { state: 'failed'; failure: RunFailure }

/** All messages share one stream, so that a status never overtakes earlier events. */
export type RunMessage =
  /** Readable events (readable-event.ts). */
  | { type: 'events'; runId: string; batch: RunEvent[] }
  | { type: 'status'; runId: string | null; status: RunStatus }
  /** The backend of the run, and why it was chosen. */
  | { type: 'backend'; runId: string; choice: BackendChoice }
  /** Something to show although the run continues. */
  | { type: 'notice'; runId: string | null; text: string }
