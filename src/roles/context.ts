/**
 * A role's model whose context has an end. Transcripts grow, and imported problems may be of any length: a prompt that fills the
 * context is answered by completions without tokens, whose finish reason is `context`, and the other prompts of the call are
 * answered as ever. Engines know nothing of it; they refuse such a prompt, and with it the whole call.
 */
import type { ChatPieces } from '../method/chat-pieces.ts'
import type {
  Completion,
  GenerateRequest,
  SamplingOptions,
  Tokens,
  TrainingExample,
  UpdateMetrics,
  UpdateOptions,
} from '../method/ports.ts'
import type { RoleModel } from './role-model.ts'

export interface ContextBoundOptions {
  /** Tokens that prompt and response may have together; asked at every call, because a model may say so only when it has loaded. */
  maxPositions(): number
  /** Told of the first prompt that is too long; the others are in the log. */
  onFull(promptTokens: number, maxPositions: number): void
}

export class ContextBoundModel implements RoleModel {
  readonly #model: RoleModel
  readonly #options: ContextBoundOptions
  #hasTold = false

  constructor(model: RoleModel, options: ContextBoundOptions) {
    this.#model = model
    this.#options = options
  }

  chatPieces(): Promise<ChatPieces | null> {
    return this.#model.chatPieces()
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#model.encode(texts)
  }

  async generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const maxPositions = this.#options.maxPositions()
    const fits = ({ prompt }: GenerateRequest) => prompt.length < maxPositions
    if (requests.every(fits)) return this.#model.generate(requests, options, signal)
    this.#tell(requests.find((request) => !fits(request))!.prompt.length, maxPositions)
    const answerable = requests.filter(fits)
    const answers = (answerable.length > 0 ? await this.#model.generate(answerable, options, signal) : []).values()
    return requests.map((request) => {
      if (!fits(request)) return Array.from({ length: request.count }, nothingSaid)
      const answer = answers.next()
      if (answer.done) throw new Error('The model answered fewer prompts than it was given.')
      return answer.value
    })
  }

  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#model.update(examples, options, signal)
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#model.saveCheckpoint()
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#model.loadCheckpoint(bytes)
  }

  async lastSyncMs(): Promise<number | null> {
    return (await this.#model.lastSyncMs?.()) ?? null
  }

  #tell(promptTokens: number, maxPositions: number): void {
    if (!this.#hasTold) this.#options.onFull(promptTokens, maxPositions)
    this.#hasTold = true
  }
}

/** For people, of the first prompt that a role's model could not be given. */
export function fullContextNotice(role: string, promptTokens: number, maxPositions: number): string {
  const loses =
    role === 'policy'
      ? 'Its episode ends there, unsolved'
      : role === 'reward'
        ? 'What it was asked about counts as not judged'
        : 'The task stays as it is'
  return (
    `A prompt of ${promptTokens.toLocaleString('en-GB')} tokens fills the context of the ${role} model, which has ` +
    `${maxPositions.toLocaleString('en-GB')}. ${loses}, and so it is with every further one. ` +
    'Lower maxSteps, or choose a longer context for this model.'
  )
}

function nothingSaid(): Completion {
  return {
    tokens: new Int32Array(0),
    logProbs: new Float32Array(0),
    entropies: new Float32Array(0),
    text: '',
    finishReason: 'context',
  }
}
