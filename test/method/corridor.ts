/**
 * A world small enough to reason about: the agent must walk to the end of a corridor, and each model is one number. The policy
 * walks forward with probability `skill`, the reward model judges correctly with probability `insight`, and learning moves the
 * number along the advantages. All draws depend only on the given seeds.
 */
import type { RunEvent, LoggedEvent } from '../../src/method/events.ts'
import { isLogged } from '../../src/method/events.ts'
import type { LoopPorts, LoopRequest } from '../../src/method/loop-contract.ts'
import { runLoop } from '../../src/method/loop.ts'
import type {
  Completion,
  EnvironmentPort,
  GenerateRequest,
  LanguageModelPort,
  RoleFormats,
  SamplingOptions,
  Task,
  Tokens,
  TrainingExample,
  UpdateMetrics,
  UpdateOptions,
} from '../../src/method/ports.ts'
import { deriveSeed, uniformStream } from '../../src/method/random.ts'
import { parseSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'

export function encodeText(text: string): Tokens {
  const tokens = new Int32Array(text.length)
  for (let i = 0; i < text.length; i++) tokens[i] = text.charCodeAt(i)
  return tokens
}
export const decodeTokens = (tokens: Tokens): string => String.fromCharCode(...tokens)

export class FakeModel implements LanguageModelPort {
  readonly updates: { examples: readonly TrainingExample[]; options: UpdateOptions }[] = []
  readonly prompts: string[] = []
  readonly samplings: SamplingOptions[] = []
  readonly seeds: number[] = []
  /** Completions of each generate call. */
  readonly callSizes: number[] = []
  generateCalls = 0
  level: number
  readonly #respond: (prompt: string, level: number, uniform: () => number) => string
  readonly #onGenerate: (() => void) | undefined

  constructor(
    level: number,
    respond: (prompt: string, level: number, uniform: () => number) => string,
    onGenerate?: () => void,
  ) {
    this.level = level
    this.#respond = respond
    this.#onGenerate = onGenerate
  }

  async encode(texts: readonly string[]): Promise<Tokens[]> {
    return texts.map(encodeText)
  }

  async generate(requests: readonly GenerateRequest[], options: SamplingOptions): Promise<Completion[][]> {
    this.generateCalls++
    this.samplings.push(options)
    this.seeds.push(...requests.map(({ seed }) => seed))
    this.callSizes.push(requests.reduce((total, { count }) => total + count, 0))
    this.#onGenerate?.()
    return requests.map(({ prompt, count, seed }) => {
      const text = decodeTokens(prompt)
      this.prompts.push(text)
      return Array.from({ length: count }, (_, copy) => {
        // Greedy: whatever has a probability happens.
        const uniform = options.temperature === 0 ? () => 0 : uniformStream(deriveSeed(seed, copy))
        const response = this.#respond(text, this.level, uniform)
        const tokens = encodeText(response)
        return {
          tokens,
          logProbs: new Float32Array(tokens.length).map(() => Math.log(0.1 + 0.9 * uniform())),
          entropies: new Float32Array(tokens.length).map(uniform),
          text: response,
          finishReason: 'stop' as const,
        }
      })
    })
  }

  async update(examples: readonly TrainingExample[], options: UpdateOptions): Promise<UpdateMetrics> {
    this.updates.push({ examples, options })
    this.level = Math.min(0.99, this.level + options.learningRate)
    const lossTokens = examples.reduce((total, { response }) => total + response.length, 0)
    return {
      pg_loss: -this.level,
      kl_loss: 0.001,
      ppo_kl: 0.002,
      pg_clipfrac: 0.1,
      entropy: 0.5,
      grad_norm: 1,
      lossTokens,
      trainedTokens: lossTokens,
    }
  }

  async saveCheckpoint(): Promise<Uint8Array> {
    return new Uint8Array(Float64Array.of(this.level).buffer)
  }

  async loadCheckpoint(bytes: Uint8Array): Promise<void> {
    this.level = new Float64Array(bytes.slice().buffer)[0]!
  }
}

const lengthOf = (task: Task): number => (task.body as { length: number }).length
const corridor = (id: string, rootId: string, length: number): Task => ({
  id,
  rootId,
  instruction: `walk ${length} cells`,
  kind: 'corridor',
  body: { length },
})

export class CorridorEnvironment implements EnvironmentPort {
  readonly #lengths: readonly number[]
  readonly #episodes = new Map<string, { length: number; at: number; stepsLeft: number }>()

  constructor(lengths: readonly number[]) {
    this.#lengths = lengths
  }

  async sampleTasks(split: 'train' | 'id' | 'ood', count: number): Promise<Task[]> {
    return Array.from({ length: count }, (_, index) =>
      corridor(`${split}-${index}`, `${split}-${index}`, this.#lengths[index % this.#lengths.length]!),
    )
  }

  async reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]) {
    return starts.map(({ episodeId, task, maxSteps }) => {
      this.#episodes.set(episodeId, { length: lengthOf(task), at: 0, stepsLeft: maxSteps })
      return { episodeId, opening: `corridor of ${lengthOf(task)}.` }
    })
  }

  async step(actions: readonly { episodeId: string; command: string }[]) {
    return actions.map(({ episodeId, command }) => {
      const episode = this.#episodes.get(episodeId)!
      const goesForward = command === 'forward'
      if (goesForward) episode.at++
      episode.stepsLeft--
      const won = episode.at >= episode.length
      const done = won || episode.stepsLeft === 0
      if (done) this.#episodes.delete(episodeId)
      return {
        episodeId,
        observation: goesForward ? 'moved' : 'nothing happened',
        won,
        done,
        trueLabel: goesForward ? (1 as const) : (-1 as const),
        distance: episode.length - episode.at,
      }
    })
  }

  async describe(task: Task): Promise<string> {
    return `corridor of ${lengthOf(task)}`
  }

  async rewrite(task: Task, rewriteText: string, newId: string) {
    const length = Number(rewriteText)
    if (!Number.isInteger(length) || length < 1) return { ok: false, message: `"${rewriteText}" is not a length.` }
    return {
      ok: true,
      task: corridor(newId, task.rootId, length),
      message: `Length ${lengthOf(task)} became ${length}.`,
    }
  }
}

export const formats: RoleFormats = {
  policy: {
    opening: (text) => `${text}>`,
    afterResponse: (observation) => `[${observation}]>`,
    parse: (response) => ({ thought: '', command: response }),
    maxTokens: 8,
  },
  reward: {
    kind: 'step-judge',
    reasoning: 'templated',
    opening: (text) => `${text}|`,
    step: ({ response, observation }) => `${response}:${observation}|`,
    cue: '?',
    parse: (text) => ({ reasoning: text.slice(2), score: text.startsWith('+') ? 1 : text.startsWith('-') ? -1 : 0 }),
    maxTokens: 24,
  },
  author: {
    prompt: ({ description, direction, criticSummary }) => `${direction} ${description} because ${criticSummary}`,
    parse: (text) => text,
    maxTokens: 8,
  },
}

export interface World {
  ports: LoopPorts & { policy: FakeModel; reward: FakeModel; author: FakeModel }
}

/** `insight` is the probability that the judge is right: 0.5 tosses coins, 1 is never wrong. */
export function world(
  options: { lengths?: number[]; skill?: number; insight?: number; onGenerate?: () => void } = {},
): World['ports'] {
  let clock = 0
  return {
    policy: new FakeModel(
      options.skill ?? 0.7,
      (_, skill, uniform) => (uniform() < skill ? 'forward' : 'wait'),
      options.onGenerate,
    ),
    reward: new FakeModel(options.insight ?? 0.8, (prompt, insight, uniform) => {
      const moved = prompt.endsWith('moved|?')
      if (uniform() < 0.05) return 'unreadable'
      const isRight = uniform() < insight
      return moved === isRight ? '+ it moved' : '- nothing happened'
    }),
    author: new FakeModel(0, (prompt, _, uniform) => {
      if (uniform() < 0.3) return 'no idea'
      const length = Number(/of (\d+)/u.exec(prompt)?.[1])
      return String(prompt.startsWith('harder') ? length + 1 : Math.max(1, length - 1))
    }),
    environment: new CorridorEnvironment(options.lengths ?? [5, 1, 6, 9]),
    formats,
    now: () => ++clock,
  }
}

export const smallSettings = (input: Partial<Settings> = {}): Settings =>
  parseSettings({
    policyAccuracyLow: 0,
    policyAccuracyHigh: 1,
    rewardAccuracyLow: 0.2,
    rewardAccuracyHigh: 0.8,
    topP: 0.95,
    seed: 7,
    groupSize: 6,
    tasksPerIteration: 3,
    taskPoolSize: 6,
    maxSteps: 7,
    evaluationsPerStep: 3,
    rewriteAttempts: 3,
    evaluateEvery: 2,
    evaluationTasks: 4,
    // One pass of evaluation, unless a test asks for two.
    evaluationTemperature: input.policyTemperature ?? 1,
    policyLearningRate: 0.02,
    rewardLearningRate: 0.01,
    ...input,
  })

export const request = (settings: Settings, rest: Partial<LoopRequest> = {}): LoopRequest => ({
  runId: 'corridor',
  preset: 'household',
  backend: 'fake',
  models: { policy: 'p', reward: 'r', author: 'a' },
  settings,
  iterations: 3,
  ...rest,
})

export async function collect(ports: LoopPorts, loopRequest: LoopRequest): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of runLoop(ports, loopRequest)) events.push(event)
  return events
}

export async function logOf(ports: LoopPorts, loopRequest: LoopRequest): Promise<LoggedEvent[]> {
  return (await collect(ports, loopRequest)).filter(isLogged)
}

export function ofType<Type extends LoggedEvent['type']>(events: readonly LoggedEvent[], type: Type) {
  return events.filter((event): event is Extract<LoggedEvent, { type: Type }> => event.type === type)
}
