import * as tf from '@tensorflow/tfjs-core'
import { describe, expect, it } from 'vitest'
import { SampledTrainer } from '../../../src/engines/webllm/sampled-trainer.ts'
import type { WebLlmSource } from '../../../src/engines/webllm/loaded-model.ts'
import { WebLlmModel } from '../../../src/engines/webllm/webllm-model.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { readSafetensors, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import type { LoraOptions } from '../../../src/language-model/lora/options.ts'
import { initialWeights } from '../../../src/language-model/weights/parameters.ts'
import { memoryReader } from '../../../src/language-model/files/model-reader.ts'
import type { ChatPieces } from '../../../src/method/chat-pieces.ts'
import type { Completion, TrainingExample, UpdateOptions } from '../../../src/method/ports.ts'
import type { MlcQuantization } from '../../../src/weight-formats/mlc-encoding.ts'
import { exportMlc } from '../../../src/weight-formats/mlc-export.ts'
import { PLAIN, tinyTokenizerJson } from '../../language-model/tiny-model.ts'
import { compiledTransformer } from './compiled-transformer.ts'
import { MemoryFiles, RECORD, smallWeights } from './small-model.ts'
import { standIn, type StandInEngine } from './stand-in-webllm.ts'
import { UPDATE_OPTIONS } from '../../language-model/update-options.ts'

const LLAMA = { ...PLAIN, vocab_size: 270, max_position_embeddings: 128 }
const QWEN = { ...LLAMA, model_type: 'qwen2', tie_word_embeddings: false }
const SAMPLER: WebLlmSource = { record: RECORD, contextWindow: 96, sequences: 6, cacheTokens: 640 }
const LORA: LoraOptions = { rank: 4, alpha: 8, dropout: 0, targets: ['q_proj', 'v_proj', 'o_proj', 'up_proj'] }
const GREEDY = { temperature: 0, topP: 1, maxTokens: 5 }
const DRAWN = { temperature: 1, topP: 1, maxTokens: 5 }
const OPTIONS: UpdateOptions = { ...UPDATE_OPTIONS, learningRate: 0.03 }
/** Internals without which WebLLM uses its public interface. */
const PUBLIC_ONLY = ['batch_decode']
const PIECES: ChatPieces = {
  start: '<|start|>',
  systemEnd: '\n',
  responseCue: '\n',
  responseEnd: '<|start|>',
  nextUser: '\n',
  reserved: [],
}

interface Opened {
  model: SampledTrainer<number>
  engine: StandInEngine
  trainer: LanguageModel
}

interface OpenOptions {
  config?: object
  quantization?: MlcQuantization
  without?: string[]
  adapters?: LoraOptions | null
  /** Scale of the sampler's weights; the trainer's is 1. */
  samplerSeed?: number
  chatPieces?: ChatPieces
}

async function open({
  config = QWEN,
  quantization = 'q0f32',
  without = [],
  adapters = LORA,
  samplerSeed = 1,
  chatPieces,
}: OpenOptions = {}): Promise<Opened> {
  const files = new MemoryFiles(smallWeights(1))
  const weights = initialWeights(parseModelConfig(config, 'tiny'), samplerSeed)
  files.replace(
    exportMlc({ name: 'tiny', configJson: config, tokenizerJson: tinyTokenizerJson(), weights }, { quantization }),
  )
  const { module, engines } = standIn({ files, without, prefillChunk: 16, compiled: compiledTransformer(config) })
  let trainer: LanguageModel | null = null
  const model = new SampledTrainer<number>({
    sampler: new WebLlmModel({ importModule: async () => module, files }),
    async openTrainer(seed) {
      trainer = await LanguageModel.fresh(config, tinyTokenizerJson(), seed, 'selected', { microBatchTokens: 64 })
      if (adapters !== null) await trainer.attachAdapters(adapters, 5)
      return { model: trainer, chatPieces: chatPieces ?? null }
    },
  })
  await model.load({ sampler: SAMPLER, trainer: 1, backend: 'cpu' })
  return { model, engine: engines[0]!, trainer: trainer! }
}

const prompt = (length: number, from = 5) => Int32Array.from({ length }, (_, i) => 2 + ((from + 7 * i) % 260))
const REQUESTS = [
  { prompt: prompt(4), count: 4, seed: 11 },
  { prompt: prompt(7, 90), count: 2, seed: 13 },
]

/** Examples from a rollout of the requests, of which the first half was good. */
function examplesOf(completions: readonly Completion[][]): TrainingExample[] {
  return completions.flatMap((group, r) =>
    group.map(({ tokens, logProbs }, j) => ({
      prompt: REQUESTS[r]!.prompt,
      response: tokens,
      oldLogProbs: logProbs,
      advantage: j % 2 === 0 ? 1 : -1,
    })),
  )
}

async function iterate({ model }: Opened, options: Partial<UpdateOptions> = {}) {
  return model.update(examplesOf(await model.generate(REQUESTS, DRAWN)), { ...OPTIONS, ...options })
}

const idsOf = (completions: readonly Completion[][]) =>
  completions.map((group) => group.map(({ tokens }) => [...tokens]))

/** Checks that the sampler agrees with our transformer, greedily and by log-probabilities, in groups too. */
async function expectSame({ model, trainer }: Opened, digits: number): Promise<Completion[][]> {
  const ours = await trainer.generate(REQUESTS, GREEDY)
  expect(idsOf(await model.generate(REQUESTS, GREEDY))).toEqual(idsOf(ours))
  const drawn = await model.generate(REQUESTS, DRAWN)
  expect(new Set(drawn[0]!.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1)
  for (const [r, group] of drawn.entries()) {
    const own = await trainer.logProbs(
      group.map(({ tokens }) => ({ prompt: REQUESTS[r]!.prompt, response: tokens })),
      1,
    )
    group.forEach(({ logProbs }, j) =>
      logProbs.forEach((logProb, i) => expect(logProb).toBeCloseTo(own[j]![i]!, digits)),
    )
  }
  return drawn
}

describe.each<[string, OpenOptions, number]>([
  ['uploaded, in full precision', {}, 4],
  ['uploaded, in half precision', { quantization: 'q0f16' }, 1],
  ['into Llama’s parameters', { config: LLAMA }, 4],
  ['of all weights', { adapters: null }, 4],
  [
    'of all projections',
    { adapters: { ...LORA, targets: ['q_proj', 'k_proj', 'v_proj', 'gate_proj', 'down_proj'] } },
    4,
  ],
  ['by loading again', { without: PUBLIC_ONLY }, 4],
])('the sampler gets the trained weights: %s', (_name, options, digits) => {
  it('before the next rollout, in every iteration', async () => {
    const opened = await open(options)
    const start = await expectSame(opened, digits)
    const base = (await opened.trainer.readWeights(['model.layers.0.self_attn.k_proj.weight'])).values().next().value!
    expect(await opened.model.lastSync()).toBeNull()
    for (let iteration = 0; iteration < 2; iteration++) {
      const metrics = await iterate(opened)
      expect(metrics.mismatch_kl).toBeGreaterThanOrEqual(0)
      expect(metrics.mismatch_kl).toBeLessThan(digits > 1 ? 1e-6 : 1e-3)
      expect(await expectSame(opened, digits)).not.toEqual(start)
    }
    // Compares with the trainer before, so that agreement without learning fails.
    const trained = await opened.trainer.readWeights(['model.layers.1.self_attn.q_proj.weight'])
    const fresh = initialWeights(parseModelConfig(options.config ?? QWEN, 'tiny'), 1)
    for (const [name, values] of trained) expect(values).not.toEqual(fresh.get(name))
    const isTrained = options.adapters !== undefined && (options.adapters?.targets.includes('k_proj') ?? true)
    const now = (await opened.trainer.readWeights(['model.layers.0.self_attn.k_proj.weight'])).values().next().value!
    expect(now.every((value, i) => value === base[i])).toBe(!isTrained)
    await opened.model.unload()
  })
})

describe('sending weights', () => {
  it('changes only the adapted projections', async () => {
    const opened = await open({ adapters: { ...LORA, targets: ['q_proj', 'down_proj'] } })
    const before = opened.engine.tvm.params.map(({ data }) => data.slice())
    await iterate(opened)
    const changed = opened.engine.tvm.names.filter((_, i) => {
      const now = opened.engine.tvm.params[i]!.data
      return now.some((byte, at) => byte !== before[i]![at])
    })
    expect(changed).toEqual(
      [0, 1].flatMap((i) =>
        [`self_attn.c_attn.weight`, 'mlp.down_proj.weight'].map((name) => `model.layers.${i}.${name}`),
      ),
    )
    // The trained part of a fused matrix: here its first rows, the queries.
    const fused = opened.engine.tvm.names.indexOf('model.layers.0.self_attn.c_attn.weight')
    const bytes = 4 * 16 * 16
    expect(opened.engine.tvm.params[fused]!.data.slice(bytes)).toEqual(before[fused]!.slice(bytes))
    expect(await opened.model.lastSync()).toMatchObject({
      way: 'uploaded',
      bytes: 2 * 4 * (32 * 16 + 16 * 24),
      durationMs: expect.any(Number) as number,
    })
  })

  it('finishes before a rollout requested at once', async () => {
    const opened = await open()
    const examples = examplesOf(await opened.model.generate(REQUESTS, DRAWN))
    const [, after] = await Promise.all([
      opened.model.update(examples, OPTIONS),
      opened.model.generate(REQUESTS, GREEDY),
    ])
    expect(idsOf(after)).toEqual(idsOf(await opened.trainer.generate(REQUESTS, GREEDY)))
  })

  it('leaks no tensor', async () => {
    const opened = await open()
    await iterate(opened)
    const tensors = tf.memory().numTensors
    await iterate(opened)
    expect(tf.memory().numTensors).toBe(tensors)
  })

  it('follows loading a checkpoint, which is the trainer’s', async () => {
    const opened = await open()
    await iterate(opened)
    const checkpoint = await opened.model.saveCheckpoint()
    const then = await opened.model.generate(REQUESTS, DRAWN)
    await iterate(opened)
    expect(await opened.model.generate(REQUESTS, DRAWN)).not.toEqual(then)
    await opened.model.loadCheckpoint(checkpoint)
    expect(await opened.model.generate(REQUESTS, DRAWN)).toEqual(then)
    const resumed = await open()
    await resumed.model.loadCheckpoint(checkpoint)
    expect(await resumed.model.generate(REQUESTS, DRAWN)).toEqual(then)
    // It also contains the optimiser's state.
    expect(await iterate(resumed)).toEqual(await iterate(opened))
  })

  it('follows a checkpoint that is damaged behind its weights', async () => {
    const opened = await open()
    await iterate(opened)
    const { metadata, tensors } = readSafetensors(await opened.model.saveCheckpoint(), 'checkpoint')
    const [moments] = [...tensors.keys()].filter((name) => name.startsWith('optimizer.'))
    tensors.set(moments!, { shape: [1], values: new Float32Array(1) })
    await iterate(opened)
    await expect(opened.model.loadCheckpoint(writeSafetensors({ metadata, tensors }))).rejects.toThrow(/shape/i)
    await expectSame(opened, 4)
  })

  it('that fails is reported, prevents sampling with old weights, and is repeated', async () => {
    const opened = await open()
    const checkpoint = await opened.model.saveCheckpoint()
    const start = await opened.model.generate(REQUESTS, DRAWN)
    const [tensor] = opened.engine.tvm.params.filter((_, i) => opened.engine.tvm.names[i]!.endsWith('o_proj.weight'))
    const write = tensor!.copyFromRawBytes.bind(tensor)
    tensor!.copyFromRawBytes = () => {
      throw new Error('the queue is full')
    }
    const failure = {
      name: 'WeightSyncError',
      message: expect.stringMatching(/queue is full.*Resume the run/) as string,
    }
    await expect(iterate(opened)).rejects.toMatchObject(failure)
    await expect(opened.model.generate(REQUESTS, GREEDY)).rejects.toMatchObject(failure)
    await expect(opened.model.loadCheckpoint(checkpoint)).rejects.toMatchObject(failure)
    tensor!.copyFromRawBytes = write
    expect(await opened.model.generate(REQUESTS, DRAWN)).toEqual(start)
    await iterate(opened)
    await expectSame(opened, 4)
  })

  it('that was aborted is repeated before the next rollout', async () => {
    const opened = await open()
    const examples = examplesOf(await opened.model.generate(REQUESTS, DRAWN))
    const controller = new AbortController()
    const [tensor] = opened.engine.tvm.params.filter((_, i) => opened.engine.tvm.names[i]!.endsWith('o_proj.weight'))
    const write = tensor!.copyFromRawBytes.bind(tensor)
    tensor!.copyFromRawBytes = (bytes) => {
      controller.abort(new Error('enough'))
      return write(bytes)
    }
    await expect(opened.model.update(examples, OPTIONS, controller.signal)).rejects.toThrow('enough')
    expect(await opened.model.lastSync()).toBeNull()
    await expect(opened.model.update(examples, OPTIONS, controller.signal)).rejects.toThrow('enough')
    await expectSame(opened, 4)
    expect(await opened.model.lastSync()).not.toBeNull()
  })

  it('passes on a lost graphics device, so that another worker starts', async () => {
    const opened = await open()
    const examples = examplesOf(await opened.model.generate(REQUESTS, DRAWN))
    opened.engine.tvm.loseDevice('out of memory')
    await expect(opened.model.update(examples, OPTIONS)).rejects.toMatchObject({ name: 'GraphicsDeviceError' })
  })
})

describe('sampler and trainer', () => {
  it('are compared in the update: by the sampler’s mismatch, and in the weights', async () => {
    const opened = await open()
    const examples = examplesOf(await opened.model.generate(REQUESTS, DRAWN)).map((example) => ({
      ...example,
      oldLogProbs: example.oldLogProbs.map((logProb) => logProb - 0.3),
    }))
    const checkpoint = await opened.model.saveCheckpoint()
    const metrics = await opened.model.update(examples, { ...OPTIONS, updatesPerIteration: 1 })
    expect(metrics.mismatch_kl).toBeCloseTo(Math.exp(0.3) - 1.3, 4)
    expect(Math.abs(metrics.ppo_kl)).toBeLessThan(1e-5)
    await opened.model.loadCheckpoint(checkpoint)
    // All importance weights are e^0.3, which scales the surrogate.
    const weighted = await opened.model.update(examples, { ...OPTIONS, updatesPerIteration: 1, importanceCap: 2 })
    expect(weighted.pg_loss).toBeCloseTo(Math.exp(0.3) * metrics.pg_loss, 4)
  })

  it('must be the same model: in shape, in weights that can be changed, and in outputs', async () => {
    await expect(open({ quantization: 'q4f32_1' })).rejects.toThrow(/four-bit weights.*q0f16 or q0f32/)
    await expect(open({ samplerSeed: 2 })).rejects.toMatchObject({
      name: 'DifferentModelsError',
      message: expect.stringMatching(/nats for each token.*same model and version for both/) as string,
    })
    const files = new MemoryFiles(smallWeights(1))
    const { module, engines } = standIn({ files })
    const other = new SampledTrainer<null>({
      sampler: new WebLlmModel({ importModule: async () => module, files }),
      async openTrainer() {
        return {
          model: await LanguageModel.fresh(LLAMA, tinyTokenizerJson(), 1, 'selected'),
          chatPieces: null,
        }
      },
    })
    const tensors = tf.memory().numTensors
    await expect(other.load({ sampler: SAMPLER, trainer: null, backend: 'cpu' })).rejects.toThrow(
      /cannot sample for the model that is trained.*same model for both/,
    )
    expect(tf.memory().numTensors).toBe(tensors)
    expect(engines[0]!.loadedModelIdToPipeline.size).toBe(0)
    await expect(other.generate(REQUESTS, GREEDY)).rejects.toThrow(/call load first/)
  })

  it('stop at the same tokens, including the chat template’s', async () => {
    const { model } = await open({ chatPieces: PIECES })
    expect(await model.chatPieces()).toBe(PIECES)
    const asked = { ...REQUESTS[0]!, count: 40 }
    const [completions] = await model.generate([asked], { ...DRAWN, temperature: 2, maxTokens: 16 })
    const ended = completions!.filter(({ tokens }) => tokens.at(-1) === 0)
    expect(ended.length).toBeGreaterThan(0)
    expect(completions!.every(({ tokens }) => tokens.indexOf(0) < 0 || tokens.indexOf(0) === tokens.length - 1)).toBe(
      true,
    )
  })

  it('describe their backends, and add up their bytes', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const weights = initialWeights(parseModelConfig(QWEN, 'tiny'), 1)
    files.replace(
      exportMlc(
        { name: 'tiny', configJson: QWEN, tokenizerJson: tinyTokenizerJson(), weights },
        { quantization: 'q0f32' },
      ),
    )
    const { module } = standIn({ files, compiled: compiledTransformer(QWEN) })
    const source = await LanguageModel.fresh(QWEN, tinyTokenizerJson(), 1, 'selected')
    const folder = await source.saveFolder()
    const model = new SampledTrainer<string>({
      sampler: new WebLlmModel({ importModule: async () => module, files }),
      async openTrainer(location, onBytes) {
        onBytes?.(500, 1000)
        const trainer = await LanguageModel.load(memoryReader(location, folder), 'selected')
        await trainer.attachAdapters(LORA, 1)
        onBytes?.(1000, 1000)
        return { model: trainer, chatPieces: null }
      },
    })
    const seen: [number, number][] = []
    const info = await model.load({ sampler: SAMPLER, trainer: 'here', backend: 'cpu' }, (done, total) =>
      seen.push([done, total]),
    )
    expect(info.backendDescription).toMatch(
      /^WebAssembly.*; sampled with WebLLM 0\.2\.86, up to 6 sequences at once; new weights are uploaded$/,
    )
    expect(info.maxPositions).toBe(96)
    // A and B of q, v, o and up, in both layers.
    expect(info.trainedParameters).toBe(2 * 4 * (16 + 16 + 16 + 8 + 16 + 16 + 16 + 24))
    const sampled = 4 * info.parameters
    expect(seen.at(-1)).toEqual([sampled + 1000, sampled + 1000])
    expect(seen.map(([done]) => done)).toEqual([...seen.map(([done]) => done)].sort((a, b) => a - b))
  })
})
