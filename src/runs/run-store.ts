/** Where runs are kept: the page's IndexedDB, files of the command line, memory in tests. */
import type { LoggedEvent } from '../method/events.ts'
import type { Settings } from '../method/settings.ts'

/** What a list of runs shows of each. */
export interface RunSummary {
  runId: string
  preset: string
  settings: Settings
  /** Iterations asked for, and finished. */
  iterations: number
  finishedIterations: number
  isFinished: boolean
  /** Addresses of the models, where they were not the shipped ones. */
  models?: Partial<Record<'policy' | 'reward' | 'author', string>>
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
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
  saveCheckpoint(checkpoint: RunCheckpoint): Promise<void>
  finish(runId: string): Promise<void>
}

/** What is needed to go on with a run from its last checkpoint. */
export interface ResumableRun {
  summary: RunSummary
  /** As of the checkpoint. */
  history: LoggedEvent[]
  checkpoint: RunCheckpoint
}

/** A store that gives runs back. */
export interface ResumableRunStore extends RunStore {
  /** The latest run that did not come to its end and has a checkpoint to go on from. */
  lastUnfinished(): Promise<RunSummary | null>
  loadCheckpoint(runId: string): Promise<RunCheckpoint | null>
  /** Cuts the run back to its last checkpoint. Null if there is no such run or checkpoint. */
  prepareResume(runId: string): Promise<ResumableRun | null>
  remove(runId: string): Promise<void>
}
