/** When a graphics device is lost, the worker is restarted with the last weights, and results stay the same. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as tf from '@tensorflow/tfjs-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reviveError } from '../../../src/threads/errors.ts'
import { openRole, type OpenedRole, type RoleContext } from '../../../src/sessions/open-role.ts'
import type { CheckpointSource } from '../../../src/roles/source.ts'
import { WebLlmRole } from '../../../src/engines/webllm/webllm-role.ts'
import { TransformerModel } from '../../../src/engines/transformer/transformer-model.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { writeModelFolder } from '../../../src/language-model/files/folder-reader.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { initialWeights } from '../../../src/language-model/weights/parameters.ts'
import type { Completion, TrainingExample, UpdateOptions } from '../../../src/method/ports.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import { exportMlc } from '../../../src/weight-formats/mlc-export.ts'
import { PLAIN, tinyTokenizerJson } from '../../language-model/tiny-model.ts'
import { localBridge } from '../../threads/local-bridge.ts'
import { compiledTransformer } from '../webllm/compiled-transformer.ts'
import { MemoryFiles, RECORD, smallWeights } from '../webllm/small-model.ts'
import { standIn } from '../webllm/stand-in-webllm.ts'
import { UPDATE_OPTIONS } from '../../language-model/update-options.ts'

const QWEN = {
  ...PLAIN,
  vocab_size: 270,
  max_position_embeddings: 128,
  model_type: 'qwen2',
  tie_word_embeddings: false,
}
const OPTIONS: UpdateOptions = { ...UPDATE_OPTIONS, learningRate: 0.03 }
const REQUESTS = [{ prompt: Int32Array.of(5, 12, 19, 26), count: 4, seed: 11 }]
const DRAWN = { temperature: 1, topP: 1, maxTokens: 5 }
const lost = () =>
  reviveError({ name: 'GraphicsDeviceError', message: 'The device was lost.', stack: null, cause: null })

describe('a checkpoint with adapters whose graphics device is lost', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lost-'))
    const model = await LanguageModel.fresh(QWEN, tinyTokenizerJson(), 1, 'cpu')
    await writeModelFolder(folder, await model.saveFolder())
    await model.dispose()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** The policy from the folder. `fails` selects the calls of each worker, by number, that find the device lost. */
  function open(sampled: boolean, fails: (worker: number, method: string, call: number) => boolean) {
    let workers = 0
    const notices: string[] = []
    const bridge = <Service extends object>(service: Service, unload: () => void) => {
      const worker = workers++
      let calls = 0
      const guarded = new Proxy(service, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return async (...args: unknown[]): Promise<unknown> => {
            const result: unknown = await Reflect.apply(method, target, args)
            // After the call, because a device lost during an update may have made some of its steps.
            if (fails(worker, String(name), calls++)) throw lost()
            return result
          }
        },
      })
      return localBridge(guarded, unload)
    }
    const context: RoleContext = {
      host: {
        shippedModel: () => '',
        startModel() {
          const service = new TransformerModel()
          return bridge(service, () => void service.unload())
        },
        startWebLlm() {
          const files = new MemoryFiles(smallWeights(1))
          const weights = initialWeights(parseModelConfig(QWEN, 'tiny'), 1)
          const exported = { name: 'tiny', configJson: QWEN, tokenizerJson: tinyTokenizerJson(), weights }
          files.replace(exportMlc(exported, { quantization: 'q0f32' }))
          const { module } = standIn({ files, prefillChunk: 16, compiled: compiledTransformer(QWEN) })
          return bridge(new WebLlmRole({ importModule: () => Promise.resolve(module), files }), () => {})
        },
      },
      settings: presetSettings('household'),
      backend: 'cpu',
      keys: {},
      onRestart: ({ reason }) => notices.push(reason),
    }
    const source: CheckpointSource = {
      kind: 'checkpoint',
      location: folder,
      adapters: { rank: 4, alpha: 8, dropout: 0, targets: ['q_proj', 'v_proj', 'up_proj'] },
      storage: 'float32',
      contextWindow: 96,
      sampler: sampled ? { record: RECORD, contextWindow: 96, sequences: 4 } : null,
    }
    return { role: openRole('policy', source, context), notices, workers: () => workers }
  }

  /** Two iterations of sampling and learning. Returns samples, update metrics and final weights. */
  async function iterate({ model, load, close }: OpenedRole) {
    await load()
    const said: unknown[] = []
    const synced: unknown[] = []
    for (let iteration = 0; iteration < 2; iteration++) {
      const [group] = (await model.generate(REQUESTS, DRAWN)) as [Completion[]]
      said.push(group.map(({ tokens, logProbs }) => [[...tokens], [...logProbs]]))
      const examples = group.map(({ tokens, logProbs }, j): TrainingExample => ({
        prompt: REQUESTS[0]!.prompt,
        response: tokens,
        oldLogProbs: logProbs,
        advantage: j % 2 === 0 ? 1 : -1,
      }))
      said.push(await model.update(examples, OPTIONS))
      synced.push(await model.lastSyncMs?.())
    }
    const weights = await model.saveCheckpoint()
    close()
    return { said, weights, synced: synced.map((ms) => typeof ms) }
  }

  it.each([
    ['our own transformer', false],
    ['WebLLM, which samples for it', true],
  ])('continues with %s and the same results, wherever it is lost', async (_who, sampled) => {
    await tf.setBackend('simd')
    const whole = open(sampled, () => false)
    const undisturbed = await iterate(whole.role)
    expect(whole.workers()).toBe(1)
    // Time to send weights to the sampler; null for a model that samples for itself.
    const time = sampled ? 'number' : 'object'
    expect(undisturbed.synced).toEqual([time, time])
    // Ensures that the two iterations have changed the weights.
    expect(undisturbed.said[2]).not.toEqual(undisturbed.said[0])
    for (const method of ['update', 'generate', 'saveCheckpoint']) {
      let seen = 0
      const disturbed = open(sampled, (worker, called) => worker === 0 && called === method && ++seen === 2)
      expect(await iterate(disturbed.role), method).toEqual(undisturbed)
      expect(disturbed.notices).toEqual(['its graphics device failed'])
      expect(disturbed.workers()).toBe(2)
    }
  })
})
