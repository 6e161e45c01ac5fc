/** The suites of our models: which peers run in Node, where their files are, and what a browser measures besides. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REFERENCE_SHAPE } from '../../bench/bench-model.ts'
import { generateSuite, type GenerateSizes } from '../../bench/generate.ts'
import { loopSuite, type LoopSizes } from '../../bench/loop.ts'
import { ownGeneration } from '../../bench/own-generation.ts'
import { ownTraining } from '../../bench/own-training.ts'
import type { NativeJaxOptions } from '../../bench/peers/native-jax/process.ts'
import type { Suite } from '../../bench/suite.ts'
import { trainSuite, type TrainSizes } from '../../bench/train.ts'
import { ROLES } from '../../method/ports.ts'
import type { Products } from '../../bench/peers/tfjs-llama.ts'
import { shippedModel } from '../../roles/shipped-models.ts'
import { folderReader } from '../../language-model/files/folder-reader.ts'
import type { ShippedWorld } from '../../method/settings.ts'
import { cpuClock } from './cpu-clock.ts'
import { startJudgeInThread } from './judge.ts'
import type { Place } from './places.ts'

const SHIPPED = fileURLToPath(new URL('../../../public/models', import.meta.url))

export interface Effort {
  /** Repetitions of each subject. */
  rounds: number
  /** How long to repeat each kernel; null to skip kernels. */
  kernelMs: number | null
}

const EFFORT: Effort = { rounds: 3, kernelMs: 100 }

export const clock = () => performance.now()
const processorClock = () => cpuClock.now()
export const place = `Node ${process.versions.node.split('.').slice(0, 2).join('.')}`

export const TRAIN_SIZES: TrainSizes = {
  reference: { shape: REFERENCE_SHAPE, sequences: 16, length: 256 },
  growth: {
    shapes: [64, 128, 256].map((hiddenSize) => ({
      ...REFERENCE_SHAPE,
      hiddenSize,
      intermediateSize: Math.round((2.75 * hiddenSize) / 16) * 16,
    })),
    sequences: [4, 8, 16, 32],
    lengths: [128, 256, 512, 1024, 2048],
  },
  peak: 1024,
}

/** Which variants of TensorFlow.js train: its stock products take ten seconds a step even with the smallest model. */
export const TFJS_PRODUCTS: readonly Products[] = ['as stock', 'transposed by hand']

export async function trainSuiteInNode(
  sizes = TRAIN_SIZES,
  effort = EFFORT,
  products: readonly Products[] = TFJS_PRODUCTS,
): Promise<Suite> {
  const { jaxTraining } = await import('../../bench/peers/jax-training.ts')
  const { nativeJaxTraining } = await import('../../bench/peers/native-jax/training.ts')
  const { tfjsTraining } = await import('../../bench/peers/tfjs-training.ts')
  return trainSuite({
    place,
    clock,
    processorClock,
    ...effort,
    sizes,
    fields: [
      {
        device: 'cpu',
        own: ownTraining('cpu'),
        peers: [
          ...products.map((each) => tfjsTraining({ backend: 'wasm', products: each })),
          jaxTraining('wasm'),
          ...nativeJaxOptions().map(nativeJaxTraining),
        ],
      },
    ],
  })
}

/** JAX on one thread and on two, if `JAX_PYTHON` names a Python with it; without, one peer that says so. */
export function nativeJaxOptions(): NativeJaxOptions[] {
  const python = process.env['JAX_PYTHON']
  const threads = python && availableParallelism() > 1 ? [1, 2] : [1]
  return threads.map((count) => ({ python, threads: count }))
}

export const GENERATE_SIZES: GenerateSizes = {
  reference: { shape: REFERENCE_SHAPE, prompts: 64, promptLength: 128, sampled: 128 },
  growth: {
    shapes: TRAIN_SIZES.growth.shapes,
    base: { prompts: 16, promptLength: 128, completions: 1, sampled: 32 },
    prompts: [1, 4, 16, 64],
    promptLengths: [128, 256, 512, 1024],
    groups: [1, 2, 4, 8, 16, 32],
    evaluations: [1, 2, 4, 8],
  },
  peak: 1024,
}

export async function generateSuiteInNode(sizes = GENERATE_SIZES, { rounds } = EFFORT): Promise<Suite> {
  const { tfjsGeneration } = await import('../../bench/peers/tfjs-generation.ts')
  const { nativeJaxGeneration } = await import('../../bench/peers/native-jax/generation.ts')
  const { transformersGeneration } = await import('../../bench/peers/transformers-generation.ts')
  const loadRuntime = async () => {
    const runtime = await import('onnxruntime-web')
    runtime.env.wasm.wasmPaths = new URL('.', import.meta.resolve('onnxruntime-web')).href
    return runtime
  }
  return generateSuite({
    place,
    clock,
    processorClock,
    rounds,
    sizes,
    fields: [
      {
        device: 'cpu',
        own: ownGeneration('cpu'),
        peers: [
          tfjsGeneration('wasm'),
          transformersGeneration({ loadRuntime, threads: 1 }),
          ...nativeJaxOptions().map(nativeJaxGeneration),
        ],
      },
    ],
  })
}

/** A suite in Node and then in Chromium, or in one of them. */
export async function modelSuite(name: 'train' | 'generate', places: readonly Place[]): Promise<Suite> {
  const isElsewhere = places.includes('chromium')
  const inNode = await (name === 'train'
    ? trainSuiteInNode(TRAIN_SIZES, EFFORT, isElsewhere ? TFJS_PRODUCTS.slice(1) : TFJS_PRODUCTS)
    : generateSuiteInNode())
  return {
    ...inNode,
    async run(context) {
      if (places.includes('node')) await inNode.run(context)
      if (!isElsewhere) return
      const { runInBrowser } = await import('./in-browser.ts')
      const suite =
        name === 'train' ? ({ name, sizes: TRAIN_SIZES } as const) : ({ name, sizes: GENERATE_SIZES } as const)
      for (const threads of ['one', 'many'] as const) {
        context.progress(`Opening a page in Chromium, with ${threads === 'one' ? 'one thread' : 'threads'} for peers`)
        await runInBrowser({ ...EFFORT, suite, isSoftwareGpuMeasured: false }, threads, context)
      }
    },
  }
}

export const LOOP_SIZES: LoopSizes = {
  settings: {},
  codingSettings: {},
  growthSettings: { tasksPerIteration: 1, groupSize: 4, evaluationsPerStep: 2 },
  groupSizes: [2, 4, 8, 16],
  evaluationsPerStep: [1, 2, 4, 8],
}

/** Also measures the coding preset if `models` has models for it. */
export async function loopSuiteInNode(
  sizes = LOOP_SIZES,
  { rounds } = EFFORT,
  models: Record<ShippedWorld, string> = { household: SHIPPED, coding: SHIPPED, desktop: SHIPPED },
): Promise<Suite> {
  const { tfjsLoopBackend } = await import('../../bench/peers/tfjs-loop.ts')
  const hasCodingModels = ROLES.every((role) => existsSync(join(models.coding, shippedModel('coding', role))))
  const suite = loopSuite({
    place,
    clock,
    rounds,
    sizes,
    readModel: (world, role) => folderReader(join(models[world], shippedModel(world, role))),
    ...(hasCodingModels && { startJudge: startJudgeInThread }),
    stock: [tfjsLoopBackend()],
  })
  return {
    ...suite,
    async run(context) {
      await suite.run(context)
      if (!hasCodingModels)
        context.progress(
          `Skipped the coding preset: ${models.coding} has no models for it; npm run pretrain makes them`,
        )
    },
  }
}
