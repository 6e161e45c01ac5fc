/**
 * The parts of mlc-chat-config.json that WebLLM reads, for a model that gets raw text: the conversation template adds nothing,
 * so a chat of one message is the message itself. Sizes are compiled into the library and only repeated here.
 */
import type { ModelConfig } from '../language-model/files/config.ts'
import type { MlcArchitecture } from './mlc-parameters.ts'
import type { MlcQuantization } from './mlc-encoding.ts'

export interface ConversationTemplate {
  name: string
  system_template: string
  system_message: string
  roles: { user: string; assistant: string; tool: string }
  seps: string[]
  role_content_sep: string
  role_empty_sep: string
  stop_str: string[]
  stop_token_ids: number[]
  add_role_after_system_message: boolean
}

/** Has no `role_templates`, with which WebLLM would treat "$&" in a message as a pattern of String.replace. */
export function rawTemplate(stopTokens: readonly number[]): ConversationTemplate {
  return {
    name: 'raw',
    system_template: '{system_message}',
    system_message: '',
    roles: { user: '', assistant: '', tool: '' },
    seps: [''],
    role_content_sep: '',
    role_empty_sep: '',
    stop_str: [],
    stop_token_ids: [...stopTokens],
    add_role_after_system_message: true,
  }
}

export interface ChatConfigOptions {
  architecture: MlcArchitecture
  quantization: MlcQuantization
  /** Most tokens of prompt and response together, for which memory is reserved; at most what the model can read. */
  contextWindow: number
  /** How the tokenizer spells bytes: "byte_level" as GPT-2, "byte_fallback" as SentencePiece. */
  tokenizerKind: 'byte_level' | 'byte_fallback'
}

export function mlcChatConfig(config: ModelConfig, options: ChatConfigOptions): Record<string, unknown> {
  const contextWindow = Math.min(options.contextWindow, config.maxPositions)
  return {
    version: '0.1.0',
    model_type: options.architecture,
    quantization: options.quantization,
    vocab_size: config.vocabularySize,
    context_window_size: contextWindow,
    sliding_window_size: -1,
    attention_sink_size: -1,
    prefill_chunk_size: Math.min(1024, contextWindow),
    tensor_parallel_shards: 1,
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    repetition_penalty: 1,
    eos_token_id: [...config.eosTokens],
    tokenizer_files: ['tokenizer.json'],
    tokenizer_info: {
      token_postproc_method: options.tokenizerKind,
      prepend_space_in_encode: false,
      strip_space_in_decode: false,
    },
    conv_template: rawTemplate(config.eosTokens),
  }
}

/** Recognises byte fallback by the tokens "<0x00>" to "<0xFF>" in the vocabulary, which spell bytes. */
export function tokenizerKindOf(tokenizerJson: unknown): 'byte_level' | 'byte_fallback' {
  const model = (tokenizerJson as { model?: { byte_fallback?: boolean } } | null)?.model
  return model?.byte_fallback === true ? 'byte_fallback' : 'byte_level'
}
