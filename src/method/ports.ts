/**
 * The ports of the loop: language models, environment, unit tests. The method itself uses no worker, GPU, page or network; its
 * caller passes implementations of these interfaces.
 *
 * Everything that crosses a port is plain data (structured-cloneable), so that a port can be in a worker.
 */
import type { KlEstimator, LossAggregation } from './settings.ts'

/** Token ids. Sampled tokens are trained on as they are, never re-tokenised. */
export type Tokens = Int32Array

/** +1 solved, -1 failed. */
export type Outcome = 1 | -1
/** One evaluation of one step; 0 is unparsable. */
export type Score = 1 | -1 | 0

export interface SamplingOptions {
  /** 0 always takes the likeliest token, whatever `topP` is. */
  temperature: number
  /** Nucleus mass in (0, 1]; 1 samples from the whole distribution. */
  topP: number
  /** Most tokens in a completion. */
  maxTokens: number
  /** Whether to ignore the grammar that a model may have for its role's usual answers. */
  isFreeForm?: boolean
}

export interface GenerateRequest {
  prompt: Tokens
  /** Completions for this prompt; they share its cache. */
  count: number
  /** Completion `j` draws from a stream that depends only on (seed, j). */
  seed: number
  /** Requests with one affinity begin alike: a model on several workers sends them to the same one. Changes no completion. */
  affinity?: string
}

export interface Completion {
  /** With the stop token, if any. */
  tokens: Tokens
  /** log π(token) at the sampling temperature, or at 1 if that is 0, before top-p; [tokens.length]. */
  logProbs: Float32Array
  /** Entropy in nats of each token's distribution; [tokens.length]. */
  entropies: Float32Array
  /** Without the stop token. */
  text: string
  /** `context`: the prompt alone fills the model's context, so there are no tokens. */
  finishReason: 'stop' | 'length' | 'context'
}

/** A response with the advantage of its tokens: one record from sampling to gradient. */
export interface TrainingExample {
  prompt: Tokens
  response: Tokens
  /** Log-probabilities at sampling; [response.length]. */
  oldLogProbs: Float32Array
  advantage: number
}

export interface UpdateOptions {
  learningRate: number
  clipRatioLow: number
  clipRatioHigh: number
  klCoefficient: number
  klEstimator: KlEstimator
  lossAggregation: LossAggregation
  /** The sampling temperature, at which log-probabilities are compared. */
  temperature: number
  /** Number of optimiser steps that divide the batch. */
  updatesPerIteration: number
  maxGradNorm: number
  weightDecay: number
  /** Whether another program than the trainer has sampled. */
  sampledElsewhere?: boolean
  /** The largest importance weight of a token, if `sampledElsewhere`; 0 or undefined uses no weights. */
  importanceCap?: number
}

/** Means over the batch, finite numbers only. Names are those of verl. */
export interface UpdateMetrics {
  pg_loss: number
  kl_loss: number
  ppo_kl: number
  pg_clipfrac: number
  entropy: number
  grad_norm: number
  /** KL(π_sampler ‖ π_trainer) before the update, only if `sampledElsewhere`. */
  mismatch_kl?: number
  /** Tokens with a loss, and tokens run forward and backward (shared prefixes once). */
  lossTokens: number
  trainedTokens: number
}

export const ROLES = ['policy', 'reward', 'author'] as const
export type Role = (typeof ROLES)[number]

export function forRoles<Value>(valueOf: (role: Role) => Value): Record<Role, Value> {
  return { policy: valueOf('policy'), reward: valueOf('reward'), author: valueOf('author') }
}

/** A language model that plays a role. */
export interface LanguageModelPort {
  encode(texts: readonly string[]): Promise<Tokens[]>
  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]>
  /** Trains one pass over the examples; resolves after the weights have changed. */
  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics>
  /** Weights and optimiser state as one safetensors file, and back. */
  saveCheckpoint(): Promise<Uint8Array>
  loadCheckpoint(bytes: Uint8Array): Promise<void>
  /** Milliseconds that the last update spent sending weights to a separate sampler; null if the model samples for itself. */
  lastSyncMs?(): Promise<number | null>
}

/** What models are called with, for those that pass calls on. */
export type GenerateCall = Parameters<LanguageModelPort['generate']>
export type UpdateCall = Parameters<LanguageModelPort['update']>

// ------------------------------------------------------------------------------------------------ environment

/** A task: an id, a text for display, and a body that only the environment reads. */
export interface Task {
  id: string
  /** The original task that this one descends from (its own id if original). */
  rootId: string
  /** The agent's instruction, for display. */
  instruction: string
  /** Task family, for mixes and drift ("pick_and_place_simple", "arrays"...). */
  kind: string
  /** The part of the world that it is about, if the world has parts: the application of a desktop. */
  domain?: string
  body: unknown
}

export type Split = 'train' | 'id' | 'ood'

export interface EpisodeStart {
  episodeId: string
  /** The agent's first text: scene and instruction. */
  opening: string
}

export interface StepResult {
  episodeId: string
  observation: string
  won: boolean
  /** True after the last step, won or not. */
  done: boolean
  /** False if the world refused the command, so that nothing changed. Absent in worlds that do not say. */
  accepted?: boolean
  /** Ground truth of the step: 1 if it brought the goal closer, or sought information as an expert would. Null if unknown. */
  trueLabel: 1 | -1 | null
  /**
   * Commands to the goal after the step under full knowledge; -1 if it can no longer be reached. For a program, the number of
   * failed ground-truth tests. Null if unknown.
   */
  distance: number | null
  /** The results on the ground-truth tests, if the step was a program. All failed if it could not run. */
  tests?: TestResult[]
}

/** A program on one test. */
export interface TestResult {
  passed: boolean
  /** The judge's verdict in a word or two: "passed", "wrong answer", "time limit". */
  verdict: string
  /** Detail of a failure: "expected 3, got 4"; may be ''. */
  detail: string
  /** True if the checker itself failed, so that the test says nothing about the program. Then `passed` is false. */
  isVoid?: boolean
}

export type Direction = 'harder' | 'easier'

export interface RewriteResult {
  ok: boolean
  /** Present when ok. */
  task?: Task
  /** One sentence: what changed, or why the rewrite was refused. */
  message: string
}

export interface EnvironmentPort {
  /** Up to `count` tasks of a split, the same for the same seed. */
  sampleTasks(split: Split, count: number, seed: number): Promise<Task[]>
  reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]>
  /** Steps the given episodes, and discards those that are done. */
  step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]>
  /** What the author reads about a task (scene digest, goal, hints). */
  describe(task: Task): Promise<string>
  /** Applies the author's text to a task. Accepts exactly the valid rewrites, which are solvable within `maxSteps`. */
  rewrite(task: Task, rewriteText: string, newId: string, maxSteps: number): Promise<RewriteResult>
}

/**
 * A unit test as text, in the released form: input and expected output. For a function, a JSON array of arguments and a JSON
 * value; otherwise standard input and output.
 */
export interface WrittenTest {
  input: string
  output: string
}

/** Programs of one task, each run on all tests. */
export interface UnitTestJob {
  task: Task
  programs: readonly string[]
  /** Null for an unreadable test. */
  tests: readonly (WrittenTest | null)[]
}

export interface UnitTestReport {
  /** results[program][test]; null in the whole column of an unreadable test. */
  results: (TestResult | null)[][]
  /** Whether the reference solution passes the test; null without a reference solution or a readable test. */
  isTrue: (boolean | null)[]
}

/** Runs the programs and tests that models write. */
export interface UnitTestPort {
  /** Reports in the order of the jobs. Failures of programs and tests are results; it never throws for them. */
  runTests(jobs: readonly UnitTestJob[]): Promise<UnitTestReport[]>
}

// ------------------------------------------------------------------------------------------------ role formats

/** A step, as used in prompts. */
export interface TranscriptStep {
  /** The policy's whole response text. */
  response: string
  /** What the environment answered. */
  observation: string
}

/**
 * Prompt formats and parsers of the three roles; pure functions.
 * Transcripts only ever grow by appending, so that models can reuse what they have read:
 *   policy prompt of step k  = opening + Σ_{i<k} (response_i + afterResponse(observation_i))
 *   judge prompt of step k   = judgeOpening + Σ_{i<=k} judgeStep(step_i) + judgeCue
 */
export interface RoleFormats {
  policy: {
    opening(openingText: string): string
    /** Appended after a response; ends with the cue for the next response. */
    afterResponse(observation: string): string
    /** The end of a response as text; inserted before `afterResponse` if the response was cut at its token limit. */
    responseEnd?: string
    /** Never throws; an unreadable response gives command ''. */
    parse(response: string): { thought: string; command: string }
    maxTokens: number
  }
  reward: StepJudgeFormat | TestWriterFormat
  author: {
    prompt(input: {
      description: string
      direction: Direction
      accuracy: number
      criticSummary: string
      /** Whether a language model wrote the summary, or reasons were counted; counted by default. */
      criticWriter?: CriticWriter
    }): string
    /** The rewrite text handed to EnvironmentPort.rewrite. */
    parse(text: string): string
    maxTokens: number
    /** Missing if the model has learned to rewrite and nothing else. */
    critic?: CriticFormat
  }
}

export type CriticWriter = 'author' | 'counts'

/** How the author is asked to summarise what the judge wrote about a task's rollouts. */
export interface CriticFormat {
  /** Bounded, however long the reasonings are. */
  prompt(input: { instruction: string; direction: Direction; reasonings: readonly CriticReasoning[] }): string
  /** Null if unreadable. */
  parse(text: string): string | null
  maxTokens: number
}

/** What the judge wrote about one step, for one of its votes. */
export interface CriticReasoning {
  /** Index of the rollout and of its step. */
  rollout: number
  step: number
  /** How many of the step's votes have the same score. */
  agreeing: number
  votes: number
  text: string
}

/** A reward model that scores every step. */
export interface StepJudgeFormat {
  kind: 'step-judge'
  /** `templated`: the same few reasons again and again, so that counting them says something. `prose`: every one differs. */
  reasoning: 'templated' | 'prose'
  opening(openingText: string): string
  step(step: TranscriptStep): string
  cue: string
  parse(text: string): { reasoning: string; score: Score }
  maxTokens: number
}

/** A reward model that writes unit tests for a task without seeing a program. Each test scores every program. */
export interface TestWriterFormat {
  kind: 'test-writer'
  prompt(openingText: string): string
  /** Never throws; `test` is null if unreadable. */
  parse(text: string): { reasoning: string; test: WrittenTest | null }
  maxTokens: number
}
