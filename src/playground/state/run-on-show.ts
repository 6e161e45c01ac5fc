/** A run as the page shows it, whichever way its events arrive: live, recorded or from a cluster. */
import type { LoggedEvent, Phase, StepHappened } from '../../method/events.ts'
import type { RunView } from '../../runs/fold.ts'
import type { Lane } from '../kit/revision.svelte.ts'

/** Decides who else can find the run: everybody has the shipped one; a file and a kept run are on one computer. */
export type RunOrigin = 'shipped' | 'file' | 'browser' | 'cluster'

export interface RunOnShow {
  readonly origin: RunOrigin
  /** Null for a run log, which is not among the kept runs; empty before the first live run. */
  readonly runId: string | null
  /** Changes when another run comes in its place. */
  readonly key: string
  /** The loop's current phase; null while nothing moves. */
  readonly phase: Phase | null
  /** Whether new iterations are being computed. */
  readonly isBusy: boolean
  /** Steps of the episodes that are being rolled out, by episode. */
  readonly liveSteps: ReadonlyMap<string, readonly StepHappened[]>
  /** The view changes in place. Reading it here subscribes the caller to its changes, in the lane's turn. */
  viewFor(lane: Lane): RunView
  /** Iterations of the whole run, at least 1; a recorded run may show fewer. */
  lengthFor(lane: Lane): number
  /** Reads back the episodes of an iteration that were released from memory, and keeps them until another is wanted. */
  want(iteration: number): Promise<void>
  /** What a run log was opened from. */
  readonly file?: File | null
  /** Which shipped run it is besides a world's own (recordings.ts). */
  readonly recording?: string | null
}

/** Reads the events of a kept or recorded run. */
export interface RecordingSource {
  /** The readable events of one iteration. */
  eventsOf(iteration: number): Promise<readonly LoggedEvent[]>
}
