/**
 * The whole loop: an iteration of the household preset with the models that ship, on our backend and with the stock one of TensorFlow.js
 * in its place, and how an iteration grows with G and m. All three models in this one thread, where a run gives each its own.
 */
import { HouseholdEnvironment } from '../environments/household/environment.ts'
import { generatedGames } from '../environments/household/game-source.ts'
import { householdFormats } from '../environments/household/roles.ts'
import { LanguageModel, type LanguageModelOptions } from '../language-model/language-model.ts'
import type { ModelReader } from '../language-model/model-folder.ts'
import { isLogged, type LoggedEvent } from '../method/events.ts'
import { runLoop } from '../method/loop.ts'
import type { LanguageModelPort } from '../method/ports.ts'
import { presetSettings, type Settings } from '../method/settings.ts'
import { ratioVerdict, type RatioTargets } from './field.ts'
import { growthExponent } from './growth.ts'
import { compareLogs } from './log-comparison.ts'
import { OWN_NAMES, startOwn } from './own-backend.ts'
import { median } from './repetitions.ts'
import type { StartedBackend } from './subjects.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'

export interface LoopBackend {
  name: string
  start(): Promise<StartedBackend>
  /** Batches that suit it. */
  batches: LanguageModelOptions
}

const ROLES = ['policy', 'reward', 'author'] as const
type Role = (typeof ROLES)[number]

export interface LoopSuiteOptions {
  place: string
  clock: () => number
  readModel(role: Role): ModelReader
  /** In the place of ours; none measures ours alone. */
  stock: readonly LoopBackend[]
  /** Iterations of ours; a stock one is slow and steady, so one is enough. */
  rounds: number
  sizes: LoopSizes
}

export interface LoopSizes {
  /** Differences from the household preset for the comparison, and for the growth, which needs no large one. */
  settings: Partial<Settings>
  growthSettings: Partial<Settings>
  groupSizes: readonly number[]
  evaluationsPerStep: readonly number[]
}

export const LOOP_RATIOS: RatioTargets = { 'tfjs wasm': 5 }
/** Of logged numbers, which are rounded to four decimals at most. */
const TOLERANCE = 1e-3

const OURS: LoopBackend = { name: OWN_NAMES.cpu, start: () => startOwn('cpu'), batches: {} }
const SUITE = 'loop'

export function loopSuite(options: LoopSuiteOptions): Suite {
  return {
    name: SUITE,
    summary: 'an iteration of the household preset, on our backend and on the stock one, and over G and m',
    async run(context) {
      const { sizes } = options
      await compareBackends(options, context)
      await measureGrowth('G', sizes.groupSizes, (groupSize) => ({ groupSize }), options, context)
      await measureGrowth(
        'm',
        sizes.evaluationsPerStep,
        (evaluationsPerStep) => ({ evaluationsPerStep }),
        options,
        context,
      )
    },
  }
}

type Sizes = Measurement['sizes']

async function compareBackends(options: LoopSuiteOptions, context: SuiteContext): Promise<void> {
  const settings = householdSettings(options.sizes.settings)
  const sizes = { ...sizesOf(settings), in: options.place }
  context.progress('An iteration to warm up')
  await runIteration(OURS, settings, options, context)
  const ours = [await runIteration(OURS, settings, options, context)]
  for (const backend of options.stock) {
    context.progress(`An iteration on ${backend.name}`)
    const theirs = await runIteration(backend, settings, options, context)
    while (ours.length < options.rounds) ours.push(await runIteration(OURS, settings, options, context))
    const ourMs = medianMs(ours)
    const { equal, first } = compareLogs(theirs.log, ours[0]!.log, TOLERANCE)
    context.report({
      ...base(`run log on ${backend.name} beside ours`, backend.name, equal, 'share of events equal', sizes),
      note: first === null ? `${ours[0]!.log.length} events, numbers within ${TOLERANCE}` : `the first other: ${first}`,
    })
    report(backend.name, ours, ourMs, theirs)
  }
  if (options.stock.length > 0) return
  while (ours.length < options.rounds) ours.push(await runIteration(OURS, settings, options, context))
  report(null, ours, medianMs(ours), null)

  function report(stock: string | null, own: Iteration[], ownMs: number, theirs: Iteration | null): void {
    const { sampled, trained, note } = own[0]!
    const durations = own.map(({ durationMs }) => durationMs)
    const spread = (Math.max(...durations) - Math.min(...durations)) / ownMs
    context.report({
      ...base('iteration', OURS.name, 60_000 / ownMs, 'iterations/min', sizes),
      note: `${note}; ${seconds(ownMs)}, median of ${own.length}, spread ${(100 * spread).toFixed(0)} %`,
    })
    if (theirs && stock !== null) {
      context.report({
        ...base('iteration', stock, 60_000 / theirs.durationMs, 'iterations/min', sizes),
        note: `${theirs.note}; ${seconds(theirs.durationMs)}, once; ${ratioVerdict(stock, { medianMs: theirs.durationMs }, { medianMs: ownMs }, LOOP_RATIOS)}`,
      })
    }
    context.report({
      ...base('sampling in an iteration', OURS.name, sampled.perSecond, 'tokens/s', sizes),
      note: `${sampled.tokens} tokens, with the prompts read on the way`,
    })
    context.report({
      ...base('updates in an iteration', OURS.name, trained.perSecond, 'tokens/s', sizes),
      note: `${trained.tokens} tokens forward and backward, shared prefixes once`,
    })
  }
}

async function measureGrowth(
  name: string,
  values: readonly number[],
  patch: (value: number) => Partial<Settings>,
  options: LoopSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  context.progress(`Iterations over ${name}`)
  const points: { size: number; cost: number }[] = []
  for (const size of values) {
    const settings = householdSettings({ ...options.sizes.growthSettings, ...patch(size) })
    const iterations = []
    for (let round = 0; round < options.rounds; round++) {
      iterations.push(await runIteration(OURS, settings, options, context))
    }
    points.push({ size, cost: medianMs(iterations) })
  }
  const held = sizesOf(householdSettings(options.sizes.growthSettings))
  context.report({
    ...base(`time of an iteration over ${name}`, OURS.name, growthExponent(points), 'exponent', {
      ...held,
      [name]: `${points[0]!.size} to ${points[points.length - 1]!.size}`,
      in: options.place,
    }),
    note: points.map(({ size, cost }) => `${size}: ${seconds(cost)}`).join(', '),
  })
}

function householdSettings(patch: Partial<Settings>): Settings {
  // Without held-out evaluations, which are no part of an iteration.
  return { ...presetSettings('household'), evaluateEvery: 0, ...patch }
}

function sizesOf({ tasksPerIteration, groupSize, evaluationsPerStep, maxSteps }: Settings): Sizes {
  return { tasks: tasksPerIteration, G: groupSize, m: evaluationsPerStep, steps: maxSteps }
}

interface Iteration extends Work {
  log: LoggedEvent[]
  durationMs: number
  note: string
}

/** The first iteration of a run from the weights that ship; loading them is not timed. */
async function runIteration(
  backend: LoopBackend,
  settings: Settings,
  options: LoopSuiteOptions,
  { signal }: SuiteContext,
): Promise<Iteration> {
  signal?.throwIfAborted()
  const { clock } = options
  const { note, use } = await backend.start()
  await use()
  const models: Partial<Record<Role, LanguageModel>> = {}
  const work: Work = { sampled: new TokenTime(clock), trained: new TokenTime(clock) }
  const log: LoggedEvent[] = []
  try {
    for (const role of ROLES)
      models[role] = await LanguageModel.load(options.readModel(role), 'selected', backend.batches)
    const port = (role: Role) => countingPort(models[role]!, work)
    const start = clock()
    const events = runLoop(
      {
        policy: port('policy'),
        reward: port('reward'),
        author: port('author'),
        environment: new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }),
        formats: householdFormats,
        now: clock,
      },
      {
        runId: 'benchmark',
        preset: 'household',
        backend: 'any',
        models: { policy: 'household-policy', reward: 'household-reward', author: 'household-author' },
        settings,
        iterations: 1,
        ...(signal && { signal }),
      },
    )
    for await (const event of events) if (isLogged(event)) log.push(event)
    return { ...work, log, durationMs: clock() - start, note }
  } finally {
    for (const model of Object.values(models)) await model.dispose()
  }
}

function countingPort(model: LanguageModel, { sampled, trained }: Work): LanguageModelPort {
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

/** Tokens, and the time in which they were worked on. Calls of two models overlap, since they share this thread; that time counts once. */
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

function seconds(ms: number): string {
  return `${(ms / 1000).toPrecision(3)} s`
}

function medianMs(iterations: readonly Iteration[]): number {
  return median(iterations.map(({ durationMs }) => durationMs).sort((a, b) => a - b))
}

function base(name: string, subject: string, value: number, unit: string, sizes: Sizes): Measurement {
  return { suite: SUITE, name, subject, value, unit, sizes }
}
