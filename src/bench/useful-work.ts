/**
 * The floating-point operations that a decoder needs, with a multiply and an add counted as two: no padding, no recomputation, and
 * half of the attention matrix, because tokens do not look ahead. Excludes norms, rotations, activations and the softmax, which take
 * a few percent of the time outside matrix products.
 *
 *     one token through the matrices    2 · P              P = L · (2 · d · H·D + 2 · d · Hkv·D + 3 · d · f) + d · V
 *     one token looking at s keys       4 · s · L · H·D    q · k and the weighted sum of v, 2 · s · H·D each
 *     backward                          twice the forward: a product C = A · B has two, dA = dC · Bᵀ and dB = Aᵀ · dC
 *
 * P counts a tied table once, as the output layer; looking tokens up in it is no arithmetic.
 */
import type { ModelConfig } from '../language-model/files/config.ts'

/** The P above: entries of all matrices that multiply a token. */
export function matrixEntries(config: ModelConfig): number {
  const { layers, hiddenSize, heads, keyValueHeads, headDim, intermediateSize, vocabularySize } = config
  const attention = 2 * hiddenSize * heads * headDim + 2 * hiddenSize * keyValueHeads * headDim
  const feedForward = 3 * hiddenSize * intermediateSize
  return layers * (attention + feedForward) + hiddenSize * vocabularySize
}

/** Pairs of a query and a key that it sees, including its own, for `length` tokens after `before` others. */
export function causalPairs(length: number, before = 0): number {
  return length * before + (length * (length + 1)) / 2
}

/** Forward and backward of `sequences` sequences of `length` tokens with a loss on every one. */
export function trainingWork(config: ModelConfig, sequences: number, length: number): number {
  const matrices = 2 * matrixEntries(config) * sequences * length
  return 3 * (matrices + attentionWork(config, sequences * causalPairs(length)))
}

/** The same with frozen weights under adapters, whose own work is left out: the weights have no gradient. */
export function adapterTrainingWork(config: ModelConfig, sequences: number, length: number): number {
  const matrices = 2 * matrixEntries(config) * sequences * length
  return 2 * matrices + 3 * attentionWork(config, sequences * causalPairs(length))
}

/**
 * Sampling `sampled` tokens after each of `rows` prompts of `prompt` tokens with a key/value cache. The last token is sampled but not
 * run, and only positions that are sampled from go through the output layer.
 */
export function generationWork(config: ModelConfig, rows: number, prompt: number, sampled: number): number {
  const outputLayer = config.hiddenSize * config.vocabularySize
  const run = prompt + sampled - 1
  const matrices = 2 * ((matrixEntries(config) - outputLayer) * run + outputLayer * sampled)
  return rows * matrices + attentionWork(config, rows * causalPairs(run))
}

function attentionWork({ layers, heads, headDim }: ModelConfig, pairs: number): number {
  return 4 * pairs * layers * heads * headDim
}
