/**
 * The whole loop: an iteration of the household preset with the shipped models, on our backend and on TensorFlow.js's stock one; how
 * an iteration grows with G and m; and an iteration of the coding preset on ours. All three models share this thread, while a run
 * gives each its own.
 */
import { CodingEnvironment } from '../worlds/coding/environment.ts'
import { generatedProblems } from '../worlds/coding/problem-source.ts'
import { codingFormats } from '../worlds/coding/roles/plain-roles.ts'
import type { Role } from '../method/ports.ts'
import type { ModelReader } from '../language-model/files/model-folder.ts'
import { presetSettings } from '../method/presets.ts'
import type { Settings, ShippedWorld } from '../method/settings.ts'
import { ratioVerdict, type RatioTargets } from './field.ts'
import { growthExponent } from './growth.ts'
import { householdSettings, householdWorld } from './household-bench.ts'
import type { JudgeSuiteOptions } from './judge.ts'
import { compareLogs } from './log-comparison.ts'
import { runIteration, type BenchWorld, type Iteration, type LoopBackend } from './loop-iteration.ts'
import { OWN_NAMES, startOwn } from './own-backend.ts'
import { median } from './repetitions.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'

export interface LoopSuiteOptions {
  place: string
  clock: () => number
  readModel(world: ShippedWorld, role: Role): ModelReader
  /** Required to measure the coding preset. */
  startJudge?: JudgeSuiteOptions['startJudge']
  /** Stock backends to compare with; may be empty. */
  stock: readonly LoopBackend[]
  /** Iterations of ours; one is enough for a stock backend, which is slow and steady. */
  rounds: number
  sizes: LoopSizes
}

export interface LoopSizes {
  /** Changes to the household preset for the comparison and, with smaller sizes, for the growth. */
  settings: Partial<Settings>
  /** Changes to the coding preset. */
  codingSettings: Partial<Settings>
  growthSettings: Partial<Settings>
  groupSizes: readonly number[]
  evaluationsPerStep: readonly number[]
}

export const LOOP_RATIOS: RatioTargets = { 'tfjs wasm': 5 }
/** Tolerance of logged numbers, which are rounded to four decimals at most. */
const TOLERANCE = 1e-3

const OURS: LoopBackend = { name: OWN_NAMES.cpu, start: () => startOwn('cpu'), batches: {} }
const SUITE = 'loop'

export function loopSuite(options: LoopSuiteOptions): Suite {
  return {
    name: SUITE,
    summary:
      'an iteration of the household preset, on our backend and on the stock one, and over G and m; one of coding',
    async run(context) {
      const { sizes } = options
      await compareBackends(options, context)
      if (options.startJudge) await measureCoding(coding(options, options.startJudge), options, context)
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
  await runIteration(OURS, household(options), settings, options.clock, context.signal)
  const ours = [await runIteration(OURS, household(options), settings, options.clock, context.signal)]
  for (const backend of options.stock) {
    context.progress(`An iteration on ${backend.name}`)
    const theirs = await runIteration(backend, household(options), settings, options.clock, context.signal)
    while (ours.length < options.rounds)
      ours.push(await runIteration(OURS, household(options), settings, options.clock, context.signal))
    const ourMs = medianMs(ours)
    const { equal, first } = compareLogs(theirs.log, ours[0]!.log, TOLERANCE)
    context.report({
      ...base(`run log on ${backend.name} beside ours`, backend.name, equal, 'share of events equal', sizes),
      note: first === null ? `${ours[0]!.log.length} events, numbers within ${TOLERANCE}` : `the first other: ${first}`,
    })
    report(backend.name, ours, ourMs, theirs)
  }
  if (options.stock.length > 0) return
  while (ours.length < options.rounds)
    ours.push(await runIteration(OURS, household(options), settings, options.clock, context.signal))
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

/** Measures only our backend; the judge has a thread of its own, as in a run. */
async function measureCoding(
  world: BenchWorld,
  options: LoopSuiteOptions,
  { report, progress, signal }: SuiteContext,
): Promise<void> {
  const settings = { ...presetSettings('coding'), evaluateEvery: 0, ...options.sizes.codingSettings }
  const iterations: Iteration[] = []
  progress('Iterations of the coding preset')
  // The first round warms up.
  for (let round = 0; round <= options.rounds; round++)
    iterations.push(await runIteration(OURS, world, settings, options.clock, signal))
  const measured = iterations.slice(1)
  const ms = medianMs(measured)
  const { sampled, trained, note } = measured[0]!
  report({
    ...base('iteration of programs and tests', OURS.name, 60_000 / ms, 'iterations/min', {
      ...sizesOf(settings),
      in: options.place,
    }),
    note: `${note}; ${seconds(ms)}, median of ${measured.length}; ${sampled.tokens} tokens sampled, ${trained.tokens} trained`,
  })
}

function household({ readModel }: LoopSuiteOptions): BenchWorld {
  return { ...householdWorld, readModel: (role) => readModel('household', role) }
}

function coding({ readModel }: LoopSuiteOptions, startJudge: JudgeSuiteOptions['startJudge']): BenchWorld {
  return {
    preset: 'coding',
    readModel: (role) => readModel('coding', role),
    open() {
      const { judge, close } = startJudge()
      const environment = new CodingEnvironment({ judge, problems: generatedProblems() })
      return { environment, unitTests: environment, formats: codingFormats, close }
    },
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
      iterations.push(await runIteration(OURS, household(options), settings, options.clock, context.signal))
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

function sizesOf({ tasksPerIteration, groupSize, evaluationsPerStep, maxSteps }: Settings): Sizes {
  return { tasks: tasksPerIteration, G: groupSize, m: evaluationsPerStep, steps: maxSteps }
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
