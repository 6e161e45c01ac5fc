/** Where runs are kept: the page's IndexedDB, files of the command line, memory in tests. */
import type { Role } from '../method/ports.ts'
import type { RoleSource } from '../roles/source.ts'
import type { LoggedEvent } from '../method/events.ts'
import type { LivePatch, Settings } from '../method/settings.ts'
import type { KeptCheckpoint } from './checkpoint-thinning.ts'

/** What a list of runs shows of each. */
export interface RunSummary {
  runId: string
  preset: string
  /** As the run started; `changes` came later. */
  settings: Settings
  changes: { iteration: number; patch: LivePatch }[]
  /** Iterations asked for, and finished. */
  iterations: number
  finishedIterations: number
  isFinished: boolean
  /** What computed it, as its log has it; null before it has started. */
  backend: string | null
  /** Who plays, where it is not the built-in models. Runs of before have addresses of folders. */
  models?: Partial<Record<Role, RoleSource | string>>
  /** Servers that it has keys of, which are not kept. */
  keyedServers?: string[]
  /** Where its beginning comes from, where it did not start by itself. */
  origin: { kind: 'branch'; runId: string; iteration: number } | { kind: 'import'; name: string } | null
  /** Stays at the top of the list, and is never let go of to make room. */
  isPinned: boolean
  /** Its log and checkpoints were let go of to make room; its curves are still there. */
  isEvicted: boolean
  /** Of its log, as text. */
  logBytes: number
  /** In order. */
  checkpoints: KeptCheckpoint[]
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
}

export type NewRun = Pick<RunSummary, 'runId' | 'preset' | 'settings' | 'iterations' | 'models' | 'keyedServers'>

/** The summary of a run that has not started. */
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
  /** Events that the log held then; whoever goes on from here drops the rest. */
  eventCount: number
  policy: Uint8Array
  reward: Uint8Array
}

export interface RunStore {
  create(summary: RunSummary): Promise<void>
  /** Appends; events arrive in the order of `seq` without gaps. */
  append(runId: string, events: readonly LoggedEvent[]): Promise<void>
  /** How long an iteration took, `timing_s/*` and `perf/*`; of an iteration whose events have been appended. */
  saveTimings?(runId: string, iteration: number, metrics: Readonly<Record<string, number>>): Promise<void>
  saveCheckpoint(checkpoint: RunCheckpoint): Promise<void>
  finish(runId: string): Promise<void>
}

/** What is needed to go on with a run from its last checkpoint. */
export interface ResumableRun {
  summary: RunSummary
  /** As of the checkpoint: every event, without what nothing but people reads (state-event.ts). */
  history: LoggedEvent[]
  checkpoint: RunCheckpoint
}

/** A store that gives runs back. */
export interface ResumableRunStore extends RunStore {
  /** The latest run that did not come to its end and has a checkpoint to go on from. */
  lastUnfinished(): Promise<RunSummary | null>
  /** The last one unless an iteration is given. */
  loadCheckpoint(runId: string, iteration?: number): Promise<RunCheckpoint | null>
  /** The log from event `from` up to and without event `to`, whole, a part at a time. */
  readEvents(runId: string, from?: number, to?: number): AsyncIterable<LoggedEvent[]>
  /** Cuts the run back to its last checkpoint. Null if there is no such run or checkpoint. */
  prepareResume(runId: string): Promise<ResumableRun | null>
  /** Puts another run beside one: the same up to a checkpoint. Null if there is no such run or checkpoint. */
  branch(from: string, iteration: number, branch: { runId: string; iterations: number }): Promise<RunSummary | null>
  remove(runId: string): Promise<void>
}
