/** The suite of several workers in Node and in Chromium: writes the folder of the measured model, which workers read. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BenchModel, benchModel, REFERENCE_SHAPE } from '../../bench/bench-model.ts'
import { coresSuite, type CoresSizes } from '../../bench/cores.ts'
import type { Suite } from '../../bench/suite.ts'
import type { TransformerModel } from '../../engines/transformer/transformer-model.ts'
import { writeSafetensors } from '../../language-model/files/safetensors.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import { startThread } from '../../threads/node-threads.ts'
import { connectWorker } from '../../threads/worker-bridge.ts'
import { clock, nativeJaxOptions, place as placeInNode } from './models.ts'
import type { Place } from './places.ts'

/** Its words do not matter, only that completions can be decoded. */
const TOKENIZER = fileURLToPath(new URL('../../../public/models/household-policy/tokenizer.json', import.meta.url))
const WORKER = new URL('../../../workers/model.ts', import.meta.url)

export const CORES_SIZES: CoresSizes = {
  sequences: 16,
  length: 256,
  steps: 4,
  prompts: 64,
  promptLength: 128,
  sampled: 128,
}

const EFFORT = { workers: [1, 2], rounds: 5 }

export function coresSuiteOnMachine(places: readonly Place[]): Suite {
  const suiteIn = async (location: string, model: BenchModel): Promise<Suite> => {
    const { nativeJaxTraining } = await import('../../bench/peers/native-jax/training.ts')
    return coresSuite({
      ...EFFORT,
      place: placeInNode,
      clock,
      model,
      location,
      startWorker: () => connectWorker<TransformerModel>(startThread(WORKER), 'copy'),
      sizes: CORES_SIZES,
      peers: nativeJaxOptions().map(nativeJaxTraining),
    })
  }
  return {
    name: 'cores',
    summary: 'training and sampling by one worker and by two',
    async run(context) {
      const model = benchModel(REFERENCE_SHAPE)
      const folder = writeFolder(model)
      try {
        if (places.includes('node')) await (await suiteIn(folder, model)).run(context)
        if (!places.includes('chromium')) return
        const { runInBrowser } = await import('./in-browser.ts')
        context.progress('Opening a page in Chromium')
        const { workers, rounds } = EFFORT
        const suite = { name: 'cores', sizes: CORES_SIZES, shape: REFERENCE_SHAPE, workers, folder } as const
        await runInBrowser({ rounds, kernelMs: null, suite, isSoftwareGpuMeasured: false }, 'many', context)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  }
}

function writeFolder({ config, configJson, weights }: BenchModel): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-cores-'))
  const tensors = new Map(
    parameterShapes(config).map(({ name, shape }) => [name, { shape, values: weights.get(name)! }]),
  )
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configJson))
  writeFileSync(join(folder, 'model.safetensors'), writeSafetensors({ metadata: { format: 'pt' }, tensors }))
  copyFileSync(TOKENIZER, join(folder, 'tokenizer.json'))
  return folder
}
