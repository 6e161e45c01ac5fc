/**
 * Generation: greedy decoding of random prompts beside peers with the same weights, and how its time grows, including over the
 * completions that share a prompt: the rollouts of a group (G) and the evaluations of a step (m).
 */
import { benchModel, type BenchShape, randomPrompts } from './bench-model.ts'
import { relativeDifference } from './comparison.ts'
import { openField, ratioVerdict, type RatioTargets, unlessFailed } from './field.ts'
import { growthExponent } from './growth.ts'
import { reportMemory } from './memory-report.ts'
import { bytesInUse, dispatchesOf, kernelTimes, peakBytes } from './meter.ts'
import { DEVICES, OWN_NAMES, startOwn } from './own-backend.ts'
import type { OwnGeneration } from './own-generation.ts'
import { matmulPeak } from './peak.ts'
import { reportKernelShares } from './profile.ts'
import { type Contender, sideBySide, type SideBySideOptions } from './side-by-side.ts'
import { type Field, type GenerationSubject, processorClockOf, type StartedBackend } from './subjects.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'
import { generationWork } from './useful-work.ts'

/** The sizes of one generation: prompts and completions have one length each. */
export interface Generation {
  prompts: number
  promptLength: number
  /** Completions of each prompt. */
  completions: number
  sampled: number
}

export interface GenerateSizes {
  /** The comparison with peers, with one completion of each prompt. */
  reference: { shape: BenchShape; prompts: number; promptLength: number; sampled: number }
  /** Sizes over which growth is measured, with the reference's shape. A list with fewer than two is skipped. */
  growth: {
    shapes: readonly BenchShape[]
    base: Generation
    prompts: readonly number[]
    promptLengths: readonly number[]
    /** One prompt and its group. */
    groups: readonly number[]
    /** Evaluations of each of the base's prompts. */
    evaluations: readonly number[]
  }
  /** Side of the matrices whose product measures the peak. */
  peak: number
}

export interface GenerateSuiteOptions extends Omit<SideBySideOptions, 'signal'> {
  place: string
  fields: readonly Field<GenerationSubject, OwnGeneration>[]
  sizes: GenerateSizes
}

export const GENERATION_RATIOS: RatioTargets = { 'tfjs wasm': 5, 'transformers.js wasm': 1.5 }
/** Largest relative difference of logits. */
const TOLERANCE = 1e-3
/** Least share of equal tokens: if two are almost equally likely, rounding decides and later tokens differ. */
const LEAST_EQUAL = 0.9
const COMPARED_PROMPTS = 4

const SUITE = 'generate'

export function generateSuite(options: GenerateSuiteOptions): Suite {
  return {
    name: SUITE,
    summary: 'sampling beside peers on the same weights, and how it grows with batch, context, G and m',
    async run(context) {
      for (const field of options.fields) {
        await compareWithPeers(field, options, context)
        await measureGrowth(field, options, context)
      }
    },
  }
}

type Sizes = Measurement['sizes']

async function compareWithPeers(
  field: Field<GenerationSubject, OwnGeneration>,
  options: GenerateSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const { shape, prompts: rows, promptLength, sampled } = options.sizes.reference
  const model = benchModel(shape)
  const sizes = {
    parameters: `${(model.parameters / 1e6).toFixed(2)} M`,
    batch: rows,
    prompt: promptLength,
    context: promptLength + sampled,
    on: DEVICES[field.device],
    in: options.place,
  }
  const prompts = randomPrompts(model.config, rows, promptLength)
  const { own, peers, dispose } = await openField(field, model, context)
  const backend = await startOwn(field.device)
  const peak = await matmulPeak(backend, { size: options.sizes.peak })
  try {
    const comparable = await comparedWith(own, peers, prompts, sampled, sizes, context)
    const subjects = [own, ...comparable]
    context.progress(`Generating in turn: ${subjects.map(({ name }) => name).join(', ')}`)
    const contenders: Contender[] = subjects.map((subject) => ({
      subject: subject.name,
      run: () => subject.generate(prompts, sampled),
      processorClock: processorClockOf(subject),
    }))
    const [atPeak, ...timed] = await sideBySide([peak, ...contenders], { ...options, signal: context.signal })
    const peakSpeed = peak.work / atPeak!.medianMs / 1e6
    const work = generationWork(model.config, rows, promptLength, sampled)
    for (const [index, { name, note: about }] of subjects.entries()) {
      const { medianMs, note } = timed[index]!
      const verdict = index === 0 ? '' : `; ${ratioVerdict(name, timed[index]!, timed[0]!, GENERATION_RATIOS)}`
      const report = (value: number, unit: string, more: string) =>
        context.report({ ...base('generation', name, value, unit, sizes), note: more })
      const speed = work / medianMs / 1e6
      report(((rows * sampled) / medianMs) * 1000, 'tokens/s', `${about}; ${note}; prompts read on the way${verdict}`)
      report(speed, 'GFLOP/s', 'useful work alone')
      report(
        speed / peakSpeed,
        'share of the matmul peak',
        `of ${peakSpeed.toPrecision(3)} GFLOP/s, as our engine reaches it`,
      )
    }
    await measureOwnCosts(own, comparable, backend, prompts, options, sizes, context)
  } finally {
    peak.dispose()
    dispose()
  }
}

/** The peers with our logits and tokens; reports the others as not timed. */
async function comparedWith(
  own: GenerationSubject,
  peers: readonly GenerationSubject[],
  prompts: readonly Int32Array[],
  sampled: number,
  sizes: Sizes,
  context: SuiteContext,
): Promise<GenerationSubject[]> {
  const few = prompts.slice(0, COMPARED_PROMPTS)
  const logits = await own.logits(few)
  const tokens = await own.generate(few, sampled)
  const comparable: GenerationSubject[] = []
  for (const peer of peers) {
    context.signal?.throwIfAborted()
    context.progress(`Comparing tokens of ${peer.name}`)
    const compared = await unlessFailed(peer, context, async () => ({
      logits: await peer.logits(few),
      tokens: await peer.generate(few, sampled),
    }))
    if (compared === null) continue
    const difference = relativeDifference(compared.logits, logits)
    const equal = shareOfEqual(compared.tokens, tokens)
    const isEqual = difference < TOLERANCE && equal >= LEAST_EQUAL
    if (isEqual) comparable.push(peer)
    context.report({
      ...base(`logits of ${peer.name} beside ours`, peer.name, difference, 'relative difference', {
        ...sizes,
        batch: few.length,
      }),
      note: `${(100 * equal).toFixed(1)} % of the likeliest tokens are the same${isEqual ? '' : '; too few or too far, so it is NOT TIMED'}`,
    })
  }
  return comparable
}

function shareOfEqual(a: readonly Int32Array[], b: readonly Int32Array[]): number {
  let equal = 0
  let all = 0
  for (const [row, tokens] of b.entries()) {
    all += tokens.length
    equal += tokens.reduce((sum, token, i) => sum + (token === a[row]?.[i] ? 1 : 0), 0)
  }
  return equal / all
}

async function measureOwnCosts(
  own: OwnGeneration,
  peers: readonly GenerationSubject[],
  backend: StartedBackend,
  prompts: readonly Int32Array[],
  { clock, sizes: { reference } }: GenerateSuiteOptions,
  sizes: Sizes,
  context: SuiteContext,
): Promise<void> {
  await backend.use()
  const { sampled } = reference
  const generate = () => own.generate(prompts, sampled)
  const report = (name: string, value: number, unit: string, note: string) =>
    context.report({ ...base(name, own.name, value, unit, sizes), note })
  const before = bytesInUse()
  const bytes = await peakBytes(generate)
  report('memory of generation', bytes, 'bytes', 'at its height, beside weights and cache')
  reportMemory(
    { suite: SUITE, name: 'all memory of generation', sizes },
    { name: own.name, bytes: before + bytes },
    peers,
    context,
  )
  const dispatches = await dispatchesOf(generate)
  report('dispatches a token', dispatches / (prompts.length * sampled), 'calls', 'of the whole batch')
  const alone = await dispatchesOf(() => own.generate(prompts.slice(0, 1), sampled))
  report('dispatches per token of one prompt', alone / sampled, 'calls', 'for a batch of one')
  const profile = await kernelTimes(generate, clock)
  if (profile) reportKernelShares(profile, base('', own.name, 0, '', sizes), context)
}

async function measureGrowth(
  field: Field<GenerationSubject, OwnGeneration>,
  options: GenerateSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const { shapes, base: held, prompts, promptLengths, groups, evaluations } = options.sizes.growth
  const { shape } = options.sizes.reference
  const measure = async (name: string, over: readonly GrowthCase[]) => {
    if (over.length < 2) return
    context.progress(`Generating over ${name}`)
    context.signal?.throwIfAborted()
    context.report(await growthOver(name, over, field, options, context))
  }
  await measure(
    'parameters',
    shapes.map((each) => ({ size: benchModel(each).parameters, shape: each, generation: held })),
  )
  await measure(
    'batch',
    prompts.map((size) => ({ size, shape, generation: { ...held, prompts: size } })),
  )
  await measure(
    'context',
    promptLengths.map((size) => ({ size, shape, generation: { ...held, promptLength: size } })),
  )
  await measure(
    'G',
    groups.map((size) => ({ size, shape, generation: { ...held, prompts: 1, completions: size } })),
  )
  await measure(
    'm',
    evaluations.map((size) => ({ size, shape, generation: { ...held, completions: size } })),
  )
}

interface GrowthCase {
  size: number
  shape: BenchShape
  generation: Generation
}

async function growthOver(
  name: string,
  over: readonly GrowthCase[],
  { device, own }: Field<GenerationSubject, OwnGeneration>,
  options: GenerateSuiteOptions,
  { signal }: SuiteContext,
): Promise<Measurement> {
  const opened: OwnGeneration[] = []
  const contenders: Contender[] = []
  try {
    for (const { size, shape, generation } of over) {
      const model = benchModel(shape)
      const subject = await own(model)
      opened.push(subject)
      const prompts = randomPrompts(model.config, generation.prompts, generation.promptLength)
      const run = () => subject.sample(prompts, generation.completions, generation.sampled)
      contenders.push({ subject: String(size), run })
    }
    const timed = await sideBySide(contenders, { ...options, signal })
    const points = over.map(({ size }, i) => ({ size, cost: timed[i]!.medianMs }))
    const { prompts, promptLength, sampled } = over[0]!.generation
    return {
      ...base(`time of generation over ${name}`, OWN_NAMES[device], growthExponent(points), 'exponent', {
        on: DEVICES[device],
        in: options.place,
        from: over[0]!.size,
        to: over[over.length - 1]!.size,
      }),
      note: `${points.map(({ size, cost }) => `${size}: ${cost.toPrecision(3)} ms`).join(', ')}; ${prompts} prompts of ${promptLength}, ${sampled} sampled, unless they vary`,
    }
  } finally {
    for (const subject of opened) subject.dispose()
  }
}

function base(name: string, subject: string, value: number, unit: string, sizes: Sizes): Measurement {
  return { suite: SUITE, name, subject, value, unit, sizes }
}
