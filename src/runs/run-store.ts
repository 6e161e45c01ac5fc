/** Where runs are kept: IndexedDB on the page, files for the command line, memory in tests. */
import type { LoggedEvent, ModelReplaced, WorldFile } from '../method/events.ts'
import type { Role } from '../method/ports.ts'
import type { LivePatch, Settings } from '../method/settings.ts'
import type { LearningRole } from '../roles/learning.ts'
import type { RoleSource } from '../roles/source.ts'
import type { KeptCheckpoint } from './checkpoint-thinning.ts'

/** A run can no longer be written: it was deleted, or another tab continued it. The message is for display. */
export class RunLostError extends Error {
  override readonly name = 'RunLostError'
}

export interface SettingsChange {
  /** The first iteration with it. */
  iteration: number
  /** Place of its event in the log. Older summaries lack it. */
  seq?: number
  patch: LivePatch
}

/** `before` is what played the role until then; missing if the run has no checkpoint from before. */
export type ReplacementNote = Pick<ModelReplaced, 'role' | 'model'> & {
  iteration: number
  seq: number
  before?: RoleSource | string
}

/** What the list of runs shows about each run. */
export interface RunSummary {
  runId: string
  preset: string
  /** At the start of the run, before `changes`. */
  settings: Settings
  changes: SettingsChange[]
  /** Later changes, which wait for the next iteration and are not in the log yet. A run that resumes begins with them. */
  waiting?: LivePatch
  /** Models that took the place of others. Older summaries lack it. */
  replacements?: ReplacementNote[]
  /** Requested iterations, and finished ones. */
  iterations: number
  finishedIterations: number
  isFinished: boolean
  /** As in its log; null before it has started. */
  backend: string | null
  /** Name and SHA-256 of a world of one's own, as in its log. Older summaries lack it. */
  worldFile?: Pick<WorldFile, 'name' | 'hash'>
  /** Current sources that are not the built-in models. Older runs have addresses of folders. */
  models?: Partial<Record<Role, RoleSource | string>>
  /** Servers that require a key. Keys are not kept. */
  keyedServers?: string[]
  /** Null for a run that was started here. */
  origin: { kind: 'branch'; runId: string; iteration: number } | { kind: 'import'; name: string } | null
  /** Stays at the top of the list, and is never deleted to make room. */
  isPinned: boolean
  /** Its log and checkpoints were deleted to make room; its curves remain. */
  isEvicted: boolean
  /** Bytes that its log takes in the store. */
  logBytes: number
  /** In order. */
  checkpoints: KeptCheckpoint[]
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
}

export type NewRun = Pick<RunSummary, 'runId' | 'preset' | 'settings' | 'iterations' | 'models' | 'keyedServers'>

/** Summary of a run that has not started. */
export function newSummary(run: NewRun, now = Date.now()): RunSummary {
  const { runId, preset, settings, iterations, models, keyedServers } = run
  return {
    runId,
    preset,
    settings,
    changes: [],
    iterations,
    finishedIterations: 0,
    isFinished: false,
    backend: null,
    ...(models && { models }),
    ...(keyedServers && { keyedServers }),
    origin: null,
    isPinned: false,
    isEvicted: false,
    logBytes: 0,
    checkpoints: [],
    createdAt: now,
    updatedAt: now,
  }
}

/** The learning models between two iterations. */
export interface RunCheckpoint {
  runId: string
  /** The last finished iteration. */
  iteration: number
  /** Events in the log at that time; a resumed run drops the rest. */
  eventCount: number
  /** Empty for a model that has just been put there: it is as it is when it is opened. */
  policy: Uint8Array
  reward: Uint8Array
}

/** A run that begins at a checkpoint of another (branch.ts). */
export interface Branch {
  runId: string
  /** With those before the checkpoint. */
  iterations: number
  patch: LivePatch
  /** Roles that go on with another model, or with the same one untrained. `model` is its name in the log. */
  replaced?: readonly { role: LearningRole; source: RoleSource; model: string }[]
  /** Servers among these models that require a key. */
  keyedServers?: readonly string[]
}

/** A role of a run goes on with another model between two iterations. */
export interface ModelChange {
  /** The next event of the log. */
  event: LoggedEvent & ModelReplaced
  source: RoleSource
  /** After the event, with no bytes for the new model. */
  checkpoint: RunCheckpoint
  /** Servers among the models that require a key. */
  keyedServers: readonly string[]
}

export interface RunStore {
  create(summary: RunSummary): Promise<void>
  /** Events arrive in the order of `seq`, without gaps. All writes throw RunLostError if this store no longer has the run. */
  append(runId: string, events: readonly LoggedEvent[]): Promise<void>
  /** Saves `timing_s/*` and `perf/*` of an iteration whose events have been appended. */
  saveTimings?(runId: string, iteration: number, metrics: Readonly<Record<string, number>>): Promise<void>
  saveCheckpoint(checkpoint: RunCheckpoint): Promise<void>
  /** Keeps changes of settings, in place of earlier ones, until an event with such changes is appended. */
  keepPatch?(runId: string, patch: LivePatch): Promise<void>
  /** Stores all of a change or nothing, so that no model ever resumes with the weights of another. */
  replaceModel?(change: ModelChange): Promise<void>
  finish(runId: string): Promise<void>
}

/** What a run needs to resume from its last checkpoint. */
export interface ResumableRun {
  summary: RunSummary
  /** All events up to the checkpoint, reduced to what the loop reads (state-event.ts). */
  history: LoggedEvent[]
  checkpoint: RunCheckpoint
}

/** A store that can return runs. */
export interface ResumableRunStore extends RunStore {
  summary(runId: string): Promise<RunSummary | null>
  /** The last checkpoint by default. */
  loadCheckpoint(runId: string, iteration?: number): Promise<RunCheckpoint | null>
  /** The log from event `from` up to but excluding event `to`, in parts. */
  readEvents(runId: string, from?: number, to?: number): AsyncIterable<LoggedEvent[]>
  /**
   * Truncates the run to its last checkpoint; later changes of settings then come right after it, because a person made them.
   * Null if there is no such run or checkpoint.
   */
  prepareResume(runId: string): Promise<ResumableRun | null>
  /**
   * Copies a run up to a checkpoint under a new name, and logs the changes there. Null if there is no such run or checkpoint.
   * Throws SettingsError for an invalid change.
   */
  branch(from: string, iteration: number, branch: Branch): Promise<RunSummary | null>
  remove(runId: string): Promise<void>
}
