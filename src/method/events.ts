/**
 * The one vocabulary of run events. The page, the command line, a recorded run and a remote run all speak it.
 *
 * The log is append-only: an episode is written once, and what is learned about it later (scores, advantages) is a
 * later event, folded on read. Events of `EphemeralEvent` describe this machine or this moment (timings, progress);
 * they never enter the log, so the same seed, backend and settings give the same log, byte for byte.
 */
import type { Direction, Outcome, Score, Split, Task, TestResult, UpdateMetrics, WrittenTest } from './ports.ts'
import type { LivePatch, Settings } from './settings.ts'

export interface EpisodeStep {
  /** The policy's words. */
  response: string
  thought: string
  command: string
  observation: string
  /** Tokens of the response with their sampling log-probability and entropy, rounded to 4 decimals. */
  tokens: number[]
  logProbs: number[]
  entropies: number[]
  /** Both null where nothing knows them: in runs of the released system, whose worlds do not say how far the goal is. */
  trueLabel: 1 | -1 | null
  distance: number | null
  /** Ground-truth tests, where the step was a program. */
  tests?: TestResult[]
}

/** A test that the reward model wrote. */
export interface GeneratedTest {
  /** The reward model's words but for the test. */
  reasoning: string
  /** Null where the text holds none. */
  test: WrittenTest | null
  /** Whether the reference solution passes it: a test that it does not pass lies. Null where that cannot be known. */
  isTrue: boolean | null
}

export interface Evaluation {
  score: Score
  reasoning: string
}

/** The first event of a log. A run that goes on after a stop does not write it again. */
export interface RunStarted {
  type: 'run-started'
  runId: string
  settings: Settings
  preset: string
  backend: string
  models: { policy: string; reward: string; author: string }
}
/** Logged before the `iteration-started` of the iteration from which it holds. */
export interface SettingsChanged {
  type: 'settings-changed'
  patch: LivePatch
}
export interface TaskAdded {
  type: 'task-added'
  task: Task
  split: 'train'
}
/** A number seen before means that the iteration was cut and starts again; see history.ts. */
export interface IterationStarted {
  type: 'iteration-started'
  taskIds: string[]
  pendingTaskIds: string[]
}
/** `taskId` may be an active task or a pending proposal's candidate. */
export interface EpisodeFinished {
  type: 'episode'
  episodeId: string
  taskId: string
  split: Split
  /** Index in the group of the task. */
  rollout: number
  policyVersion: number
  instruction: string
  opening: string
  steps: EpisodeStep[]
  outcome: Outcome
}
/** votes[step][evaluation] */
export interface EpisodeJudged {
  type: 'judged'
  episodeId: string
  rewardVersion: number
  votes: Evaluation[][]
}
/** Advantages of the policy's steps of one episode, null where the step does not train. `reward[step][evaluation]` likewise. */
export interface AdvantagesAssigned {
  type: 'advantages'
  episodeId: string
  feedback: number[]
  policy: (number | null)[]
  reward: (number | null)[][]
}
/**
 * The tests that the reward model wrote for a task, run on the programs of the task's group. It stands where `judged` stands
 * when steps are scored.
 */
export interface TestsWritten {
  type: 'tests-written'
  taskId: string
  split: Split
  rewardVersion: number
  tests: GeneratedTest[]
  /** Of the programs, in the order of the rows of `results`. */
  episodeIds: string[]
  /** results[program][test]; null for a test that cannot be read: there is none, or not a value that could be one. */
  results: (TestResult | null)[][]
}
/**
 * What the tests of a task are worth, and their advantages; null where a test does not train. A task has none where nothing
 * tells what its tests are worth: in profile `reference`, without a correct program.
 */
export interface TestAdvantagesAssigned {
  type: 'test-advantages'
  taskId: string
  feedback: number[]
  reward: (number | null)[]
}
export interface ModelUpdated {
  type: 'model-updated'
  role: 'policy' | 'reward'
  version: number
  examples: number
  metrics: UpdateMetrics
}
export interface RewriteProposed {
  type: 'rewrite-proposed'
  proposalId: string
  taskId: string
  direction: Direction
  /** acc(q) that triggered the rewrite, and the policy version that it was measured with. */
  accuracy: number
  policyVersion: number
  criticSummary: string
  /** Every attempt of the author with what became of it; the last one is the candidate when `candidate` is set. */
  attempts: { text: string; message: string; ok: boolean }[]
  candidate: Task | null
}
export interface RewriteResolved {
  type: 'rewrite-resolved'
  proposalId: string
  taskId: string
  candidateId: string
  direction: Direction
  accuracyBefore: number
  policyVersionBefore: number
  accuracyAfter: number
  policyVersionAfter: number
  accepted: boolean
  /** The rule that decided, in symbols with its numbers: "acc(q) < acc(q') < α_high: 0.125 < 0.5 < 0.8". */
  rule: string
}
/**
 * p+, p-, μ estimated on this iteration's rollouts, with the bound 1 - exp(-m (μ-1)²), or 1 - exp(-m (μ-1)² / 2) where the m
 * evaluations are tests, which all programs share (theory.ts); null where not estimable.
 */
export interface TheoryEstimated {
  type: 'theory'
  pPlus: number | null
  pMinus: number | null
  mu: number | null
  precisionBound: number | null
  /** Share of steps in successful trajectories, 0 without steps: the balance a : 1-a of what the reward model is taught. */
  successShare: number
}
export interface EvaluationFinished {
  type: 'evaluation'
  split: 'id' | 'ood'
  policyVersion: number
  acc: number
  episodes: number
  /**
   * Where the reward model writes tests: the share that all correct programs pass, over the tests of tasks that have a
   * correct program (UT), and the share that moreover all wrong programs fail, over the tests of tasks that have both
   * (Detect). Null without such tasks.
   */
  tests?: { ut: number | null; utTests: number; detect: number | null; detectTests: number }
}
/** The iteration's metrics that follow from the log, names as in METRICS (metrics.ts). Finite numbers only. */
export interface IterationFinished {
  type: 'iteration-finished'
  metrics: Record<string, number>
}
/** `stopped` leaves events of a cut iteration, if there was one, that no longer count. */
export interface RunFinished {
  type: 'run-finished'
  reason: 'completed' | 'stopped'
}

export type LoggedBody =
  | RunStarted
  | SettingsChanged
  | TaskAdded
  | IterationStarted
  | EpisodeFinished
  | EpisodeJudged
  | AdvantagesAssigned
  | TestsWritten
  | TestAdvantagesAssigned
  | ModelUpdated
  | RewriteProposed
  | RewriteResolved
  | TheoryEstimated
  | EvaluationFinished
  | IterationFinished
  | RunFinished

export type Phase = 'evaluate' | 'rollout' | 'judge' | 'update-policy' | 'update-reward' | 'adapt'

/** Wall-clock measurements of one iteration: `timing_s/*` and `perf/*`. */
export interface TimingsMeasured {
  type: 'timings'
  metrics: Record<string, number>
}
/** Where the loop is now, for people who watch. */
export interface PhaseProgressed {
  type: 'progress'
  phase: Phase
  done: number
  total: number
}
/** One step of an episode as it happens; the episode event that follows is the record. */
export interface StepHappened {
  type: 'step'
  episodeId: string
  taskId: string
  index: number
  response: string
  observation: string
  done: boolean
}
export type EphemeralBody = TimingsMeasured | PhaseProgressed | StepHappened

/** `seq` counts logged events from 0; `iteration` is the one that the event belongs to (0 before the first). */
export type LoggedEvent = LoggedBody & { seq: number; iteration: number }
export type EphemeralEvent = EphemeralBody & { iteration: number }
export type RunEvent = LoggedEvent | EphemeralEvent

export function isLogged(event: RunEvent): event is LoggedEvent {
  return 'seq' in event
}
