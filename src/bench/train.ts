/**
 * Training: one supervised step on random tokens, with a loss on every token, beside peers with the same weights; how much of the
 * machine it uses, where its time goes, and how time and memory grow.
 */
import type { BackendName } from '../language-model/backends/backend.ts'
import { type BenchModel, benchModel, type BenchShape, randomBatch, type TokenBatch } from './bench-model.ts'
import { largestDifference } from './comparison.ts'
import { openField, ratioVerdict, type RatioTargets, targetVerdict, unlessFailed } from './field.ts'
import { growthExponent } from './growth.ts'
import { measureKernels } from './kernels.ts'
import { reportMemory } from './memory-report.ts'
import { bytesInUse, kernelTimes, peakBytes } from './meter.ts'
import { DEVICES, OWN_NAMES, startOwn } from './own-backend.ts'
import { matmulPeak } from './peak.ts'
import { reportKernelShares } from './profile.ts'
import { type Contender, sideBySide, type SideBySideOptions, type Timed } from './side-by-side.ts'
import { type Field, processorClockOf, type TrainingSubject } from './subjects.ts'
import type { Measurement, Suite, SuiteContext } from './suite.ts'
import { trainingWork } from './useful-work.ts'

export interface TrainSizes {
  /** The comparison with peers. */
  reference: { shape: BenchShape; sequences: number; length: number }
  /** Sizes over which growth is measured, with the reference's shape and the first of the others. A list with fewer than two is skipped. */
  growth: { shapes: readonly BenchShape[]; sequences: readonly number[]; lengths: readonly number[] }
  /** Side of the matrices whose product measures the peak. */
  peak: number
}

export interface TrainSuiteOptions extends Omit<SideBySideOptions, 'signal'> {
  /** "Node 20.20". */
  place: string
  fields: readonly Field<TrainingSubject>[]
  /** How long to repeat each kernel; null to skip kernels. */
  kernelMs: number | null
  sizes: TrainSizes
}

/** Targets on one thread of the CPU. */
export const TRAINING_RATIOS: RatioTargets = { 'tfjs wasm': 8, 'jax-js wasm': 3, 'JAX, one thread': 1 }
export const TARGET_SHARE = 0.4
/** Largest relative difference of losses and gradients, for float32 sums in another order. */
const TOLERANCE = 1e-3
/** Enough to detect different results; the slowest peer takes ten seconds for the whole batch. */
const COMPARED_SEQUENCES = 2

const SUITE = 'train'

export function trainSuite(options: TrainSuiteOptions): Suite {
  return {
    name: SUITE,
    summary: 'a training step beside peers on the same weights, where its time goes, and how it grows',
    async run(context) {
      for (const field of options.fields) {
        await compareWithPeers(field, options, context)
        await measureGrowth(field, options, context)
        const { kernelMs } = options
        if (field.device === 'cpu' && kernelMs !== null) await measureKernels({ ...options, kernelMs }, context)
      }
    },
  }
}

async function compareWithPeers(
  field: Field<TrainingSubject>,
  options: TrainSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const { shape, sequences, length } = options.sizes.reference
  const model = benchModel(shape)
  const sizes = sizesOf(model, sequences, length, field.device, options.place)
  const batch = randomBatch(model.config, sequences, length)
  const { own, peers, dispose } = await openField(field, model, context)
  const backend = await startOwn(field.device)
  const peak = await matmulPeak(backend, { size: options.sizes.peak })
  try {
    const few = randomBatch(model.config, Math.min(sequences, COMPARED_SEQUENCES), length)
    const comparable = await comparedWith(own, peers, few, { ...sizes, sequences: few.sequences }, context)
    context.progress(`Training steps in turn: ${[own, ...comparable].map(({ name }) => name).join(', ')}`)
    const contenders: Contender[] = [peak, ...[own, ...comparable].map((subject) => trained(subject, batch))]
    const [atPeak, ownStep, ...others] = await sideBySide(contenders, { ...options, signal: context.signal })
    const work = trainingWork(model.config, sequences, length)
    const peakSpeed = peak.work / atPeak!.medianMs / 1e6
    context.report({
      ...base('matmul peak', own.name, peakSpeed, 'GFLOP/s', {
        on: DEVICES[field.device],
        in: options.place,
        size: options.sizes.peak,
      }),
      note: atPeak!.note,
    })
    for (const [index, timed] of [ownStep!, ...others].entries()) {
      const subject = index === 0 ? own : comparable[index - 1]!
      reportStep(subject, timed, ownStep!, { work, tokens: sequences * length, peakSpeed }, sizes, context)
    }
    await backend.use()
    await measureOwnCosts(own, comparable, batch, sizes, options, context)
  } finally {
    peak.dispose()
    dispose()
  }
}

function trained(subject: TrainingSubject, batch: TokenBatch): Contender {
  return { subject: subject.name, run: () => subject.step(batch), processorClock: processorClockOf(subject) }
}

/** The peers with our loss, gradients and, after two steps, loss again; reports the others as not timed. */
async function comparedWith(
  own: TrainingSubject,
  peers: readonly TrainingSubject[],
  batch: TokenBatch,
  sizes: Measurement['sizes'],
  context: SuiteContext,
): Promise<TrainingSubject[]> {
  context.progress('Comparing gradients')
  const expected = await own.gradients(batch)
  const later = await lossAfterTwoSteps(own, batch)
  const comparable: TrainingSubject[] = []
  for (const peer of peers) {
    context.signal?.throwIfAborted()
    context.progress(`Comparing gradients of ${peer.name}`)
    const compared = await unlessFailed(peer, context, async () => ({
      found: await peer.gradients(batch),
      later: await lossAfterTwoSteps(peer, batch),
    }))
    if (compared === null) continue
    const { found } = compared
    const gradients = largestDifference(found.gradients, expected.gradients)
    const losses = Math.abs(found.loss - expected.loss) / expected.loss
    const laterLosses = Math.abs(compared.later - later) / later
    const isEqual = Math.max(gradients.difference, losses, laterLosses) < TOLERANCE
    if (isEqual) comparable.push(peer)
    context.report({
      ...base(`gradient of ${peer.name} beside ours`, peer.name, gradients.difference, 'relative difference', sizes),
      note: `largest in ${gradients.name}; losses differ by ${losses.toExponential(0)}, after two steps by ${laterLosses.toExponential(0)}${isEqual ? '' : `; over ${TOLERANCE}, so it is NOT TIMED`}`,
    })
  }
  return comparable
}

async function lossAfterTwoSteps(subject: TrainingSubject, batch: TokenBatch): Promise<number> {
  await subject.step(batch)
  await subject.step(batch)
  return subject.step(batch)
}

function reportStep(
  subject: TrainingSubject,
  timed: Timed,
  own: Timed,
  { work, tokens, peakSpeed }: { work: number; tokens: number; peakSpeed: number },
  sizes: Measurement['sizes'],
  context: SuiteContext,
): void {
  const isOwn = timed === own
  const verdict = isOwn ? '' : `; ${ratioVerdict(subject.name, timed, own, TRAINING_RATIOS)}`
  const speed = work / timed.medianMs / 1e6
  const note = `${subject.note}; ${timed.note}`
  const report = (value: number, unit: string, more: string) =>
    context.report({ ...base('training step', subject.name, value, unit, sizes), note: more })
  report((tokens / timed.medianMs) * 1000, 'tokens/s', note + verdict)
  report(speed, 'GFLOP/s', 'useful work alone')
  const share = speed / peakSpeed
  const hasTarget = isOwn && subject.name === OWN_NAMES.cpu
  report(share, 'share of the matmul peak', hasTarget ? targetVerdict(share, TARGET_SHARE) : 'as our engine reaches it')
}

async function measureOwnCosts(
  own: TrainingSubject,
  peers: readonly TrainingSubject[],
  batch: TokenBatch,
  sizes: Measurement['sizes'],
  { clock }: TrainSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const before = bytesInUse()
  const bytes = await peakBytes(() => own.step(batch))
  context.report({
    ...base('memory of a training step', own.name, bytes, 'bytes', sizes),
    note: 'at its height, beside weights and moments',
  })
  reportMemory(
    { suite: SUITE, name: 'all memory of training', sizes },
    { name: own.name, bytes: before + bytes },
    peers,
    context,
  )
  const profile = await kernelTimes(() => own.step(batch), clock)
  if (!profile) return
  reportKernelShares(profile, base('', own.name, 0, '', sizes), context)
}

async function measureGrowth(
  field: Field<TrainingSubject>,
  options: TrainSuiteOptions,
  context: SuiteContext,
): Promise<void> {
  const { shapes, sequences, lengths } = options.sizes.growth
  const { shape } = options.sizes.reference
  // Only used if there are two sizes to compare.
  const [rows, length] = [sequences[0]!, lengths[0]!]
  await measureGrowthOver(
    'parameters',
    shapes.map((each) => ({ shape: each, sequences: rows, length })),
  )
  await measureGrowthOver(
    'sequences',
    sequences.map((each) => ({ shape, sequences: each, length })),
  )
  await measureGrowthOver(
    'context',
    lengths.map((each) => ({ shape, sequences: 1, length: each })),
  )

  async function measureGrowthOver(
    name: 'parameters' | 'sequences' | 'context',
    over: { shape: BenchShape; sequences: number; length: number }[],
  ): Promise<void> {
    if (over.length < 2) return
    context.progress(`Training over ${name}`)
    const grown: { size: number; subject: TrainingSubject; batch: TokenBatch }[] = []
    for (const { shape: each, sequences: count, length: tokens } of over) {
      const model = benchModel(each)
      const subject = await field.own(model)
      const batch = randomBatch(model.config, count, tokens)
      const size = name === 'parameters' ? model.parameters : name === 'sequences' ? count : tokens
      grown.push({ size, subject, batch })
    }
    try {
      const timed = await sideBySide(
        grown.map(({ subject, batch }) => trained(subject, batch)),
        { ...options, signal: context.signal },
      )
      const times = grown.map(({ size }, i) => ({ size, cost: timed[i]!.medianMs }))
      const sizes = {
        on: DEVICES[field.device],
        in: options.place,
        from: times[0]!.size,
        to: times[times.length - 1]!.size,
      }
      const points = (costs: { size: number; cost: number }[], unit: string, scale: number) =>
        costs.map(({ size, cost }) => `${size}: ${(cost / scale).toPrecision(3)} ${unit}`).join(', ')
      context.report({
        ...base(`time of a step over ${name}`, OWN_NAMES[field.device], growthExponent(times), 'exponent', sizes),
        note: points(times, 'ms', 1),
      })
      if (name !== 'context') return
      const bytes: { size: number; cost: number }[] = []
      for (const { size, subject, batch } of grown)
        bytes.push({ size, cost: await peakBytes(() => subject.step(batch)) })
      const exponent = growthExponent(bytes)
      context.report({
        ...base('memory of a step over context', OWN_NAMES[field.device], exponent, 'exponent', sizes),
        note: `${points(bytes, 'MB', 1e6)}; beside weights and moments; ${exponent < LINEAR ? 'linear' : 'NOT linear'}`,
      })
    } finally {
      for (const { subject } of grown) subject.dispose()
    }
  }
}

/** Fitted exponents below this count as linear. */
const LINEAR = 1.1

function sizesOf(
  model: BenchModel,
  sequences: number,
  length: number,
  device: BackendName,
  place: string,
): Measurement['sizes'] {
  const parameters = `${(model.parameters / 1e6).toFixed(2)} M`
  return { parameters, sequences, context: length, on: DEVICES[device], in: place }
}

function base(name: string, subject: string, value: number, unit: string, sizes: Measurement['sizes']): Measurement {
  return { suite: SUITE, name, subject, value, unit, sizes }
}
