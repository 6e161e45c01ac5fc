/**
 * The small files of a model folder that we write, such that `transformers` opens it: the weights' type in config.json, because
 * it may convert them to the type named there; and tokenizer_config.json, because without it a tokenizer of the architecture
 * is assumed, which for Llama adds a beginning token that our vocabularies do not have.
 */
import type { ModelConfig } from './config.ts'
import type { FloatType } from './safetensors.ts'

export type SavedFolder = Record<
  'model.safetensors' | 'config.json' | 'tokenizer.json' | 'tokenizer_config.json',
  Uint8Array
>

const TYPE_NAMES: Readonly<Record<FloatType, string>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }

export function smallFiles(
  folder: { configJson: unknown; tokenizerJson: unknown },
  { eosTokens }: Pick<ModelConfig, 'eosTokens'>,
  dtype: FloatType,
): Omit<SavedFolder, 'model.safetensors'> {
  const config = folder.configJson as { dtype?: string; max_position_embeddings?: number }
  const type = TYPE_NAMES[dtype]
  return {
    // Newer versions of `transformers` write `dtype`, and read both.
    'config.json': json({ ...config, torch_dtype: type, ...(config.dtype !== undefined && { dtype: type }) }),
    'tokenizer.json': json(folder.tokenizerJson),
    'tokenizer_config.json': json(tokenizerConfig(folder.tokenizerJson, eosTokens, config.max_position_embeddings)),
  }
}

function tokenizerConfig(tokenizerJson: unknown, eosTokens: readonly number[], maxLength?: number): object {
  const { added_tokens: added = [] } = tokenizerJson as { added_tokens?: { id: number; content: string }[] }
  const end = added.find(({ id }) => eosTokens.includes(id))?.content
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    ...(maxLength !== undefined && { model_max_length: maxLength }),
    clean_up_tokenization_spaces: false,
    ...(end !== undefined && { eos_token: end }),
  }
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value, null, 2))
}
