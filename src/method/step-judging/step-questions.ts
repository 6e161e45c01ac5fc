/**
 * The reward model's m evaluations of steps, each asked for as soon as the step has been played, so that the policy can sample the
 * next ones meanwhile:
 *
 *     prompt of step k = encode(opening) + Σ_{i≤k} encode(step_i) + encode(cue)
 *
 * The pieces are encoded one by one, so the prompts of an episode share their beginnings token by token. A call asks about the steps
 * that were added together, and calls follow one another in order: what is asked together does not depend on time.
 */
import type { Evaluation } from '../events.ts'
import type { LanguageModelPort, StepJudgeFormat, Tokens } from '../ports.ts'
import { deriveSeed } from '../random.ts'
import type { AskOptions, Sampling } from '../reward-strategy.ts'
import { joinArrays } from '../join-arrays.ts'
import type { PlayedStep } from '../rollout.ts'
import type { TrainingSample } from '../training-sample.ts'
import { flippedVote, isFlipped } from '../vote-flips.ts'

/** Answered calls may wait for one that is being computed: a model on several workers divides them, and none should be idle. */
const MOST_CALLS_AT_ONCE = 2

export interface StepJudgement {
  /** [evaluation] */
  votes: Evaluation[]
  /** [evaluation] */
  samples: TrainingSample[]
  /** Entropy and number of each evaluation's tokens; [evaluation] */
  samplings: Sampling[]
}

export class StepQuestions {
  readonly #reward: LanguageModelPort
  readonly #format: StepJudgeFormat
  readonly #options: AskOptions
  /** By episode: a judgement for each step asked about so far. */
  readonly #judgements = new Map<string, Promise<StepJudgement>[]>()
  /** By episode: its transcript up to the last step asked about. */
  readonly #transcripts = new Map<string, Tokens>()
  /** Openings recur in a group and steps recur in a run: each distinct text is encoded once. */
  readonly #tokens = new Map<string, Tokens>()
  #encoded: Promise<unknown> = Promise.resolve()
  #calls: Promise<unknown>[] = []
  #isClosed = false

  constructor(reward: LanguageModelPort, format: StepJudgeFormat, options: AskOptions) {
    this.#reward = reward
    this.#format = format
    this.#options = options
  }

  /** Asks about steps, which follow the episodes' steps so far. */
  add(steps: readonly PlayedStep[]): void {
    if (steps.length === 0) return
    const prompts = this.#encoded.then(() => this.#promptsOf(steps))
    this.#encoded = prompts
    const before = this.#calls.at(-MOST_CALLS_AT_ONCE)
    const answers = Promise.all([prompts, before]).then(([ofSteps]) => this.#ask(steps, ofSteps))
    // Errors reach those who wait for a judgement; there may be none.
    prompts.catch(() => {})
    this.#calls.push(answers.catch(() => {}))
    for (const [index, { episodeId }] of steps.entries()) {
      const judgement = answers.then((all) => all[index]!)
      judgement.catch(() => {})
      const known = this.#judgements.get(episodeId)
      if (known) known.push(judgement)
      else this.#judgements.set(episodeId, [judgement])
    }
  }

  /** How many of an episode's steps have been asked about. */
  countOf(episodeId: string): number {
    return this.#judgements.get(episodeId)?.length ?? 0
  }

  /** Judgements of an episode's steps. Throws the errors of the reward model. */
  async judgementsOf(episodeId: string): Promise<StepJudgement[]> {
    return Promise.all(this.#judgements.get(episodeId) ?? [])
  }

  /** Drops what has not been asked yet, and waits for the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#calls)
  }

  async #ask(steps: readonly PlayedStep[], prompts: readonly Tokens[]): Promise<StepJudgement[]> {
    const { evaluationsPerStep, temperature, topP, signal } = this.#options
    signal?.throwIfAborted()
    if (this.#isClosed) throw new Error('The reward model is no longer asked: the rollouts have ended with an error.')
    const completions = await this.#reward.generate(
      steps.map(({ episodeId, taskId, index }, at) => ({
        prompt: prompts[at]!,
        count: evaluationsPerStep,
        seed: deriveSeed(this.#options.seed, episodeId, index),
        affinity: taskId,
      })),
      { temperature, topP, maxTokens: this.#format.maxTokens },
      signal,
    )
    return steps.map(({ episodeId, index }, at) => {
      const prompt = prompts[at]!
      const evaluations = completions[at]
      if (!evaluations) throw new Error(`The reward model returned no evaluations for episode ${episodeId}.`)
      const judgement: StepJudgement = { votes: [], samples: [], samplings: [] }
      for (const [position, { text, tokens, logProbs, entropies }] of evaluations.entries()) {
        const { reasoning, score } = this.#format.parse(text)
        const vote: Evaluation = { score, reasoning }
        const isTurned = isFlipped(this.#options, episodeId, index, position)
        judgement.votes.push(isTurned ? flippedVote(vote) : vote)
        judgement.samples.push({ prompt, response: tokens, oldLogProbs: logProbs })
        const entropySum = entropies.reduce((sum, entropy) => sum + entropy, 0)
        judgement.samplings.push({ entropySum, tokenCount: entropies.length })
      }
      return judgement
    })
  }

  async #promptsOf(steps: readonly PlayedStep[]): Promise<Tokens[]> {
    const format = this.#format
    const textOf = (step: PlayedStep) => format.step({ response: step.response, observation: step.observation })
    const isFirst = ({ episodeId }: PlayedStep) => !this.#transcripts.has(episodeId)
    await this.#encode([
      format.cue,
      ...steps.filter(isFirst).map(({ opening }) => format.opening(opening)),
      ...steps.map(textOf),
    ])
    const cue = this.#tokens.get(format.cue)!
    return steps.map((step) => {
      const before = this.#transcripts.get(step.episodeId) ?? this.#tokens.get(format.opening(step.opening))!
      const transcript = joinArrays(Int32Array, [before, this.#tokens.get(textOf(step))!])
      this.#transcripts.set(step.episodeId, transcript)
      return joinArrays(Int32Array, [transcript, cue])
    })
  }

  async #encode(texts: readonly string[]): Promise<void> {
    const unknown = [...new Set(texts)].filter((text) => !this.#tokens.has(text))
    const encoded = await this.#reward.encode(unknown)
    unknown.forEach((text, index) => this.#tokens.set(text, encoded[index]!))
  }
}
