/** Models small enough to test with, a tokenizer for them, and the backend that the tests run on. */
import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-backend-cpu'
import { registerBackends } from '../../src/language-model/backends/select-backend.ts'
import { parseModelConfig } from '../../src/language-model/files/config.ts'
import { LanguageModel, type LanguageModelOptions } from '../../src/language-model/language-model.ts'
import { initialWeights } from '../../src/language-model/weights/parameters.ts'
import { randomStream } from '../../src/language-model/sampling/random-stream.ts'
import { Transformer } from '../../src/language-model/transformer.ts'

/** The stock backend, and our own. */
export const BACKENDS = ['cpu', 'simd'] as const

export async function useBackend(name: string): Promise<void> {
  registerBackends()
  await tf.setBackend(name)
  await tf.ready()
}

export const PLAIN = {
  model_type: 'llama',
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 24,
  vocab_size: 40,
  rope_theta: 10_000,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
  max_position_embeddings: 256,
  eos_token_id: 1,
}

/** Each kind of model: tied and grouped, untied and ungrouped, with biases, with QK-norm and heads wider than d / heads. */
export const VARIANTS = {
  'grouped queries, tied embeddings': PLAIN,
  'one key head per query head, own output layer': { ...PLAIN, num_key_value_heads: 4, tie_word_embeddings: false },
  'biases as in Llama': { ...PLAIN, attention_bias: true },
  'biases as in Qwen2.5': { ...PLAIN, model_type: 'qwen2' },
  'query and key norms as in Qwen3': { ...PLAIN, model_type: 'qwen3', head_dim: 8, tie_word_embeddings: false },
}

export function tinyTransformer(
  configJson: object = PLAIN,
  seed = 1,
): { transformer: Transformer; weights: Map<string, Float32Array> } {
  const config = parseModelConfig(configJson, 'tiny')
  const weights = initialWeights(config, seed)
  const uniform = randomStream(seed, 99)
  // Norms and biases differ from 1 and 0, so that a test notices a missing one.
  for (const [name, values] of weights)
    if (/norm\.weight$|\.bias$/.test(name)) for (let i = 0; i < values.length; i++) values[i]! += uniform() - 0.5
  return { transformer: new Transformer(config, weights), weights }
}

/** Letters and a few phrases are whole tokens, everything else is bytes. */
export function tinyTokenizerJson(): object {
  const bytes = byteAlphabet()
  const phrases = ['go to', ' the', ' desk', ' drawer', 'take', ' 1', ' 2', '\n', 'ist möglich']
  const spelled = phrases.map((phrase) => Array.from(new TextEncoder().encode(phrase), (byte) => bytes[byte]!).join(''))
  const vocabulary = ['<|start|>', '<|end|>', ...bytes, ...spelled.filter((piece) => piece.length > 1)]
  const pattern =
    phrases.map((phrase) => phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|') + '| ?[a-zA-Z]+|[^a-zA-Z]'
  return {
    version: '1.0',
    added_tokens: ['<|start|>', '<|end|>'].map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      ignore_merges: true,
      byte_fallback: false,
      unk_token: null,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      merges: [],
    },
  }
}

export function tinyModel(
  overrides: object = {},
  seed = 1,
  options: LanguageModelOptions = {},
): Promise<LanguageModel> {
  return LanguageModel.fresh(
    { ...PLAIN, vocab_size: 270, ...overrides },
    tinyTokenizerJson(),
    seed,
    'selected',
    options,
  )
}

/** The characters that ByteLevel spells the 256 bytes with. */
function byteAlphabet(): string[] {
  const isPrintable = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++))
}

export function randomTokens(uniform: () => number, length: number, vocabularySize = 40): Int32Array {
  return Int32Array.from({ length }, () => 2 + Math.floor(uniform() * (vocabularySize - 2)))
}
