/** The parts of a folded run: episodes, tests, tasks, rewrites and iterations, each with all that the log says about it. */
import type {
  EpisodeFinished,
  GroupSummarised,
  Evaluation,
  EvaluationFinished,
  ModelUpdated,
  RewriteProposed,
  RewriteResolved,
  TestsWritten,
  TheoryEstimated,
} from '../method/events.ts'
import type { Task } from '../method/ports.ts'

export interface EpisodeView {
  episode: EpisodeFinished
  iteration: number
  /**
   * votes[step][evaluation]; null until judged, in held-out episodes, and if the reward model writes tests: these score all
   * programs of a task at once, see `RunView.testsFor`.
   */
  votes: Evaluation[][] | null
  /** R of every step; null until assigned. */
  feedback: number[] | null
  policyAdvantages: (number | null)[] | null
  /** rewardAdvantages[step][evaluation] */
  rewardAdvantages: (number | null)[][] | null
}

/** The tests that the reward model wrote for a task, with the results of the task's programs. */
export interface TestsView {
  written: TestsWritten
  iteration: number
  /** One entry for each test; null until assigned, if the tests' worth is unknown, and for held-out tasks. */
  feedback: number[] | null
  /** Likewise; an entry is null if the test does not train. */
  advantages: (number | null)[] | null
}

export interface TaskView {
  task: Task
  /** Successes and episodes in each iteration that rolled the task out, in order. */
  history: { iteration: number; won: number; played: number; policyVersion: number }[]
  /** The rewrite that created this task; null for an original task. */
  origin: RewriteView | null
  /** Attempts to rewrite it, oldest first, including refused and rejected ones. */
  rewrites: RewriteView[]
  /** Iterations draw from active tasks; a candidate is pending until it is measured. */
  status: 'active' | 'candidate' | 'rejected' | 'replaced'
}

export interface RewriteView {
  proposal: RewriteProposed
  iteration: number
  /** Null while pending, and for good if the author found no valid candidate. */
  resolution: RewriteResolved | null
}

export interface IterationView {
  iteration: number
  taskIds: string[]
  pendingTaskIds: string[]
  /** Tasks that were rolled out again beside their candidates. */
  remeasuredTaskIds: string[]
  /** Training episodes, in the order in which they ended; empty while the iteration is released. */
  episodes: EpisodeView[]
  /** Tasks whose episodes a published log leaves out. */
  leftOut: GroupSummarised[]
  /** Tests for the training tasks, in order; empty if the reward model judges steps, and while the iteration is released. */
  writtenTests: TestsView[]
  policyUpdate: ModelUpdated | null
  rewardUpdate: ModelUpdated | null
  evaluations: EvaluationFinished[]
  proposed: RewriteProposed[]
  resolved: RewriteResolved[]
  theory: TheoryEstimated | null
  metrics: Record<string, number>
  isFinished: boolean
  /** Whether episodes and tests were freed. `tallies` has the outcomes. */
  isReleased: boolean
  /** Whether it is released, and what was freed could not be read back: the run was deleted, or not stored. */
  isGone: boolean
  /** Outcomes by task while the iteration is released, else empty. */
  tallies: GroupSummarised[]
}
