/**
 * The vocabulary of run events, shared by the page, the command line, recorded runs and remote runs.
 *
 * The log is append-only: an episode is written once, and its scores and advantages are later events, joined by the reader.
 * An `EphemeralEvent` describes this machine or this moment (timings, progress) and never enters the log, so the same seed,
 * backend and settings give the same log, byte for byte.
 */
import type {
  CriticWriter,
  Direction,
  Outcome,
  Score,
  Split,
  Task,
  TestResult,
  UpdateMetrics,
  WrittenTest,
} from './ports.ts'
import type { Strength } from './judge-evaluation/fixed-trajectory.ts'
import type { LivePatch, Settings } from './settings.ts'

export interface EpisodeStep {
  /** The policy's whole text. */
  response: string
  thought: string
  command: string
  observation: string
  /** Tokens of the response with their sampling log-probabilities and entropies, rounded to 4 decimals. */
  tokens: number[]
  logProbs: number[]
  entropies: number[]
  /** Both null in runs of the released system, whose worlds do not report the distance to the goal. */
  trueLabel: 1 | -1 | null
  distance: number | null
  /** Results on the ground-truth tests, if the step was a program. */
  tests?: TestResult[]
}

/** A test that the reward model wrote. */
export interface GeneratedTest {
  /** The reward model's text without the test. */
  reasoning: string
  /** Null if the text contains no test. */
  test: WrittenTest | null
  /** Whether the reference solution passes it: otherwise the test lies. Null if unknown. */
  isTrue: boolean | null
}

export interface Evaluation {
  score: Score
  reasoning: string
  /** Present if the score is the opposite of what the reward model wrote (vote-flips.ts). */
  isFlipped?: true
}

/** The file of a world of one's own (worlds/own/module.ts): the log says exactly which world its run plays in. */
export interface WorldFile {
  /** What the world calls itself. */
  name: string
  /** Name of the file. */
  file: string
  /** The script that the sandbox runs. */
  script: string
  /** SHA-256 of the script, in hexadecimal digits. */
  hash: string
}

/** The first event of a log. A resumed run does not write it again. */
export interface RunStarted {
  type: 'run-started'
  runId: string
  settings: Settings
  preset: string
  backend: string
  models: { policy: string; reward: string; author: string }
  /** Where the world is one from a file. */
  worldFile?: WorldFile
}
/** Logged before the `iteration-started` of the first iteration that it affects. */
export interface SettingsChanged {
  type: 'settings-changed'
  patch: LivePatch
}
/**
 * From this iteration on, a role has another model, named as in `run-started`; the same name is the same model, untrained. A branch
 * begins with it, or a person swaps the model between two iterations. The role's version grows by one.
 */
export interface ModelReplaced {
  type: 'model-replaced'
  role: 'policy' | 'reward' | 'author'
  model: string
}
export interface TaskAdded {
  type: 'task-added'
  task: Task
  split: 'train'
}
/** A repeated number means that the iteration was interrupted and starts again (history.ts). */
export interface IterationStarted {
  type: 'iteration-started'
  taskIds: string[]
  pendingTaskIds: string[]
  /** Tasks that are rolled out again beside their candidates; only with `remeasure`. */
  remeasuredTaskIds?: string[]
}
/** `taskId` is an active task or a pending candidate. */
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
/** What a published log keeps of a task's rollouts in an iteration if it leaves out their steps (runs/published-log.ts). */
export interface GroupSummarised {
  type: 'group-summary'
  taskId: string
  policyVersion: number
  played: number
  won: number
  steps: number
}
/** votes[step][evaluation] */
export interface EpisodeJudged {
  type: 'judged'
  episodeId: string
  rewardVersion: number
  votes: Evaluation[][]
}
/**
 * Advantages of one episode: `policy[step]` and `reward[step][evaluation]`. A model trains with them if it learns in this iteration;
 * null for what would not train even then.
 */
export interface AdvantagesAssigned {
  type: 'advantages'
  episodeId: string
  feedback: number[]
  policy: (number | null)[]
  reward: (number | null)[][]
}
/** The tests that the reward model wrote for a task, run on the task's programs. Replaces `judged` if it writes tests. */
export interface TestsWritten {
  type: 'tests-written'
  taskId: string
  split: Split
  rewardVersion: number
  tests: GeneratedTest[]
  /** The programs' episodes, in the order of the rows of `results`. */
  episodeIds: string[]
  /** results[program][test]; null for an unreadable test. */
  results: (TestResult | null)[][]
}
/**
 * Feedback and advantages of a task's tests; an advantage is null if the test does not train. Missing if the tests' worth is
 * unknown: in profile `reference`, without a correct program.
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
  /** The acc(q) that triggered the rewrite, measured with `policyVersion`. */
  accuracy: number
  policyVersion: number
  criticSummary: string
  /** Who wrote the summary, if the reward model judges in prose. */
  critic?: CriticWritten
  /** Every attempt of the author with its result. If `candidate` is set, it is from the last attempt. */
  attempts: { text: string; message: string; ok: boolean }[]
  candidate: Task | null
}
/** How a summary of prose came about (critic-writing.ts). */
export interface CriticWritten {
  /** With `counts`, the author gave no summary, and equal reasons were counted. */
  writtenBy: CriticWriter
  /** The author's whole answer; missing if it was not asked. */
  answer?: string
  /** Why the reasons were counted. */
  problem?: string
}
export interface RewriteResolved {
  type: 'rewrite-resolved'
  proposalId: string
  taskId: string
  candidateId: string
  direction: Direction
  /** The acc(q) of the rule: when q was last played before q' was, or with `remeasure` beside it. */
  accuracyBefore: number
  policyVersionBefore: number
  accuracyAfter: number
  policyVersionAfter: number
  accepted: boolean
  /** The rule that decided, in symbols and numbers: "acc(q) < acc(q') < α_high: 0.125 < 0.5 < 0.8". */
  rule: string
}
/** Estimates on this iteration's rollouts of what theory.ts defines; null if they cannot be estimated. */
export interface TheoryEstimated {
  type: 'theory'
  pPlus: number | null
  pMinus: number | null
  mu: number | null
  precisionBound: number | null
  /** E[O · S] and λ E[S̄ · S], which sum to E[R · S]. Older logs lack them. */
  grounded?: number | null
  selfConsistency?: number | null
  /** Share of steps in successful trajectories, 0 without steps: the a of the weights a : 1-a in theory.ts. */
  successShare: number
}
export interface EvaluationFinished {
  type: 'evaluation'
  split: 'id' | 'ood'
  policyVersion: number
  acc: number
  /** The same by domain, in worlds that have domains. */
  domains?: Readonly<Record<string, number>>
  episodes: number
  /** Temperature of the policy. Older logs lack it: they were measured at the training temperature. */
  temperature?: number
  /** Which of the two temperatures this is; `both` if they are equal. */
  serves?: 'evaluation' | 'training' | 'both'
  /** UT and Detect with the numbers of tests that they count (test-writing/test-metrics.ts), if the reward model writes tests. */
  tests?: { ut: number | null; utTests: number; detect: number | null; detectTests: number }
}
/** Votes on the steps of fixed trajectories. `good` steps have the true label +1, `bad` ones -1; an unparsable vote is wrong. */
export interface VoteCounts {
  goodVotes: number
  goodRight: number
  badVotes: number
  badRight: number
  /** Those on bad steps whose command the world accepted. Older logs lack them. */
  acceptedBadVotes?: number
  acceptedBadRight?: number
  /** Votes on labelled steps that equal the outcome of their trajectory. */
  outcomeVotesRight: number
  trajectories: number
  /** Trajectories where the sign of the mean of all votes equals the outcome; 0 is wrong. */
  outcomesRight: number
}
/** Tests written for problems with fixed programs (test-writing/test-metrics.ts). */
export interface TestCounts {
  /** Tests of problems with a correct program, and those that all correct programs pass. */
  utTests: number
  utTrue: number
  /** Tests of problems with correct and wrong programs, and those that moreover all wrong programs fail. */
  detectTests: number
  detecting: number
}
/** The reward model, measured on trajectories that never change (judge-evaluation/). */
export interface JudgeEvaluated {
  type: 'judge-evaluation'
  rewardVersion: number
  /** How it was asked. */
  evaluationsPerStep: number
  temperature: number
  /** ε, where it is not 0 (vote-flips.ts). */
  voteFlips?: number
  /** Tasks of each split. */
  tasks: number
  /** By split and by the strength of the policy that played the trajectories, if the reward model judges steps. */
  votes?: (VoteCounts & { split: 'id' | 'ood'; strength: Strength })[]
  /** By split, if it writes tests: a test is tried on the programs of all policies. */
  tests?: (TestCounts & { split: 'id' | 'ood' })[]
}
/** Metrics that follow from the log, with names from METRICS (metrics.ts). Finite numbers only. */
export interface IterationFinished {
  type: 'iteration-finished'
  metrics: Record<string, number>
}
/** After `stopped`, events of an interrupted iteration stay in the log but do not count. */
export interface RunFinished {
  type: 'run-finished'
  reason: 'completed' | 'stopped'
}

export type LoggedBody =
  | RunStarted
  | SettingsChanged
  | ModelReplaced
  | TaskAdded
  | IterationStarted
  | EpisodeFinished
  | GroupSummarised
  | EpisodeJudged
  | AdvantagesAssigned
  | TestsWritten
  | TestAdvantagesAssigned
  | ModelUpdated
  | RewriteProposed
  | RewriteResolved
  | TheoryEstimated
  | EvaluationFinished
  | JudgeEvaluated
  | IterationFinished
  | RunFinished

export type Phase = 'evaluate' | 'rollout' | 'judge' | 'update-policy' | 'update-reward' | 'adapt'

/** Wall-clock measurements of one iteration: `timing_s/*` and `perf/*`. */
export interface TimingsMeasured {
  type: 'timings'
  metrics: Record<string, number>
}
/** The current phase and its progress. */
export interface PhaseProgressed {
  type: 'progress'
  phase: Phase
  done: number
  total: number
}
/** A step of an episode as it happens, before the `episode` event that records it. */
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

/** `seq` counts logged events from 0. `iteration` is 0 before the first. */
export type LoggedEvent = LoggedBody & { seq: number; iteration: number }
export type EphemeralEvent = EphemeralBody & { iteration: number }
export type RunEvent = LoggedEvent | EphemeralEvent

export function isLogged(event: RunEvent): event is LoggedEvent {
  return 'seq' in event
}
