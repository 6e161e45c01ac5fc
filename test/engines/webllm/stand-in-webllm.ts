/**
 * A stand-in for exactly the part of @mlc-ai/web-llm 0.2.86 that the engine uses, public and internal, with a small model. It
 * loads its weights from given files, as WebLLM loads them from the cache.
 */
import { modelFolder } from '../../../src/engines/webllm/model-files.ts'
import type {
  ChatOptions,
  ChatReply,
  ChatRequest,
  EngineOptions,
  PublicEngine,
  ResponseFormat,
  WebLlmModule,
} from '../../../src/engines/webllm/surface.ts'
import type { ModelRecord } from '../../../src/roles/source.ts'
import { Tokenizer } from '../../../src/language-model/tokens/tokenizer.ts'
import { parseTensorCache, TENSOR_CACHE_FILE, tensorBytes } from '../../../src/weight-formats/tensor-cache.ts'
import { tinyTokenizerJson } from '../../language-model/tiny-model.ts'
import { SMALL_MODEL, STOP, VOCABULARY, type CompiledModel, type MemoryFiles } from './small-model.ts'
import { cacheFunctions, StandInTvm } from './stand-in-tvm.ts'

const tokenizer = new Tokenizer(tinyTokenizerJson(), 'the stand-in')

/** A grammar lists its sentences, separated by "|"; a token of several letters matches its letters. */
class StandInMatcher {
  #said = ''
  isFree = false
  readonly #sentences: string[]

  constructor(format: ResponseFormat) {
    if (format.type !== 'grammar') throw new Error('The stand-in knows grammars only.')
    this.#sentences = format.grammar.split('|')
  }

  async getNextTokenBitmask(): Promise<Int32Array> {
    const mask = new Int32Array(Math.ceil(VOCABULARY / 32))
    for (let token = 0; token < VOCABULARY; token++) if (this.#allows(token)) mask[token >> 5]! |= 1 << (token & 31)
    return mask
  }

  acceptToken(token: number): boolean {
    if (!this.#allows(token)) return false
    if (token !== STOP) this.#said += textOf(token)
    return true
  }

  dispose(): void {
    if (this.isFree) throw new Error('A matcher was freed twice.')
    this.isFree = true
  }

  #allows(token: number): boolean {
    if (this.isFree) throw new Error('A matcher was used after it had been freed.')
    if (token === STOP) return this.#sentences.includes(this.#said)
    const text = textOf(token)
    return text !== '' && this.#sentences.some((sentence) => sentence.startsWith(this.#said + text))
  }
}

const texts = new Map<number, string>()
function textOf(token: number): string {
  let text = texts.get(token)
  if (text === undefined)
    texts.set(token, (text = token < 2 || token >= 266 ? '' : tokenizer.decode(Int32Array.of(token))))
  return text
}

export interface StandInOptions {
  files: MemoryFiles
  prefillChunk?: number
  /** The functions of the library; by default those of the small model. */
  compiled?: CompiledModel
  /** Internals to leave out, as own-names.ts lists them: "lock.acquire", "pipeline.tvm.scalar", or names of TVM's functions. */
  without?: readonly string[]
  /** Ignores the logit processor's result, like a version without one. */
  ignoresProcessor?: boolean
}

export class StandInEngine implements PublicEngine {
  loadedModelIdToPipeline = new Map<string, Record<string, unknown>>()
  loadedModelIdToLock = new Map<string, unknown>()
  readonly loads: ModelRecord[] = []
  readonly matchers: StandInMatcher[] = []
  resets = 0
  /** Calls of forwardTokensAndSample and of the chat, by their tokens. */
  readonly reads: number[][] = []
  tvm!: StandInTvm
  isLocked = false
  onStep: (() => void) | null = null
  readonly #options: StandInOptions
  readonly #engineOptions: EngineOptions
  #records: ModelRecord[]
  #chat: ChatOptions | null = null
  #read: number[] = []
  #isInterrupted = false
  #loaded: string | null = null
  #isUnloading = false

  constructor(options: StandInOptions, engineOptions: EngineOptions) {
    this.#options = options
    this.#engineOptions = engineOptions
    this.#records = engineOptions.appConfig.model_list
  }

  setAppConfig({ model_list }: { model_list: ModelRecord[] }): void {
    this.#records = model_list
  }

  async reload(modelId: string, chat: ChatOptions): Promise<void> {
    await this.unload()
    const record = this.#records.find(({ model_id }) => model_id === modelId)
    if (!record) throw new Error(`Cannot find model record for ${modelId}`)
    this.loads.push(record)
    this.#chat = chat
    const { files, prefillChunk = 12, without = [] } = this.#options
    const folder = modelFolder(record.model)
    const read = (name: string) => files.read('webllm/model', folder + name)
    await files.read('webllm/config', `${folder}mlc-chat-config.json`)
    const json: unknown = JSON.parse(new TextDecoder().decode(await read(TENSOR_CACHE_FILE)))
    const parameters = new Map<string, { shape: number[]; dtype: string; bytes: Uint8Array }>()
    const { records } = parseTensorCache(json, 'the stand-in')
    for (const [i, shard] of records.entries()) {
      const bytes = await read(shard.dataPath)
      for (const { name, shape, dtype, ...at } of shard.records)
        parameters.set(name, { shape, dtype, bytes: tensorBytes(bytes, { name, shape, dtype, ...at }) })
      this.#engineOptions.initProgressCallback?.({ progress: (i + 1) / records.length, timeElapsed: 1, text: '' })
    }
    this.tvm = new StandInTvm(parameters, prefillChunk, this.#options.compiled)
    this.tvm.failLookup = without
    void this.tvm.lib.webGPUContext.device.lost.then(() => this.unload())
    const { tvm } = this
    const pipeline: Record<string, unknown> = {
      tvm,
      device: { sync: () => tvm.sync() },
      vm: { getFunction: (name: string) => tvm.getFunction(name) },
      params: { get: (index: number) => this.#lacking('tensor', tvm.params[index]!), dispose: () => {} },
      embed: tvm.embed,
      prefillChunkSize: prefillChunk,
      ...cacheFunctions,
      grammarMatcher: undefined,
      responseFormatCacheKey: undefined,
      prepareGrammarMatcherForSampling: async (config: { response_format: ResponseFormat }) => {
        const matcher = new StandInMatcher(config.response_format)
        this.matchers.push(matcher)
        pipeline.grammarMatcher = this.#lacking('matcher', matcher)
        pipeline.responseFormatCacheKey = 'key'
      },
    }
    const lock = {
      acquire: async () => {
        if (this.isLocked) throw new Error('The stand-in’s lock is held already.')
        this.isLocked = true
      },
      release: async () => void (this.isLocked = false),
    }
    this.#loaded = modelId
    this.loadedModelIdToPipeline.set(modelId, pipeline)
    this.loadedModelIdToLock.set(modelId, lock)
    for (const path of without) leaveOut({ engine: this, pipeline, lock }, path.split('.'))
  }

  /** Like WebLLM's, waits for the device between freeing and forgetting, and so frees twice if called twice meanwhile. */
  async unload(): Promise<void> {
    if (this.#isUnloading) throw new Error('Tokenizer instance already deleted')
    if (this.#loaded !== null) {
      this.#isUnloading = true
      await new Promise((resolve) => setTimeout(resolve, 5))
      this.#isUnloading = false
    }
    this.#loaded = null
    // What was left out is left out again.
    this.loadedModelIdToPipeline = new Map()
    this.loadedModelIdToLock = new Map()
  }

  async resetChat(): Promise<void> {
    this.resets++
    this.#read = []
  }

  async interruptGenerate(): Promise<void> {
    this.#isInterrupted = true
  }

  async forwardTokensAndSample(tokens: number[], _isPrefill: boolean, modelId: string): Promise<number> {
    if (this.#loaded !== modelId) throw new Error('Model not loaded.')
    this.reads.push(tokens)
    this.#read.push(...tokens)
    return this.#sample(null, modelId)
  }

  readonly chat = {
    completions: {
      create: async (request: ChatRequest): Promise<ChatReply> => {
        const template = this.#chat!.conv_template
        if (template.role_content_sep + template.role_empty_sep + template.seps.join('') + template.roles.user !== '')
          throw new Error('The template adds to the prompt.')
        this.#isInterrupted = false
        const matcher = new StandInMatcher(request.response_format)
        const prompt = Array.from(tokenizer.encode(request.messages[0]!.content))
        this.reads.push(prompt)
        this.#read.push(...prompt)
        for (let count = 1; ; count++) {
          const token = await this.#sample(matcher, request.model)
          if (!matcher.acceptToken(token)) throw new Error('Grammar matcher rejected the newly sampled token.')
          if (template.stop_token_ids.includes(token)) return { choices: [{ finish_reason: 'stop' }] }
          if (count >= request.max_tokens) return { choices: [{ finish_reason: 'length' }] }
          if (this.#isInterrupted) return { choices: [{ finish_reason: 'abort' }] }
          this.#read.push(token)
        }
      },
    },
  }

  /** The object, or one that inherits from it without some of its names. */
  #lacking<T extends object>(owner: 'tensor' | 'matcher', object: T): T {
    const names = (this.#options.without ?? []).filter((path) => path.startsWith(`${owner}.`))
    if (names.length === 0) return object
    const lacking = Object.create(object) as T
    for (const path of names) Object.defineProperty(lacking, path.split('.')[1]!, { value: undefined })
    return lacking
  }

  async #sample(matcher: StandInMatcher | null, modelId: string): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.onStep?.()
    const { weights } = this.tvm
    const { compiled = SMALL_MODEL } = this.#options
    let logits = compiled.logits(
      weights,
      this.#read.map((token) => compiled.embed(weights, token)),
    )
    if (matcher) {
      const mask = await matcher.getNextTokenBitmask()
      logits = logits.map((value, token) => ((mask[token >> 5]! >>> (token & 31)) & 1 ? value : -Infinity))
    }
    const processed = this.#engineOptions.logitProcessorRegistry.get(modelId)!.processLogits(logits)
    const used = this.#options.ignoresProcessor ? logits : processed
    return used.reduce((best, value, token) => (value > used[best]! ? token : best), 0)
  }
}

/** Removes a path of names, if it is there. */
function leaveOut(owner: object, [name, ...rest]: string[]): void {
  const value: unknown = Reflect.get(owner, name!)
  if (rest.length > 0) {
    if (typeof value === 'object' && value !== null) leaveOut(value, rest)
  } else if (!Reflect.deleteProperty(owner, name!) || name! in owner) {
    // A method of its class.
    Reflect.set(owner, name!, undefined)
  }
}

/** The module, and the engines created from it. */
export function standIn(options: StandInOptions): { module: WebLlmModule; engines: StandInEngine[] } {
  const engines: StandInEngine[] = []
  class MLCEngine extends StandInEngine {
    constructor(engineOptions: EngineOptions) {
      super(options, engineOptions)
      engines.push(this)
    }
  }
  return { module: { MLCEngine, modelVersion: 'v0_2_86/base' }, engines }
}
