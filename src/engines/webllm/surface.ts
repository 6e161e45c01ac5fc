/**
 * The public functions of @mlc-ai/web-llm that we call, with our own types: the package's types omit what matters here and refer to
 * missing packages. Its internals are in own-names.ts.
 */
import type { ConversationTemplate } from '../../weight-formats/mlc-chat-config.ts'
import type { ModelRecord } from '../../roles/source.ts'

export interface LogitProcessor {
  /** Gets the logits of the next token [V] after the grammar; returns the logits to sample from. */
  processLogits(logits: Float32Array): Float32Array
  processSampledToken(token: number): void
  resetState(): void
}

export interface InitProgress {
  progress: number
  timeElapsed: number
  text: string
}

export type ResponseFormat = { type: 'grammar'; grammar: string } | { type: 'json_object'; schema?: string }

export interface ChatRequest {
  model: string
  messages: { role: 'user'; content: string }[]
  response_format: ResponseFormat
  max_tokens: number
  temperature: number
  top_p: number
  stream: false
}

export interface ChatReply {
  choices: { finish_reason: string }[]
}

/** Overrides of a model's mlc-chat-config.json. */
export interface ChatOptions {
  conv_template: ConversationTemplate
  context_window_size: number
  sliding_window_size: -1
  temperature: number
  top_p: number
  repetition_penalty: number
  frequency_penalty: number
  presence_penalty: number
}

export interface PublicEngine {
  reload(modelId: string, options: ChatOptions): Promise<void>
  unload(): Promise<void>
  setAppConfig(config: { model_list: ModelRecord[] }): void
  resetChat(keepStats: boolean, modelId: string): Promise<void>
  interruptGenerate(): Promise<void>
  /** Reads further tokens and samples the next, which the logit processor chooses. */
  forwardTokensAndSample(tokens: number[], isPrefill: boolean, modelId: string): Promise<number>
  chat: { completions: { create(request: ChatRequest): Promise<ChatReply> } }
}

export interface EngineOptions {
  appConfig: { model_list: ModelRecord[] }
  initProgressCallback?: (progress: InitProgress) => void
  logitProcessorRegistry: Map<string, LogitProcessor>
  logLevel: 'WARN'
}

export interface WebLlmModule {
  /** Folder of the published libraries that this version loads: "v0_2_86/base". */
  modelVersion: string
  MLCEngine: new (options: EngineOptions) => PublicEngine
}

/** The only import of the package, whose six megabytes are loaded with the first model. */
export async function importWebLlm(): Promise<WebLlmModule> {
  return await import('@mlc-ai/web-llm')
}
