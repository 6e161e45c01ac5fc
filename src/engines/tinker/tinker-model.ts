/**
 * A model on a server with Tinker's interface, which samples and trains adapters (LoRA) on a base model. Our loop computes
 * advantages, and the server holds the weights.
 *
 * New weights are saved on the server, at the beginning and after every update, once for training and once for sampling. After a
 * loss (a session timed out, the server restarted, an update was interrupted), a new model is created with the weights and
 * optimiser state of the last complete update, and the call is repeated. An update is applied completely or not at all. Saved
 * weights stay on the server, because not all servers support deleting them.
 */
import { chatPiecesOf, chatRenderer } from '../../language-model/tokens/chat-template.ts'
import { addedTokensOf, readChatTemplate } from '../../language-model/tokens/chat-template-files.ts'
import { noUpdate } from '../../language-model/training/no-update.ts'
import { ModelFileError, type ModelReader, readOptionalJson } from '../../language-model/files/model-reader.ts'
import { Tokenizer } from '../../language-model/tokens/tokenizer.ts'
import { Turns } from '../../method/turns.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type { Completion, GenerateRequest, SamplingOptions, Tokens, TrainingExample, UpdateMetrics, UpdateOptions } from '../../method/ports.ts' // prettier-ignore
import { deriveSeed } from '../../method/random.ts'
import { allOrNone } from '../remote/all-or-none.ts'
import type { HttpClientOptions } from '../remote/http-client.ts'
import { isRemoteError, RemoteError } from '../remote/remote-error.ts'
import type { TinkerSource } from '../../roles/source.ts'
import type { RoleModel, ModelInfo } from '../../roles/role-model.ts'
import { readTinkerCheckpoint, writeTinkerCheckpoint } from './tinker-checkpoint.ts'
import { TinkerClient, type ServerTraits } from './tinker-client.ts'
import { checkOptions, differences, updateOnServer } from './tinker-update.ts'
import { Anything, CreatedModel, Sampled, SavedWeights } from './wire.ts'

export interface TinkerModelOptions {
  source: TinkerSource
  key: string | null
  /** The files of `source.tokenizer`. */
  files: ModelReader
  /** Seed of the adapters' initial weights. */
  seed: number
  /** Reports that the model was lost and recreated. */
  onNotice?: (text: string) => void
  http?: Partial<HttpClientOptions>
}

interface Words {
  tokenizer: Tokenizer
  pieces: ChatPieces | null
  stopTokens: ReadonlySet<number>
  contextTokens: number | null
}

interface OnServer {
  modelId: string
  /** Saved weights of the last complete update, for training and for sampling. */
  weights: string
  sampler: string
}

const LARGEST_SEED = 0x7fffffff

export class TinkerModel implements RoleModel {
  readonly #options: TinkerModelOptions
  readonly #client: TinkerClient
  readonly #turns = new Turns()
  #words: Words | null = null
  #traits: ServerTraits | null = null
  /** The server's limit, or the tokenizer folder's if the server reports none. */
  #contextTokens = Infinity
  #onServer: OnServer | null = null
  /** The model on the server may differ from `#onServer`. */
  #isLost = false
  #saves = 0

  constructor(options: TinkerModelOptions) {
    this.#options = options
    const { baseUrl, timeoutSeconds } = options.source
    this.#client = new TinkerClient({
      baseUrl,
      key: options.key,
      timeoutMs: timeoutSeconds * 1000,
      ...(options.http && { http: options.http }),
    })
  }

  /** Creates the adapters. Throws RemoteError, ModelFileError, TokenizerError or ChatTemplateError. */
  load(): Promise<ModelInfo> {
    return this.#turns.take(async () => {
      const { source, files } = this.#options
      this.#words = await readWords(files)
      this.#traits = await this.#client.traits()
      const { models } = this.#traits
      if (models.size > 0 && !models.has(source.baseModel)) throw noSuchModel(source.baseModel, [...models.keys()])
      const modelId = await this.#createModel()
      this.#onServer = await this.#saved(modelId)
      this.#contextTokens = models.get(source.baseModel) ?? this.#words.contextTokens ?? Infinity
      return {
        parameters: 0,
        backendDescription: [
          `Tinker server at ${new URL(this.#client.address).host}, adapters of rank ${source.rank} on ${source.baseModel}`,
          ...differences(this.#traits),
        ].join('; '),
        maxPositions: this.#contextTokens,
      }
    })
  }

  async chatPieces(): Promise<ChatPieces | null> {
    return this.#loaded(this.#words).pieces
  }

  async encode(texts: readonly string[]): Promise<Tokens[]> {
    const { tokenizer } = this.#loaded(this.#words)
    return texts.map((text) => tokenizer.encode(text))
  }

  /** Log-probabilities are the server's, at temperature 1; entropies are 0, because it returns none. */
  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#turns.take(() =>
      this.#surviving(() =>
        allOrNone(signal, requests, (request, either) =>
          Promise.all(Array.from({ length: request.count }, (_, copy) => this.#sample(request, copy, options, either))),
        ),
      ),
    )
  }

  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#turns.take(async () => {
      checkOptions(options)
      const usable = examples.filter(({ response }) => response.length > 0)
      if (usable.length === 0) return noUpdate()
      return this.#surviving(async () => {
        const { modelId } = this.#loaded(this.#onServer)
        const context = { client: this.#client, modelId, traits: this.#loaded(this.#traits), signal }
        // Until the new weights are saved, the model on the server is between two updates.
        this.#isLost = true
        const metrics = await updateOnServer(usable, options, context)
        this.#onServer = await this.#saved(modelId, signal)
        this.#isLost = false
        return metrics
      })
    })
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#turns.take(async () => {
      const { baseModel, rank } = this.#options.source
      return writeTinkerCheckpoint({ baseModel, rank, path: this.#loaded(this.#onServer).weights })
    })
  }

  /** Throws RemoteError, for example if the server no longer has the weights. */
  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#turns.take(async () => {
      const { path } = readTinkerCheckpoint(bytes, this.#options.source)
      this.#onServer = { ...this.#loaded(this.#onServer), weights: path }
      await this.#restore()
    })
  }

  close(): void {
    this.#client.close()
  }

  async #sample(
    { prompt, seed }: GenerateRequest,
    copy: number,
    { temperature, topP, maxTokens }: SamplingOptions,
    signal: AbortSignal,
  ): Promise<Completion> {
    const { tokenizer, stopTokens } = this.#loaded(this.#words)
    const { output } = await this.#client.sample(
      'asample',
      {
        type: 'sample',
        num_samples: 1,
        model_path: this.#loaded(this.#onServer).sampler,
        prompt: { chunks: [{ type: 'encoded_text', tokens: [...prompt] }] },
        sampling_params: {
          max_tokens: Math.max(1, Math.min(maxTokens, this.#contextTokens - prompt.length)),
          seed: deriveSeed(seed, copy) & LARGEST_SEED,
          temperature,
          // Greedy completions have no nucleus.
          top_p: temperature === 0 ? 1 : topP,
          stop: [...stopTokens],
        },
      },
      Sampled,
      signal,
    )
    const { tokens, logprobs } = output.sequences[0]!
    if (logprobs?.length !== tokens.length)
      throw new RemoteError('malformed', {
        what: `${this.#client.address} sampled ${tokens.length} tokens and gave ${logprobs?.length ?? 0} log-probabilities.`,
        why: 'Training requires the log-probability with which each token was sampled.',
        remedy: 'Check that the server’s version has the Tinker interface of SkyRL 0.3.',
      })
    const isStopped = stopTokens.has(tokens.at(-1) ?? -1)
    return {
      tokens: Int32Array.from(tokens),
      logProbs: Float32Array.from(logprobs),
      entropies: new Float32Array(tokens.length),
      text: tokenizer.decode(Int32Array.from(isStopped ? tokens.slice(0, -1) : tokens)),
      finishReason: isStopped ? 'stop' : 'length',
    }
  }

  // ---------------------------------------------------------------------------------------------- recovery

  /** Runs an operation, and repeats it if the server has lost the model. */
  async #surviving<T>(job: () => Promise<T>): Promise<T> {
    if (this.#isLost) await this.#restore()
    try {
      return await job()
    } catch (error) {
      if (!isRemoteError(error, 'not-found', 'unknown-outcome')) throw error
      await this.#restore(error)
      return job()
    }
  }

  async #restore(because?: RemoteError): Promise<void> {
    const { weights } = this.#loaded(this.#onServer)
    this.#isLost = true
    const modelId = await this.#createModel()
    try {
      await this.#client.train('load_weights', { type: 'load_weights', model_id: modelId, path: weights, optimizer: true }, Anything) // prettier-ignore
    } catch (cause) {
      if (!isRemoteError(cause, 'not-found', 'refused')) throw cause
      throw new RemoteError(
        'not-found',
        {
          what: `${this.#client.address} has no weights at ${weights} any more.`,
          why: `${cause.why} Checkpoints of models on a server hold for as long as the server keeps them.`,
          remedy: 'Start the server with its former checkpoints, or start a new run.',
        },
        { cause },
      )
    }
    this.#onServer = await this.#saved(modelId)
    this.#isLost = false
    if (because)
      this.#options.onNotice?.(`The model on ${this.#client.address} was lost and recreated with the weights of its last update. ${because.why}`) // prettier-ignore
  }

  async #createModel(): Promise<string> {
    const { baseModel, rank } = this.#options.source
    const session = await this.#client.openSession()
    const lora = { rank, seed: this.#options.seed & LARGEST_SEED }
    const { output, modelId } = await this.#client.train(
      'create_model',
      { type: 'create_model', session_id: session, model_seq_id: 0, base_model: baseModel, lora_config: lora },
      CreatedModel,
    )
    const id = output.model_id ?? modelId
    if (id === null)
      throw new RemoteError('malformed', {
        what: `${this.#client.address} made a model and did not name it.`,
        why: 'Its answer has no model_id.',
        remedy: 'Check that the server’s version has the Tinker interface of SkyRL 0.3.',
      })
    return id
  }

  /** Every name is new, because a server may reserve names even if saving failed. */
  async #saved(modelId: string, signal?: AbortSignal): Promise<OnServer> {
    const name = `update-${this.#saves++}-${Date.now().toString(36)}`
    const [weights, sampler] = [
      await this.#client.train('save_weights', { type: 'save_weights', model_id: modelId, path: name }, SavedWeights, signal), // prettier-ignore
      await this.#client.train('save_weights_for_sampler', { type: 'save_weights_for_sampler', model_id: modelId, path: name }, SavedWeights, signal), // prettier-ignore
    ]
    return { modelId, weights: weights.output.path, sampler: sampler.output.path }
  }

  #loaded<T>(part: T | null): T {
    if (part === null) throw new Error('The model is not on the server yet; call load first.')
    return part
  }
}

async function readWords(files: ModelReader): Promise<Words> {
  const tokenizerJson = await readOptionalJson(files, 'tokenizer.json')
  if (tokenizerJson === null)
    throw new ModelFileError(
      `There is no tokenizer.json in "${files.name}". Enter the folder of the base model’s tokenizer.`,
    )
  const tokenizer = new Tokenizer(tokenizerJson, files.name)
  const template = await readChatTemplate(files)
  const pieces = template
    ? chatPiecesOf(await chatRenderer(template, files.name), addedTokensOf(tokenizerJson), files.name)
    : null
  const config = (await readOptionalJson(files, 'config.json')) as { eos_token_id?: unknown; max_position_embeddings?: unknown } | null // prettier-ignore
  const ends = [config?.eos_token_id].flat().filter((id): id is number => typeof id === 'number')
  const end = pieces ? tokenizer.tokenId(pieces.responseEnd) : undefined
  const stopTokens = new Set(end === undefined ? ends : [...ends, end])
  if (stopTokens.size === 0)
    throw new ModelFileError(
      `No file in "${files.name}" names the token that ends a response. Add the base model’s config.json, or a chat template.`,
    )
  const context = config?.max_position_embeddings
  return { tokenizer, pieces, stopTokens, contextTokens: typeof context === 'number' ? context : null }
}

function noSuchModel(baseModel: string, offered: readonly string[]): RemoteError {
  return new RemoteError('not-found', {
    what: `The server does not offer the base model “${baseModel}”.`,
    why: `It offers ${offered.slice(0, 8).join(', ')}.`,
    remedy: 'Choose one of these, or start the server with this model.',
  })
}
