/**
 * What the loop asks of the world around it. The method knows no worker, GPU, page or network: it talks to
 * language models and to an environment through these ports, and whoever runs the loop plugs them in.
 *
 * Everything that crosses a port is plain data (structured-cloneable), so that a port may live in a worker.
 */
import type { KlEstimator, LossAggregation } from './settings.ts'

/** Token ids. Tokens in, tokens out: what was sampled is trained on as it is, never re-tokenised. */
export type Tokens = Int32Array

/** +1 the task was solved, -1 it was not. */
export type Outcome = 1 | -1
/** What one evaluation says of one step; 0 means that it could not be parsed. */
export type Score = 1 | -1 | 0

export interface SamplingOptions {
  temperature: number
  /** Nucleus mass in (0, 1]; 1 samples from the whole distribution. */
  topP: number
  /** Tokens that a completion may have at most. */
  maxTokens: number
}

export interface GenerateRequest {
  prompt: Tokens
  /** Completions wanted for this prompt; they share its cache. */
  count: number
  /** Completion `j` of this request draws from a stream derived from (seed, j) alone. */
  seed: number
}

export interface Completion {
  /** Includes the stop token if there was one. */
  tokens: Tokens
  /** log π(token) at the sampling temperature, before top-p; [tokens.length]. */
  logProbs: Float32Array
  /** Entropy in nats of the distribution that each token was drawn from; [tokens.length]. */
  entropies: Float32Array
  /** `text` is without the stop token. */
  text: string
  /** `context`: the prompt alone fills the model's context, so nothing could be said; there are no tokens then. */
  finishReason: 'stop' | 'length' | 'context'
}

/** A response with the advantage of all of its tokens. One record, from sampling to gradient. */
export interface TrainingExample {
  prompt: Tokens
  response: Tokens
  /** As sampled; [response.length]. */
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
  /** Temperature the examples were sampled at; log-probabilities are compared at it. */
  temperature: number
  /** Optimiser steps that the batch is split into. */
  updatesPerIteration: number
  maxGradNorm: number
  weightDecay: number
  /** Whether another program than the one that trains has sampled; it is said by whoever knows both. */
  sampledElsewhere?: boolean
  /** Where sampled elsewhere, the most that a token's importance weight may be; 0, or not given, leaves the weights out. */
  importanceCap?: number
}

/** Means over the batch, finite numbers only. Names are verl's leaves. */
export interface UpdateMetrics {
  pg_loss: number
  kl_loss: number
  ppo_kl: number
  pg_clipfrac: number
  entropy: number
  grad_norm: number
  /** KL(π_sampler ‖ π_trainer) before the update, only where sampled elsewhere. */
  mismatch_kl?: number
  /** Tokens that carried a loss, and tokens run forward and backward (shared prefixes once). */
  lossTokens: number
  trainedTokens: number
}

export interface Progress {
  done: number
  total: number
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
  /** One pass over the examples; resolves after the weights have changed. */
  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics>
  /** Weights and optimiser state as one safetensors file, and back. */
  saveCheckpoint(): Promise<Uint8Array>
  loadCheckpoint(bytes: Uint8Array): Promise<void>
  /** Of the last update, the milliseconds in which its weights went to whatever samples for this model; null where it samples itself. */
  lastSyncMs?(): Promise<number | null>
}

// ------------------------------------------------------------------------------------------------ environment

/** A task as the loop sees it: an id, words for people, and a body only the environment reads. */
export interface Task {
  id: string
  /** The root of the lineage: the original task that this one descends from (its own id if original). */
  rootId: string
  /** What the agent is told, as shown to people. */
  instruction: string
  /** Task family, for mixes and drift ("pick_and_place_simple", "arrays"...). */
  kind: string
  body: unknown
}

export type Split = 'train' | 'id' | 'ood'

export interface EpisodeStart {
  episodeId: string
  /** Text that the agent reads first: scene and instruction. */
  opening: string
}

export interface StepResult {
  episodeId: string
  observation: string
  won: boolean
  /** True after the last step, won or not. */
  done: boolean
  /** Ground truth of the step just taken: did it bring the goal closer, or seek information as an expert would? */
  trueLabel: 1 | -1
  /**
   * Commands to the goal after the step under full knowledge; -1 where it can no longer be reached. Of a program: the
   * ground-truth tests that it failed.
   */
  distance: number
  /** Where the step was a program: how it fared on each ground-truth test. Failed ones too where nothing could be run. */
  tests?: TestResult[]
}

/** A program on one test. */
export interface TestResult {
  passed: boolean
  /** The judge's verdict in a word or two: "passed", "wrong answer", "time limit". */
  verdict: string
  /** What people want to know of a test that was not passed: "expected 3, got 4"; '' where there is nothing to say. */
  detail: string
  /** True where the test says nothing of the program, for what should have judged the answer failed itself. Not passed then. */
  isVoid?: boolean
}

export type Direction = 'harder' | 'easier'

export interface RewriteResult {
  ok: boolean
  /** Present when ok. */
  task?: Task
  /** One sentence: what was changed, or why the rewrite was refused. */
  message: string
}

export interface EnvironmentPort {
  /** `count` tasks of a split, the same for the same seed. */
  sampleTasks(split: Split, count: number, seed: number): Promise<Task[]>
  reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]>
  /** Steps the named episodes; an episode that is done is forgotten. */
  step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]>
  /** What the author is told of a task (scene digest, goal, hints). */
  describe(task: Task): Promise<string>
  /** Applies the author's rewrite (its text) to a task; validity is exact, solvable within `maxSteps` included. */
  rewrite(task: Task, rewriteText: string, newId: string, maxSteps: number): Promise<RewriteResult>
}

/**
 * A unit test as text, in the released form: what the program is given, and what it must answer. Arguments as a JSON array
 * and a JSON value where a function is called, standard input and output otherwise.
 */
export interface WrittenTest {
  input: string
  output: string
}

/** Programs of one task, each to be run on all tests. */
export interface UnitTestJob {
  task: Task
  programs: readonly string[]
  /** Null where the reward model wrote nothing readable. */
  tests: readonly (WrittenTest | null)[]
}

export interface UnitTestReport {
  /** results[program][test]; null in the whole column of a test that cannot be read, for then nothing can be run. */
  results: (TestResult | null)[][]
  /** Whether the reference solution passes the test; null where there is no reference solution or no readable test. */
  isTrue: (boolean | null)[]
}

/** Runs what models write: needed where the reward model writes tests. */
export interface UnitTestPort {
  /** Reports in the order of the jobs. Whatever a program or a test does shows in its results; it never throws for them. */
  runTests(jobs: readonly UnitTestJob[]): Promise<UnitTestReport[]>
}

// ------------------------------------------------------------------------------------------------ role formats

/** A step as prompts see it. */
export interface TranscriptStep {
  /** The policy's whole response text. */
  response: string
  /** What the environment answered. */
  observation: string
}

/**
 * Prompt formats and parsers of the three roles, given by the environment; pure functions.
 * A transcript is built from pieces that only ever grow by appending, so that models can reuse what they have read:
 *   policy prompt of step k  = opening + Σ_{i<k} (response_i + afterResponse(observation_i))
 *   judge prompt of step k   = judgeOpening + Σ_{i<=k} judgeStep(step_i) + judgeCue
 */
export interface RoleFormats {
  policy: {
    opening(openingText: string): string
    /** Appended after a response; ends with the cue for the next response. */
    afterResponse(observation: string): string
    /** What the model ends a response by: goes before that where a response was cut at its token limit. */
    responseEnd?: string
    /** Never throws; a response without a readable command gives command ''. */
    parse(response: string): { thought: string; command: string }
    maxTokens: number
  }
  reward: StepJudgeFormat | TestWriterFormat
  author: {
    prompt(input: { description: string; direction: Direction; accuracy: number; criticSummary: string }): string
    /** The rewrite text handed to EnvironmentPort.rewrite. */
    parse(text: string): string
    maxTokens: number
  }
}

/** A reward model that scores every step. */
export interface StepJudgeFormat {
  kind: 'step-judge'
  opening(openingText: string): string
  step(step: TranscriptStep): string
  cue: string
  parse(text: string): { reasoning: string; score: Score }
  maxTokens: number
}

/** A reward model that writes unit tests for a task, without having seen a program; each of them scores every program. */
export interface TestWriterFormat {
  kind: 'test-writer'
  prompt(openingText: string): string
  /** Never throws; null where no test can be read. */
  parse(text: string): { reasoning: string; test: WrittenTest | null }
  maxTokens: number
}
