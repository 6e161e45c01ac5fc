/**
 * Bounds prompts by the model's context. Transcripts grow, and imported problems may have any length: a prompt that fills the
 * context gets empty completions with finish reason `context`, and the other prompts of the call are answered as usual. An
 * engine alone would refuse the whole call. Servers that count the tokens of a prompt themselves report when it is too long.
 */
import type { ChatPieces } from '../method/chat-pieces.ts'
import type {
  Completion,
  GenerateRequest,
  SamplingOptions,
  Tokens,
  UpdateCall,
  UpdateMetrics,
} from '../method/ports.ts'
import type { FolderFiles, RoleModel } from './role-model.ts'

export interface FullContextSize {
  promptTokens: number
  maxPositions: number
}

export interface ContextBoundOptions {
  /** Tokens that prompt and response may have together. A function, because it is known only after loading. */
  maxPositions(): number
  /** Called for the first prompt that is too long; null if only the model's server knows the two numbers. */
  onFull(size: FullContextSize | null): void
}

export class ContextBoundModel implements RoleModel {
  readonly #model: RoleModel
  readonly #options: ContextBoundOptions
  #hasReported = false

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
    const tooLong = requests.find((request) => !fits(request))
    if (tooLong) this.#report({ promptTokens: tooLong.prompt.length, maxPositions })
    const answerable = tooLong ? requests.filter(fits) : requests
    const given = answerable.length > 0 ? await this.#model.generate(answerable, options, signal) : []
    if (given.some((group) => group.some(({ finishReason }) => finishReason === 'context'))) this.#report(null)
    if (!tooLong) return given
    const answers = given.values()
    return requests.map((request) => {
      if (!fits(request)) return Array.from({ length: request.count }, fullContext)
      const answer = answers.next()
      if (answer.done) throw new Error('The model answered fewer prompts than it was given.')
      return answer.value
    })
  }

  update(...call: UpdateCall): Promise<UpdateMetrics> {
    return this.#model.update(...call)
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#model.saveCheckpoint()
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#model.loadCheckpoint(bytes)
  }

  /** Null also if the model's weights are not on this machine. */
  async saveFolder(): Promise<FolderFiles | null> {
    return (await this.#model.saveFolder?.()) ?? null
  }

  async lastSyncMs(): Promise<number | null> {
    return (await this.#model.lastSyncMs?.()) ?? null
  }

  #report(size: FullContextSize | null): void {
    if (!this.#hasReported) this.#options.onFull(size)
    this.#hasReported = true
  }
}

/** Notice for the first prompt that fills the context of a role's model. */
export function fullContextNotice(role: string, size: FullContextSize | null): string {
  const loses =
    role === 'policy'
      ? 'The episode ends unsolved'
      : role === 'reward'
        ? 'The step counts as not judged'
        : 'The task is not rewritten'
  const filled = size
    ? `A prompt of ${size.promptTokens.toLocaleString('en-GB')} tokens fills the context of the ${role} model, which has ` +
      `${size.maxPositions.toLocaleString('en-GB')}.`
    : `The server of the ${role} model reports that a prompt is longer than the model's context.`
  return `${filled} ${loses}; the same applies to every further one. Lower maxSteps, or choose a longer context for this model.`
}

/** The answer to a prompt that fills the context. */
export function fullContext(): Completion {
  return {
    tokens: new Int32Array(0),
    logProbs: new Float32Array(0),
    entropies: new Float32Array(0),
    text: '',
    finishReason: 'context',
  }
}
