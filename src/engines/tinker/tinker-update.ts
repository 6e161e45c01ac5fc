/**
 * One update over a batch on a server: each optimiser step is a forward and backward pass over its part of the examples and a
 * step of AdamW (β = 0.9, 0.999, ε = 1e-8, as our own). Metrics are computed from the server's log-probabilities. Entropy is
 * estimated by the mean of -log π over the samples, because the server returns no distributions.
 */
import { noUpdate } from '../../language-model/training/no-update.ts'
import { splitIntoUpdates } from '../../language-model/training/packing.ts'
import { comparedWithSampler, type ComparedExample } from '../../language-model/sampling/sampler-mismatch.ts'
import type { TrainingExample, UpdateMetrics, UpdateOptions } from '../../method/ports.ts'
import { RemoteError } from '../remote/remote-error.ts'
import { datum, exampleWeights, ofResponse, tokenTerms, undoReduction } from './policy-loss.ts'
import type { LossReduction, ServerTraits, TinkerClient } from './tinker-client.ts'
import { OptimOutput, PassOutput } from './wire.ts'

/** Examples in one request; gradients of several requests add up. */
const EXAMPLES_PER_REQUEST = 64

export interface UpdateContext {
  client: TinkerClient
  modelId: string
  traits: ServerTraits
  signal?: AbortSignal | undefined
}

/** Throws RemoteError for settings that this interface does not support, before any request. */
export function checkOptions({ temperature }: Pick<UpdateOptions, 'temperature'>): void {
  if (temperature === 1) return
  throw new RemoteError('unsupported', {
    what: `A model on a Tinker server cannot learn from samples at temperature ${temperature}.`,
    why: 'Its log-probabilities are always those of temperature 1, and ratios require one common temperature.',
    remedy: 'Set the temperature of the role that learns to 1.',
  })
}

export async function updateOnServer(
  examples: readonly TrainingExample[],
  options: UpdateOptions,
  context: UpdateContext,
): Promise<UpdateMetrics> {
  const totals = noUpdate()
  let compared: readonly ComparedExample[] = examples
  if (options.sampledElsewhere === true) {
    const comparison = comparedWithSampler(examples, await forward(examples, context), options.importanceCap)
    compared = comparison.examples
    totals.mismatch_kl = comparison.mismatch
  }
  const steps = splitIntoUpdates(compared, options.updatesPerIteration)
  for (const part of steps) {
    context.signal?.throwIfAborted()
    const weights = exampleWeights(part, options)
    const logProbs = await backward(part, weights, options, context)
    part.forEach((example, index) => add(totals, example, logProbs[index]!, weights[index]!, options, steps.length))
    totals.grad_norm += (await optimiserStep(options, context)) / steps.length
  }
  totals.ppo_kl /= totals.lossTokens
  totals.pg_clipfrac /= totals.lossTokens
  totals.entropy /= totals.lossTokens
  return totals
}

/** Computes the gradients of one optimiser step. Returns the log-probabilities of each example's response. */
async function backward(
  part: readonly ComparedExample[],
  weights: readonly number[],
  options: UpdateOptions,
  context: UpdateContext,
): Promise<Float32Array[]> {
  const { reduction } = context.traits
  const factors = part.map((example, index) => weights[index]! * undoReduction(example, part.length, reduction))
  if (options.klCoefficient === 0) {
    const data = part.map((example, index) =>
      datum(
        example,
        example.oldLogProbs,
        example.oldLogProbs.map((_, token) => factors[index]! * example.advantage * (example.importance?.[token] ?? 1)),
      ),
    )
    const config = {
      clip_low_threshold: 1 - options.clipRatioLow,
      clip_high_threshold: 1 + options.clipRatioHigh,
    }
    return pass('forward_backward', part, data, { loss_fn: 'ppo', loss_fn_config: config }, context)
  }
  const current = await forward(part, context)
  const data = part.map((example, index) =>
    datum(
      example,
      current[index]!,
      current[index]!.map(
        (logProb, token) =>
          tokenTerms(logProb, { ...termsOf(example, token), weight: factors[index]! }, options).coefficient,
      ),
    ),
  )
  return pass('forward_backward', part, data, { loss_fn: 'importance_sampling' }, context)
}

/** log π of every response token with the current weights. */
function forward(examples: readonly TrainingExample[], context: UpdateContext): Promise<Float32Array[]> {
  const data = examples.map((example) => datum(example, example.oldLogProbs, new Float32Array(example.response.length)))
  return pass('forward', examples, data, { loss_fn: 'importance_sampling' }, context)
}

async function pass(
  operation: 'forward' | 'forward_backward',
  examples: readonly TrainingExample[],
  data: readonly object[],
  loss: object,
  { client, modelId, signal }: UpdateContext,
): Promise<Float32Array[]> {
  const logProbs: Float32Array[] = []
  for (let from = 0; from < data.length; from += EXAMPLES_PER_REQUEST) {
    const input = { data: data.slice(from, from + EXAMPLES_PER_REQUEST), ...loss }
    const { output } = await client.train(
      operation,
      { model_id: modelId, [`${operation}_input`]: input },
      PassOutput,
      signal,
    )
    input.data.forEach((_, index) => {
      const values = output.loss_fn_outputs[index]?.logprobs.data ?? []
      const own = ofResponse(values, examples[from + index]!)
      if (own === null) throw misaligned(client.address, operation)
      logProbs.push(own)
    })
  }
  return logProbs
}

/** Norm of the gradient; 0 if the server does not report it. */
async function optimiserStep(options: UpdateOptions, { client, modelId, traits, signal }: UpdateContext) {
  const adam = {
    learning_rate: options.learningRate,
    beta1: 0.9,
    beta2: 0.999,
    eps: 1e-8,
    weight_decay: options.weightDecay,
    ...(traits.clipsGradients && { grad_clip_norm: options.maxGradNorm }),
  }
  const { output } = await client.train('optim_step', { model_id: modelId, adam_params: adam }, OptimOutput, signal)
  const norm = Object.entries(output.metrics ?? {}).find(([name]) => /grad(ient)?_norm/.test(name))
  return norm?.[1] ?? 0
}

function add(
  totals: UpdateMetrics,
  example: ComparedExample,
  logProbs: Float32Array,
  weight: number,
  options: UpdateOptions,
  steps: number,
): void {
  logProbs.forEach((logProb, token) => {
    const terms = tokenTerms(logProb, { ...termsOf(example, token), weight }, options)
    totals.pg_loss += terms.policyGradient / steps
    totals.kl_loss += terms.divergence / steps
    totals.ppo_kl += example.oldLogProbs[token]! - logProb
    totals.pg_clipfrac += terms.isClipped ? 1 : 0
    totals.entropy -= logProb
  })
  totals.lossTokens += example.response.length
  totals.trainedTokens += example.prompt.length + example.response.length
}

function termsOf({ oldLogProbs, advantage, importance }: ComparedExample, token: number) {
  return { oldLogProb: oldLogProbs[token]!, advantage, importance: importance?.[token] ?? 1 }
}

function misaligned(address: string, operation: string): RemoteError {
  return new RemoteError('malformed', {
    what: `${address} answered ${operation} with other log-probabilities than it was asked for.`,
    why: 'Their number differs from the number of tokens, so they cannot be matched.',
    remedy: 'Check that the server’s version has the Tinker interface of SkyRL 0.3.',
  })
}

/** Notice of how this server differs from our own trainer. */
export function differences({
  reduction,
  clipsGradients,
}: {
  reduction: LossReduction
  clipsGradients: boolean
}): string[] {
  return [
    ...(reduction === 'mean-of-examples' ? ['its means over examples and tokens are undone'] : []),
    ...(clipsGradients ? [] : ['gradients are not clipped, for it cannot']),
    'entropy is an estimate from the samples',
  ]
}
