/** Runs one iteration in this thread with all three models, and counts what was sampled and trained. */
import { shippedModel } from '../roles/shipped-models.ts'
import { LanguageModel, type LanguageModelOptions } from '../language-model/language-model.ts'
import type { ModelReader } from '../language-model/files/model-folder.ts'
import { isLogged, type LoggedEvent } from '../method/events.ts'
import type { LoopPorts } from '../method/loop-contract.ts'
import { runLoop } from '../method/loop.ts'
import { forRoles, type LanguageModelPort, ROLES, type Role } from '../method/ports.ts'
import type { Settings, ShippedWorld } from '../method/settings.ts'
import type { StartedBackend } from './subjects.ts'

export interface LoopBackend {
  name: string
  start(): Promise<StartedBackend>
  /** Batch sizes for it. */
  batches: LanguageModelOptions
}

/** A world and its models. */
export interface BenchWorld {
  preset: ShippedWorld
  readModel(role: Role): ModelReader
  open(): Pick<LoopPorts, 'environment' | 'formats' | 'unitTests'> & { close(): void }
}

export interface Iteration extends Work {
  log: LoggedEvent[]
  durationMs: number
  note: string
}

/** Runs the first iteration from the shipped weights; loading them is not timed. */
export async function runIteration(
  backend: LoopBackend,
  world: BenchWorld,
  settings: Settings,
  clock: () => number,
  signal?: AbortSignal,
): Promise<Iteration> {
  signal?.throwIfAborted()
  const { note, use } = await backend.start()
  await use()
  const models: Partial<Record<Role, LanguageModel>> = {}
  try {
    for (const role of ROLES)
      models[role] = await LanguageModel.load(world.readModel(role), 'selected', backend.batches)
    return { ...(await iterateOnce((role) => models[role]!, world, settings, clock, signal)), note }
  } finally {
    for (const model of Object.values(models)) await model.dispose()
  }
}

/** Runs the first iteration with loaded models, which it changes. Several roles may share one. */
export async function iterateOnce(
  modelOf: (role: Role) => LanguageModelPort,
  { preset, open }: Pick<BenchWorld, 'preset' | 'open'>,
  settings: Settings,
  clock: () => number,
  signal?: AbortSignal,
): Promise<Omit<Iteration, 'note'>> {
  const work: Work = { sampled: new TokenTime(clock), trained: new TokenTime(clock) }
  const log: LoggedEvent[] = []
  const { close, ...opened } = open()
  try {
    const port = (role: Role) => countingPort(modelOf(role), work)
    const start = clock()
    const events = runLoop(
      {
        policy: port('policy'),
        reward: port('reward'),
        author: port('author'),
        ...opened,
        now: clock,
      },
      {
        runId: 'benchmark',
        preset,
        backend: 'any',
        models: forRoles((role) => shippedModel(preset, role)),
        settings,
        iterations: 1,
        ...(signal && { signal }),
      },
    )
    for await (const event of events) if (isLogged(event)) log.push(event)
    return { ...work, log, durationMs: clock() - start }
  } finally {
    close()
  }
}

function countingPort(model: LanguageModelPort, { sampled, trained }: Work): LanguageModelPort {
  return {
    encode: (texts) => model.encode(texts),
    async generate(...request) {
      const completions = await sampled.during(() => model.generate(...request))
      for (const { tokens } of completions.flat()) sampled.tokens += tokens.length
      return completions
    },
    async update(...request) {
      const metrics = await trained.during(() => model.update(...request))
      trained.tokens += metrics.trainedTokens
      return metrics
    },
    saveCheckpoint: () => model.saveCheckpoint(),
    loadCheckpoint: (bytes) => model.loadCheckpoint(bytes),
  }
}

/** Counts tokens and the time spent on them. Overlapping calls of two models, which share this thread, count once. */
class TokenTime {
  tokens = 0
  durationMs = 0
  readonly #clock: () => number
  #calls = 0
  #since = 0

  constructor(clock: () => number) {
    this.#clock = clock
  }

  get perSecond(): number {
    return this.durationMs > 0 ? (this.tokens / this.durationMs) * 1000 : 0
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#calls++ === 0) this.#since = this.#clock()
    try {
      return await work()
    } finally {
      if (--this.#calls === 0) this.durationMs += this.#clock() - this.#since
    }
  }
}

interface Work {
  sampled: TokenTime
  trained: TokenTime
}
