/** Supervised training of a fresh model on an endless corpus of demonstrations, drawn batch by batch. */
import type { LanguageModel } from '../language-model/language-model.ts'
import { supervisedExamples, type Piece } from './demonstration-corpus.ts'
import { END_OF_RESPONSE } from './vocabulary.ts'

export interface TrainingPlan {
  steps: number
  episodesPerStep: number
  peakLearningRate: number
  weightDecay: number
}

export interface TrainingReport {
  step: number
  /** Mean since the last report, in nats per token. */
  loss: number
  tokensPerSecond: number
}

/** Warm-up over the first 5 %, then a cosine down to a tenth of the peak. `progress` is in [0, 1]. */
export function learningRateAt(progress: number, peak: number): number {
  if (progress < 0.05) return (peak * progress) / 0.05
  return peak * (0.1 + 0.45 * (1 + Math.cos((Math.PI * (progress - 0.05)) / 0.95)))
}

/** `pieces(index)` is demonstration `index`; each is used once. Reports every `reportEvery` steps. */
export async function* trainOnDemonstrations(
  model: LanguageModel,
  pieces: (index: number) => readonly Piece[],
  plan: TrainingPlan,
  reportEvery: number,
): AsyncGenerator<TrainingReport> {
  const encode = (text: string) => model.tokenizer.encode(text)
  const [endOfResponse] = model.tokenizer.encode(END_OF_RESPONSE)
  let [steps, loss, tokens, since] = [0, 0, 0, performance.now()]
  for (let step = 1; step <= plan.steps; step++) {
    const first = (step - 1) * plan.episodesPerStep
    const examples = Array.from({ length: plan.episodesPerStep }, (_, i) => pieces(first + i)).flatMap((episode) =>
      supervisedExamples(episode, encode, endOfResponse!),
    )
    const metrics = await model.fit(examples, {
      learningRate: learningRateAt(step / plan.steps, plan.peakLearningRate),
      weightDecay: plan.weightDecay,
    })
    steps++
    loss += metrics.loss
    tokens += metrics.trainedTokens
    if (step % reportEvery === 0 || step === plan.steps) {
      const now = performance.now()
      yield { step, loss: loss / steps, tokensPerSecond: (1000 * tokens) / (now - since) }
      ;[steps, loss, tokens, since] = [0, 0, 0, now]
    }
  }
}
