/**
 * The suites in a page, for peers that need what Node lacks, such as TensorFlow.js's threads and WebGPU, with our engine beside them.
 * The opener of the page provides `benchReport` and `benchProgress` and calls `runBenchSuite`. The page does not measure again how CPU
 * time grows: the engine is the same as in Node.
 */
import type * as OnnxRuntime from 'onnxruntime-web'
import { webGpuObstacle } from '../../engines/backends/choice.ts'
import type { BackendName } from '../../language-model/backends/backend.ts'
import { benchModel, type BenchShape } from '../../bench/bench-model.ts'
import { coresSuite, type CoresSizes } from '../../bench/cores.ts'
import { generateSuite, type GenerateSizes } from '../../bench/generate.ts'
import { type OwnGeneration, ownGeneration } from '../../bench/own-generation.ts'
import { ownTraining } from '../../bench/own-training.ts'
import { jaxTraining } from '../../bench/peers/jax-training.ts'
import { keepStockWebGpu } from '../../bench/peers/tfjs-backend.ts'
import { tfjsGeneration } from '../../bench/peers/tfjs-generation.ts'
import { tfjsTraining } from '../../bench/peers/tfjs-training.ts'
import { transformersGeneration } from '../../bench/peers/transformers-generation.ts'
import type { Field, GenerationSubject, Open, TrainingSubject } from '../../bench/subjects.ts'
import type { TransformerModel } from '../../engines/transformer/transformer-model.ts'
import { connectWorker } from '../../threads/worker-bridge.ts'
import type { Measurement, Suite } from '../../bench/suite.ts'
import { trainSuite, type TrainSizes } from '../../bench/train.ts'

export interface PageRequest {
  /** "Chromium 140". */
  place: string
  rounds: number
  kernelMs: number | null
  /** Folders of the peers' WebAssembly files. */
  folders: { tfjs: string; onnxRuntime: string }
  suite:
    | { name: 'train'; sizes: TrainSizes }
    | { name: 'generate'; sizes: GenerateSizes }
    | { name: 'cores'; sizes: CoresSizes; shape: BenchShape; workers: readonly number[]; folder: string }
  /** Whether to measure WebGPU on a software adapter, which is the processor again, only slower. */
  isSoftwareGpuMeasured: boolean
}

declare global {
  interface Window {
    benchReport(measurement: Measurement): Promise<void>
    benchProgress(text: string): Promise<void>
    runBenchSuite(request: PageRequest): Promise<void>
  }
}

function suiteOf({ place, rounds, kernelMs, folders, suite }: PageRequest, device: BackendName): Suite {
  // Peers whose threads need shared memory have one thread in a page without it.
  const isAlone = !globalThis.crossOriginIsolated
  const common = { place, rounds, clock: () => performance.now() }
  if (suite.name === 'cores') {
    return coresSuite({
      ...common,
      ...suite,
      model: benchModel(suite.shape),
      location: `${location.origin}/@fs${suite.folder}`,
      startWorker: () =>
        connectWorker<TransformerModel>(
          new Worker(new URL('../../../workers/model.ts', import.meta.url), { type: 'module' }),
          'copy',
        ),
      peers: [],
    })
  }
  const files = { wasmFolder: folders.tfjs }
  if (suite.name === 'train') {
    const fields: Record<BackendName, Field<TrainingSubject>> = {
      cpu: {
        device: 'cpu',
        own: ownTraining('cpu'),
        peers: isAlone
          ? [jaxTraining('wasm')]
          : [
              tfjsTraining({ backend: 'wasm', products: 'as stock', ...files }),
              tfjsTraining({ backend: 'wasm', products: 'transposed by hand', ...files }),
              jaxTraining('wasm'),
            ],
      },
      webgpu: {
        device: 'webgpu',
        own: afterStock(ownTraining('webgpu')),
        peers: [tfjsTraining({ backend: 'webgpu', products: 'as stock' }), jaxTraining('webgpu')],
      },
    }
    const noGrowth = { shapes: [], sequences: [], lengths: [] }
    const sizes = device === 'cpu' ? { ...suite.sizes, growth: noGrowth } : suite.sizes
    return trainSuite({ ...common, kernelMs: isAlone ? null : kernelMs, sizes, fields: [fields[device]] })
  }
  const loadRuntime = async () => {
    const runtime = (await import('onnxruntime-web/wasm')) as typeof OnnxRuntime
    runtime.env.wasm.wasmPaths = folders.onnxRuntime
    return runtime
  }
  const fields: Record<BackendName, Field<GenerationSubject, OwnGeneration>> = {
    cpu: {
      device: 'cpu',
      own: ownGeneration('cpu'),
      peers: [tfjsGeneration('wasm', files), ...(isAlone ? [] : [transformersGeneration({ loadRuntime, threads: 1 })])],
    },
    webgpu: { device: 'webgpu', own: afterStock(ownGeneration('webgpu')), peers: [tfjsGeneration('webgpu')] },
  }
  const { growth } = suite.sizes
  const noGrowth = { ...growth, shapes: [], prompts: [], promptLengths: [], groups: [], evaluations: [] }
  const sizes = device === 'cpu' ? { ...suite.sizes, growth: noGrowth } : suite.sizes
  return generateSuite({ ...common, sizes, fields: [fields[device]] })
}

/** Keeps the stock WebGPU backend under another name before ours replaces it. */
function afterStock<Subject>(open: Open<Subject>): Open<Subject> {
  return async (model) => {
    await keepStockWebGpu()
    return open(model)
  }
}

window.runBenchSuite = async (request) => {
  const devices: BackendName[] = ['cpu']
  if (request.suite.name !== 'cores' && globalThis.crossOriginIsolated) {
    const obstacle = request.isSoftwareGpuMeasured ? null : await webGpuObstacle(navigator.gpu)
    if (obstacle === null) devices.push('webgpu')
    else void window.benchProgress(`Skipped WebGPU: ${obstacle}`)
  }
  for (const device of devices) {
    await suiteOf(request, device).run({
      report: (measurement) => void window.benchReport(measurement),
      progress: (text) => void window.benchProgress(text),
    })
  }
}
