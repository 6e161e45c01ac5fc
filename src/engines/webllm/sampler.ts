/** The interface of both WebLLM samplers: batched with its internals, or one sequence at a time with its public interface. */
import { PromptTooLongError } from '../../language-model/sampling/generate.ts'
import type { Completion, GenerateRequest, SamplingOptions, Tokens } from '../../method/ports.ts'
import type { ResponseFormat } from './surface.ts'

export interface SamplerOptions extends SamplingOptions {
  /** The required format of a completion; log-probabilities are then relative to the allowed tokens. */
  format?: ResponseFormat
}

export interface Sampler {
  /** `completions[request][j]`; the same for the same seeds and weights. Throws PromptTooLongError or the signal's reason. */
  generate(requests: readonly GenerateRequest[], options: SamplerOptions, signal?: AbortSignal): Promise<Completion[][]>
  /** log p of every token after the first, given those before it; [sequence][tokens.length - 1]. */
  score(sequences: readonly Tokens[], temperature: number, signal?: AbortSignal): Promise<Float32Array[]>
  dispose(): void
}

/** Most tokens in a completion of this prompt. */
export function roomFor(prompt: Tokens, maxTokens: number, contextWindow: number): number {
  if (prompt.length === 0)
    throw new PromptTooLongError(
      'A prompt is empty, but a model requires at least one token. Begin the prompt with some text.',
    )
  if (prompt.length >= contextWindow)
    throw new PromptTooLongError(
      `A prompt has ${prompt.length} tokens, and this model was loaded for ${contextWindow} together with the response. Lower maxSteps, or load the model with a longer context.`,
    )
  return Math.min(maxTokens, contextWindow - prompt.length)
}
