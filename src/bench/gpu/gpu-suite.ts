/**
 * Measures a graphics adapter within a time budget: checks all kernels and a training step against the CPU, measures what the adapter
 * can do at most, tunes the matrix product, and times sampling, training and iterations of the loop with models of four sizes. What
 * the time does not suffice for is left out and reported.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import type { ModelReader } from '../../language-model/files/model-folder.ts'
import { parseModelConfig } from '../../language-model/files/config.ts'
import { weightBytes } from '../../language-model/weights/weight-storage.ts'
import type { Role } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import { benchModel, type BenchShape, randomBatch } from '../bench-model.ts'
import { largestDifference } from '../comparison.ts'
import { householdSettings } from '../household-bench.ts'
import { startOwn } from '../own-backend.ts'
import { ownTraining } from '../own-training.ts'
import { TimeBudget } from './budget.ts'
import { measureCopy, measureDispatch, measureMultiplyAdd, measureProduct } from './ceilings.ts'
import { KERNEL_CHECKS, runKernelCheck, uncheckedKernels } from './kernel-checks.ts'
import { describeModel, MEASURED_MODELS, type MeasuredModel, TINY_MODEL } from './model-sizes.ts'
import { EVERY_TASK_TRAINS, measureSpeeds, SPEED_SIZES, type SpeedSizes } from './model-speeds.ts'
import { randomModel } from './random-model.ts'
import { recordIteration, type RecordedIteration } from './recorded-iteration.ts'
import type { GpuRecord, SpeedRecord } from './records.ts'
import { TILE_SHAPES, tuneProducts, type TileShapes } from './tiles.ts'
import { errorText } from '../../threads/error-text.ts'

export interface GpuSizes {
  /** The training step that is compared with the CPU's. */
  step: { shape: BenchShape; sequences: number; length: number }
  tiles: TileShapes
  models: readonly MeasuredModel[]
  speeds: SpeedSizes
}

export const GPU_SIZES: GpuSizes = {
  step: {
    shape: { hiddenSize: 96, layers: 3, heads: 4, keyValueHeads: 2, intermediateSize: 256, vocabularySize: 486 },
    sequences: 4,
    length: 64,
  },
  tiles: TILE_SHAPES,
  models: MEASURED_MODELS,
  speeds: SPEED_SIZES,
}

/** The smallest sizes that reach everything, for a software adapter. */
export const TINY_GPU_SIZES: GpuSizes = {
  step: { ...GPU_SIZES.step, sequences: 2, length: 16 },
  tiles: {
    wide: [[64, 96, 256]],
    forward: [[64, 96, 256]],
    backward: [[64, 256, 96]],
    narrow: [[8, 96, 256]],
  },
  models: [MEASURED_MODELS[0]!, TINY_MODEL],
  speeds: {
    prompts: [1, 4],
    promptLength: 8,
    sampled: 4,
    sequences: [1, 2],
    length: 16,
    iterations: [
      { tasksPerIteration: 1, groupSize: 2, evaluationsPerStep: 1, maxSteps: 1, taskPoolSize: 1, ...EVERY_TASK_TRAINS },
    ],
  },
}

export interface GpuSuiteOptions {
  totalMs: number
  sizes: GpuSizes
  /** Reads a shipped household model. */
  readShipped(role: Role): ModelReader
  /** tokenizer.json of the random models. */
  tokenizerJson: Uint8Array
  clock: () => number
  report(record: GpuRecord): void
}

/** Largest relative difference of the losses and gradients of a training step, and of the loss after three updates. */
const STEP_TOLERANCE = 1e-3

type Works = SpeedRecord['work']
type PartName =
  | 'kernels'
  | 'training step'
  | 'copy'
  | 'dispatch'
  | 'multiply-add'
  | 'product'
  | 'tiles'
  | `${string}: ${Works}`

/** Weights of a model's work on the adapter, and on the CPU beside it. */
const WORKS: readonly Works[] = ['sampling', 'training', 'iteration']
const CPU = ' on the CPU'

/** Throws BackendUnavailableError if there is no adapter. */
export async function measureGpu(options: GpuSuiteOptions): Promise<void> {
  const { sizes, clock, report } = options
  const started = await startOwn('webgpu')
  await started.use()
  const backend = tf.backend() as GpuBackend
  report(adapterRecord(backend, started.note))
  const partOf = (model: MeasuredModel, work: Works, place = ''): PartName => `${model.name}${place}: ${work}`
  // The CPU is slow with large models, and known from other benchmarks.
  const onCpu = sizes.models.slice(0, 2)
  const budget = new TimeBudget<PartName>(
    options.totalMs,
    [
      { name: 'kernels', weight: 4 },
      { name: 'training step', weight: 1 },
      { name: 'copy', weight: 1 },
      { name: 'dispatch', weight: 1 },
      { name: 'multiply-add', weight: 1 },
      { name: 'tiles', weight: 12 },
      { name: 'product', weight: 1 },
      ...sizes.models.flatMap((model) => WORKS.map((work) => ({ name: partOf(model, work), weight: 3 }))),
      ...onCpu.flatMap((model) => WORKS.map((work) => ({ name: partOf(model, work, CPU), weight: 1 }))),
    ],
    clock,
  )
  const begin = (name: PartName) => {
    report({ kind: 'part', name })
    return budget.begin(name)
  }

  // All of them, however long it takes: numbers of an adapter that computes something else are worth nothing.
  begin('kernels')
  for (const check of KERNEL_CHECKS) report(await runKernelCheck(check))
  for (const name of uncheckedKernels())
    report({ kind: 'left out', what: `a check of ${name}`, why: 'The suite has no check of this kernel.' })
  begin('training step')
  await checkTrainingStep(sizes.step, report)

  await started.use()
  report(await measureCopy(backend, begin('copy'), clock))
  report(await measureDispatch(backend, begin('dispatch'), clock))
  report(await measureMultiplyAdd(backend, begin('multiply-add'), clock))
  await tuneProducts(backend, sizes.tiles, begin('tiles'), clock, report)
  report(await measureProduct(backend, begin('product'), clock))

  const recorded = new Map<Partial<Settings>, RecordedIteration>()
  const callsOf = async (patch: Partial<Settings>) => {
    const known = recorded.get(patch)
    if (known) return known
    const made = await recordIteration(options.readShipped, householdSettings(patch), clock)
    recorded.set(patch, made)
    return made
  }

  for (const device of ['webgpu', 'cpu'] as const) {
    let previous: { bytes: number; ms: number } | null = null
    for (const model of device === 'cpu' ? onCpu : sizes.models) {
      const place = device === 'cpu' ? CPU : ''
      const bytes =
        model.configJson === null ? 0 : weightBytes(parseModelConfig(model.configJson, model.name), 'float32')
      const firsts: number[] = []
      const shares = new Map<Works, ReturnType<typeof begin>>()
      // The smallest work of the last model says whether this one's can fit at all.
      const expectedMs: number = previous === null || previous.bytes === 0 ? 0 : (previous.ms * bytes) / previous.bytes
      shares.set('sampling', begin(partOf(model, 'sampling', place)))
      if (expectedMs > shares.get('sampling')!.leftMs()) {
        report({
          kind: 'left out',
          what: `${describeModel(model)} on ${device === 'cpu' ? 'the CPU' : 'the adapter'}`,
          why: `Sampling from one prompt would take about ${(expectedMs / 1000).toFixed(0)} s.`,
        })
        continue
      }
      try {
        await measureSpeeds({
          device,
          model,
          sizes: sizes.speeds,
          readModel: (role) =>
            model.configJson === null
              ? options.readShipped(role)
              : randomModel(model.configJson, options.tokenizerJson),
          callsOf,
          begin: (work) => shares.get(work) ?? begin(partOf(model, work, place)),
          clock,
          report(record) {
            if (record.kind === 'speed') firsts.push(record.ms)
            report(record)
          },
        })
      } catch (error) {
        // A model that does not fit, or a device that gave up; smaller ones have been measured.
        report({
          kind: 'left out',
          what: `the rest of ${describeModel(model)} on ${device === 'cpu' ? 'the CPU' : 'the adapter'}`,
          why: errorText(error),
        })
      }
      if (firsts.length > 0) previous = { bytes, ms: firsts[0]! }
    }
  }
  report({ kind: 'end' })
}

function adapterRecord({ device }: GpuBackend, description: string): GpuRecord {
  const { limits, features } = device
  const info = device.adapterInfo as GPUAdapterInfo | undefined
  return {
    kind: 'adapter',
    name: nameOf(description.replace(/^WebGPU, /, ''), info?.device),
    details: {
      driver: info?.description ?? '',
      vendor: info?.vendor ?? '',
      architecture: info?.architecture ?? '',
      device: info?.device ?? '',
      features: [...features].sort().join(', '),
      'largest buffer': `${(limits.maxStorageBufferBindingSize / 1e6).toFixed(0)} MB`,
      'workgroup memory': `${limits.maxComputeWorkgroupStorageSize} bytes`,
    },
  }
}

/** "NVIDIA H200" for a driver that describes only its version ("NVIDIA: 580.159.04") and the device "nvidia-h200". */
function nameOf(description: string, device = ''): string {
  if (!/^\w+: [\d. ]+$/.test(description) || device === '') return description
  return device
    .split('-')
    .map((word) => (word.length < 7 ? word.toUpperCase() : word))
    .join(' ')
}

/** Loss and gradients of a batch, then the loss after three updates. */
async function checkTrainingStep(
  { shape, sequences, length }: GpuSizes['step'],
  report: (record: GpuRecord) => void,
): Promise<void> {
  const model = benchModel(shape)
  const batch = randomBatch(model.config, sequences, length)
  const results = []
  for (const device of ['cpu', 'webgpu'] as const) {
    const subject = await ownTraining(device)(model)
    const { loss, gradients } = await subject.gradients(batch)
    let later = 0
    for (let step = 0; step < 3; step++) later = await subject.step(batch)
    results.push({ loss, gradients, later })
    subject.dispose()
  }
  const [expected, found] = results as [(typeof results)[0], (typeof results)[0]]
  const sizes = `${sequences} × ${length} tokens, ${(model.parameters / 1e6).toFixed(2)} M parameters`
  const check = (name: string, difference: number) =>
    report({ kind: 'check', name: `${name}, ${sizes}`, difference, tolerance: STEP_TOLERANCE, programs: [] })
  check('gradients of a training step', largestDifference(found.gradients, expected.gradients).difference)
  check('loss of a training step', Math.abs(found.loss - expected.loss) / expected.loss)
  check('loss after two updates', Math.abs(found.later - expected.later) / expected.later)
}
