import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WebLlmSource } from '../../../src/engines/webllm/loaded-model.ts'
import { COMPILED, FORK, INTERNALS, type Kind, type Owner } from '../../../src/engines/webllm/own-names.ts'
import { WebLlmModel } from '../../../src/engines/webllm/webllm-model.ts'
import { readSafetensors, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import { encodeParameter } from '../../../src/weight-formats/mlc-encoding.ts'
import {
  ATTENTION,
  EMBEDDING,
  exactLogProbs,
  fusedWeights,
  MemoryFiles,
  PARAMETERS,
  RECORD,
  roundedWeights,
  smallWeights,
  STOP,
} from './small-model.ts'
import { StandInTvm } from './stand-in-tvm.ts'
import { standIn, type StandInEngine, type StandInOptions } from './stand-in-webllm.ts'

const SOURCE: WebLlmSource = { record: RECORD, contextWindow: 96, sequences: 6, cacheTokens: 320 }
const SAMPLING = { temperature: 1, topP: 1, maxTokens: 12 }
const WEIGHTS = smallWeights(1)
/** Internals without which the engine uses the public interface. */
const PUBLIC_ONLY = ['batch_decode']

interface Opened {
  model: WebLlmModel
  engine: StandInEngine
  files: MemoryFiles
}

async function open(
  options: Partial<StandInOptions> & { source?: Partial<WebLlmSource>; quantization?: 'q0f16' | 'q4f32_1' } = {},
): Promise<Opened> {
  const files = options.files ?? new MemoryFiles(WEIGHTS, options.quantization)
  const { module, engines } = standIn({ ...options, files })
  const model = new WebLlmModel({ importModule: async () => module, files })
  await model.load({ ...SOURCE, ...options.source })
  return { model, engine: engines[0]!, files }
}

const prompt = (length: number, from = 5) => Int32Array.from({ length }, (_, i) => 2 + ((from + 7 * i) % 260))
const requests = [
  { prompt: prompt(20), count: 4, seed: 11 },
  { prompt: prompt(3, 40), count: 1, seed: 12 },
  { prompt: prompt(33, 90), count: 3, seed: 13 },
]

describe.each([
  ['batched', []],
  ['one by one', PUBLIC_ONLY],
])('sampling, %s', (_name, without) => {
  it('returns tokens with the model’s log-probabilities', async () => {
    const { model } = await open({ without })
    for (const temperature of [1, 0.7]) {
      const completions = await model.generate(requests, { ...SAMPLING, temperature })
      expect(completions.map((group) => group.length)).toEqual([4, 1, 3])
      for (const [r, group] of completions.entries()) {
        for (const { tokens, logProbs, entropies, finishReason } of group) {
          const exact = exactLogProbs(WEIGHTS, [...requests[r]!.prompt], [...tokens], temperature)
          exact.forEach((value, i) => expect(logProbs[i]).toBeCloseTo(value, 4))
          expect(entropies.every((entropy) => entropy > 0)).toBe(true)
          expect(finishReason).toBe(tokens.at(-1) === STOP ? 'stop' : 'length')
          if (finishReason === 'length') expect(tokens.length).toBe(SAMPLING.maxTokens)
        }
      }
      const texts = new Set(completions.flat().map(({ text }) => text))
      expect(texts.size).toBeGreaterThan(6)
    }
  })

  it('draws from the distribution: frequencies of first tokens follow their probabilities', async () => {
    const { model } = await open({ without })
    const count = 400
    const [completions] = await model.generate([{ prompt: prompt(4), count, seed: 3 }], { ...SAMPLING, maxTokens: 1 })
    const often = new Map<number, number>()
    for (const { tokens } of completions!) often.set(tokens[0]!, (often.get(tokens[0]!) ?? 0) + 1)
    for (const [token, times] of often) {
      const p = Math.exp(exactLogProbs(WEIGHTS, [...prompt(4)], [token], 1)[0]!)
      expect(Math.abs(times - count * p)).toBeLessThan(5 * Math.sqrt(count * p) + 1)
    }
  })

  it('depends only on weights, prompt and seed, not on batch or cache', async () => {
    const { model } = await open({ without })
    const together = await model.generate(requests, SAMPLING)
    for (const [r, request] of requests.entries())
      expect((await model.generate([request], SAMPLING))[0]).toEqual(together[r])
    const other = await model.generate([{ ...requests[0]!, seed: 99 }], SAMPLING)
    expect(other[0]).not.toEqual(together[0])
  })

  it('takes the most likely token at temperature 0, and stays within the nucleus of top-p', async () => {
    const { model } = await open({ without })
    const greedy = await model.generate([requests[0]!], { ...SAMPLING, temperature: 0 })
    expect(new Set(greedy[0]!.map(({ tokens }) => tokens.join())).size).toBe(1)
    const narrow = await model.generate([{ ...requests[0]!, count: 20 }], { ...SAMPLING, topP: 0.05, maxTokens: 1 })
    const p = narrow[0]!.map(({ tokens }) => Math.exp(exactLogProbs(WEIGHTS, [...prompt(20)], [...tokens], 1)[0]!))
    expect(Math.min(...p)).toBeGreaterThan(0.001)
    // Relative to the distribution before top-p.
    narrow[0]!.forEach(({ logProbs }, i) => expect(Math.exp(logProbs[0]!)).toBeCloseTo(p[i]!, 5))
  })

  it('scores prompts', async () => {
    const { model } = await open({ without })
    const sequences = [prompt(30), prompt(2), prompt(1)]
    const scores = await model.score(sequences, 0.8)
    expect(scores.map(({ length }) => length)).toEqual([29, 1, 0])
    const exact = exactLogProbs(WEIGHTS, [sequences[0]![0]!], [...sequences[0]!.slice(1)], 0.8)
    exact.forEach((value, i) => expect(scores[0]![i]).toBeCloseTo(value, 4))
  })

  it('rejects with the signal’s reason in the middle of a rollout, and works afterwards', async () => {
    const { model, engine } = await open({ without })
    const before = await model.generate([requests[0]!], SAMPLING)
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 5)
    const endless = { prompt: prompt(5), count: 200, seed: 1 }
    await expect(model.generate([endless], SAMPLING, controller.signal)).rejects.toThrow('enough')
    expect(engine.isLocked).toBe(false)
    expect(await model.generate([requests[0]!], SAMPLING)).toEqual(before)
    await expect(model.generate(requests, SAMPLING, controller.signal)).rejects.toThrow('enough')
  })

  it('follows a grammar, whose tokens share the probability', async () => {
    const { model } = await open({ without })
    const format = { type: 'grammar', grammar: ' the desk| the drawer 1|take' } as const
    const asked = { ...requests[0]!, prompt: (await model.encode(['go to the desk\n']))[0]! }
    const roomy = { ...SAMPLING, maxTokens: 24 }
    const [completions] = await model.generateFormatted([{ ...asked, count: 12 }], roomy, format)
    for (const { text, finishReason } of completions!) {
      expect(finishReason).toBe('stop')
      expect(format.grammar.split('|')).toContain(text)
    }
    expect(new Set(completions!.map(({ text }) => text)).size).toBeGreaterThan(1)
    const certain = await model.generateFormatted([asked], SAMPLING, { type: 'grammar', grammar: 'take' })
    for (const { logProbs, entropies } of certain[0]!) {
      // "take" can be one token or its letters; then only one continuation is allowed.
      expect(logProbs.at(-1)).toBeCloseTo(0, 6)
      expect(Number.isFinite(entropies.reduce((a, b) => a + b))).toBe(true)
    }
  })

  it('refuses empty and too long prompts, with a remedy', async () => {
    const { model } = await open({ without })
    await expect(model.generate([{ ...requests[0]!, prompt: prompt(0) }], SAMPLING)).rejects.toThrow(/empty/)
    await expect(model.generate([{ ...requests[0]!, prompt: prompt(96) }], SAMPLING)).rejects.toThrow(
      /96 tokens.*longer/,
    )
    const [short] = await model.generate([{ prompt: prompt(94), count: 1, seed: 1 }], SAMPLING)
    expect(short![0]!.tokens.length).toBeLessThanOrEqual(2)
  })

  it('uses new weights from the next rollout on, all of them or some', async () => {
    const { model, engine } = await open({ without })
    const changed = smallWeights(2)
    await model.setWeights(changed)
    const [completions] = await model.generate([requests[0]!], SAMPLING)
    const { tokens, logProbs } = completions![0]!
    exactLogProbs(changed, [...requests[0]!.prompt], [...tokens], 1).forEach((value, i) =>
      expect(logProbs[i]).toBeCloseTo(value, 4),
    )
    expect(engine.resets).toBeGreaterThan(0)

    await model.setWeights(new Map([[EMBEDDING, WEIGHTS.get(EMBEDDING)!]]))
    const mixed = new Map([...changed, [EMBEDDING, WEIGHTS.get(EMBEDDING)!] as const])
    const [next] = await model.generate([requests[0]!], SAMPLING)
    exactLogProbs(mixed, [...requests[0]!.prompt], [...next![0]!.tokens], 1).forEach((value, i) =>
      expect(next![0]!.logProbs[i]).toBeCloseTo(value, 4),
    )
  })

  it('restores the weights of a checkpoint, and the original ones', async () => {
    const { model } = await open({ without })
    const original = await model.generate(requests, SAMPLING)
    const pristine = await model.saveCheckpoint()
    const tensors = new Map(
      [...smallWeights(2)].map(([name, values]) => [name, { shape: [values.length], values }] as const),
    )
    tensors.set('optimizer.exp_avg.' + EMBEDDING, tensors.get(EMBEDDING)!)
    const checkpoint = writeSafetensors({ metadata: {}, tensors })
    await model.loadCheckpoint(checkpoint)
    const changed = await model.generate(requests, SAMPLING)
    expect(changed).not.toEqual(original)
    expect(await model.saveCheckpoint()).toEqual(checkpoint)
    await model.loadCheckpoint(pristine)
    expect(await model.generate(requests, SAMPLING)).toEqual(original)
    await model.loadCheckpoint(await model.saveCheckpoint())
    expect(await model.generate(requests, SAMPLING)).toEqual(original)
  })
})

describe('sampling in batches', () => {
  it('equals sampling one by one, for any prompts, counts and cache sizes', async () => {
    const request = fc.record({
      prompt: fc
        .array(fc.integer({ min: 2, max: 260 }), { minLength: 1, maxLength: 60 })
        .map((ids) => Int32Array.from(ids)),
      count: fc.integer({ min: 1, max: 9 }),
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    })
    const single = await open({ without: PUBLIC_ONLY })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 96, max: 500 }),
        fc.integer({ min: 2, max: 40 }),
        async (asked, sequences, cacheTokens, prefillChunk) => {
          const batched = await open({ source: { sequences, cacheTokens }, prefillChunk })
          const sampling = { ...SAMPLING, maxTokens: 4 }
          const [ours, theirs] = await Promise.all([
            batched.model.generate(asked, sampling),
            single.model.generate(asked, sampling),
          ])
          expect(ours.map((group) => group.map(({ tokens }) => [...tokens]))).toEqual(
            theirs.map((group) => group.map(({ tokens }) => [...tokens])),
          )
        },
      ),
      { numRuns: 25 },
    )
  })

  it('reads a prompt once for its whole group, and decodes the group in one step', async () => {
    const { model, engine } = await open({ prefillChunk: 64 })
    await model.generate([{ prompt: prompt(20), count: 6, seed: 1 }], SAMPLING)
    const [prefill, ...steps] = engine.tvm.rows
    expect(prefill).toBe(1)
    expect(steps[0]).toBeGreaterThanOrEqual(5)
    expect(engine.reads).toEqual([])
  })

  it('closes all scopes and frees its grammars, however it ends', async () => {
    const { model, engine } = await open()
    await model.generateFormatted([requests[0]!], SAMPLING, { type: 'grammar', grammar: 'take|go to' })
    const controller = new AbortController()
    const aborted = model.generateFormatted(
      [requests[0]!],
      SAMPLING,
      { type: 'grammar', grammar: 'take 1' },
      controller.signal,
    )
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    expect(engine.tvm.openScopes).toBe(0)
    expect(engine.matchers.length).toBeGreaterThan(0)
    expect(engine.matchers.every(({ isFree }) => isFree)).toBe(true)
  })

  it('reports what a completion that never fits the cache would need', async () => {
    const { model } = await open({ source: { cacheTokens: 32 } })
    await expect(model.generate([requests[0]!], SAMPLING)).rejects.toThrow(/needs 64 tokens.*has 32/)
  })

  it('ends when the graphics device is lost', async () => {
    const { model, engine } = await open()
    engine.tvm.loseDevice('out of memory')
    await expect(model.generate(requests, SAMPLING)).rejects.toMatchObject({ name: 'GraphicsDeviceError' })
  })

  it('loads again while WebLLM still frees what the lost device held', async () => {
    const { model, engine } = await open()
    engine.tvm.loseDevice('out of memory')
    await expect(model.generate(requests, SAMPLING)).rejects.toThrow(/was lost/)
    await expect(model.load(SOURCE)).resolves.toMatchObject({ usesInternals: true })
  })
})

describe('weights on the device', () => {
  it('are copied from buffer to buffer, after pending computations with the old ones', async () => {
    const { model, engine } = await open()
    const changed = smallWeights(5)
    const [tensor] = encodeParameter(PARAMETERS[1]!, fusedWeights(changed).get(ATTENTION)!, 'q0f32')
    const data = new Uint8Array(tensor!.bytes.length + 8)
    data.set(tensor!.bytes, 8)
    await model.copyWeights([{ name: ATTENTION, buffer: { data } as unknown as GPUBuffer, offset: 8 }])
    expect(engine.tvm.copied).toEqual(['flush'])
    expect(engine.tvm.weights.get(ATTENTION)).toEqual(fusedWeights(changed).get(ATTENTION))
    await expect(model.saveCheckpoint()).rejects.toThrow(/Save them with the trainer/)
    expect(model.device).not.toBeNull()
  })

  it('have the library’s type, such as half precision', async () => {
    const { model, engine } = await open({ quantization: 'q0f16' })
    const changed = smallWeights(3)
    await model.setWeights(changed)
    expect(engine.tvm.weights.get(EMBEDDING)).toEqual(roundedWeights(changed, 'q0f16').get(EMBEDDING))
    expect(engine.tvm.weights.get(EMBEDDING)).not.toEqual(changed.get(EMBEDDING))
  })

  it('are refused without any change if they do not fit', async () => {
    const { model, engine } = await open()
    const before = [...engine.tvm.params].map(({ data }) => data.slice())
    const some = new Map(smallWeights(2))
    some.delete('model.layers.0.self_attn.k_proj.weight')
    await expect(model.setWeights(some)).rejects.toThrow(/q_proj.*without.*k_proj/)
    await expect(model.setWeights(new Map([['model.norm.weight', new Float32Array(8)]]))).rejects.toThrow(
      /does not have/,
    )
    await expect(model.setWeights(new Map([[EMBEDDING, new Float32Array(8)]]))).rejects.toThrow(/8 numbers/)
    expect(engine.tvm.params.map(({ data }) => data)).toEqual(before)
    const frozen = new MemoryFiles(WEIGHTS, 'q4f32_1')
    const { module } = standIn({ files: frozen })
    const quantized = new WebLlmModel({ importModule: async () => module, files: frozen })
    expect(await quantized.load(SOURCE)).toMatchObject({ acceptsWeights: false, parameters: 270 * 32 + 24 * 32 })
    await expect(quantized.setWeights(WEIGHTS)).rejects.toThrow(/q0f16 or q0f32/)
  })
})

/** What a version can lack, and how it is reported. */
const LACKING = [
  ...(Object.keys(INTERNALS) as Owner[])
    .filter((owner) => owner !== 'matcher')
    .flatMap((owner) =>
      Object.entries<Kind>(INTERNALS[owner]).map(
        ([name, kind]) => [`${owner}.${name}`, `${owner}.${name} (${kind})`] as const,
      ),
    ),
  ...[...COMPILED, FORK].map((name) => [name, `function ${name}`] as const),
]
const OF_MATCHERS = Object.keys(INTERNALS.matcher)

describe('a version of WebLLM with other internals', () => {
  it.each(LACKING)('is detected by missing internals: %s', async (lacking, named) => {
    const files = new MemoryFiles(WEIGHTS)
    const { module } = standIn({ files, without: [lacking] })
    const model = new WebLlmModel({ importModule: async () => module, files })
    const info = await model.load(SOURCE)
    expect(info.usesInternals).toBe(false)
    expect(info.missing).toEqual([named])
    expect(info.backendDescription).toContain(named)
    expect(info.parameters).toBe(270 * 8 + 24 * 8)
    expect((await model.generate([requests[1]!], SAMPLING))[0]).toHaveLength(1)
  })

  it.each(OF_MATCHERS)('samples under a grammar one by one if its matcher lacks %s', async (name) => {
    const format = { type: 'grammar', grammar: ' the desk| the drawer 1|take' } as const
    const expected = await open()
    const { model, engine } = await open({ without: [`matcher.${name}`] })
    const [text] = await model.encode(['go to the desk\n'])
    const answersOf = async (asked: WebLlmModel) => {
      const requested = { prompt: text!, count: 4, seed: 11 }
      const [answers] = await asked.generateFormatted([requested], SAMPLING, format)
      return answers!.map(({ tokens }) => [...tokens])
    }
    const answers = await answersOf(expected.model)
    expect(await answersOf(model)).toEqual(answers)
    expect(engine.reads.length).toBeGreaterThan(0)
    const { length } = engine.matchers
    expect(await answersOf(model)).toEqual(answers)
    // It is not tried again.
    expect(engine.matchers).toHaveLength(length)
    // The rest still uses the internals.
    engine.reads.length = 0
    expect(await model.generate(requests, SAMPLING)).toEqual(await expected.model.generate(requests, SAMPLING))
    expect(engine.reads).toEqual([])
  })

  it('loads changed weights from a copy, and does not change the download', async () => {
    const { model, engine, files } = await open({ without: PUBLIC_ONLY })
    const downloaded = new Map(files.stored)
    await model.setWeights(smallWeights(2))
    await model.setWeights(smallWeights(3))
    await model.setWeights(smallWeights(4))
    expect(engine.loads.map((record) => record.model)).toEqual([
      'https://models.test/small-model/resolve/main/',
      'https://models.test/small-model-changed-1/resolve/main/',
      'https://models.test/small-model-changed-2/resolve/main/',
      'https://models.test/small-model-changed-1/resolve/main/',
    ])
    // Keeps only the copy in use.
    expect([...files.stored.keys()].filter((address) => address.includes('changed-2'))).toEqual([])
    for (const [address, bytes] of downloaded) expect(files.stored.get(address)).toBe(bytes)
    await model.load(SOURCE)
    expect(files.stored).toEqual(downloaded)
  })

  it('is detected if it ignores its logit processor', async () => {
    const { model } = await open({ without: PUBLIC_ONLY, ignoresProcessor: true })
    await expect(model.generate([{ ...requests[0]!, count: 8 }], SAMPLING)).rejects.toThrow(/logit processor/)
  })

  it('passes on the sampler’s error for diverged weights', async () => {
    const { model } = await open({ without: PUBLIC_ONLY })
    await model.setWeights(new Map([[EMBEDDING, new Float32Array(270 * 8).fill(3e38)]]))
    await expect(model.generate([requests[0]!], SAMPLING)).rejects.toThrow(/not finite/)
    // WebLLM's own error is that its grammar forbids the token.
    const [text] = await model.encode(['take'])
    const asked = { prompt: text!, count: 1, seed: 1 }
    const grammar = { type: 'grammar', grammar: 'go' } as const
    await expect(model.generateFormatted([asked], SAMPLING, grammar)).rejects.toThrow(/not finite/)
  })

  it('generates nothing if it is aborted before the chat begins', async () => {
    const { model, engine } = await open({ without: PUBLIC_ONLY })
    const controller = new AbortController()
    engine.resetChat = async () => controller.abort(new Error('enough'))
    const [text] = await model.encode(['take'])
    const asked = { prompt: text!, count: 1, seed: 1 }
    const generated = model.generateFormatted([asked], SAMPLING, { type: 'grammar', grammar: 'go' }, controller.signal)
    await expect(generated).rejects.toThrow('enough')
    expect(engine.reads).toEqual([])
  })

  it('refuses a grammar for a prompt that text cannot represent', async () => {
    const { model } = await open({ without: PUBLIC_ONLY })
    const [whole] = await model.encode(['take'])
    const letters = Int32Array.from([...'take'].flatMap((letter) => 2 + letter.charCodeAt(0)))
    expect(whole!.length).toBe(1)
    const asked = { prompt: letters, count: 1, seed: 1 }
    await expect(model.generateFormatted([asked], SAMPLING, { type: 'grammar', grammar: 'take' })).rejects.toThrow(
      /a prompt as text/,
    )
  })
})

describe('loading', () => {
  afterEach(() => vi.restoreAllMocks())

  it('reports loaded bytes', async () => {
    const files = new MemoryFiles(WEIGHTS)
    const { module } = standIn({ files })
    const model = new WebLlmModel({ importModule: async () => module, files })
    const seen: [number, number][] = []
    await model.load(SOURCE, (done, total) => seen.push([done, total]))
    const total = 4 * (270 * 8 + 24 * 8)
    expect(seen.at(-1)).toEqual([total, total])
    expect(seen.map(([done]) => done)).toEqual([...seen.map(([done]) => done)].sort((a, b) => a - b))
  })

  it('fails with WebLLM’s error and a remedy', async () => {
    const files = new MemoryFiles(WEIGHTS)
    const { module } = standIn({ files })
    const model = new WebLlmModel({ importModule: async () => module, files })
    for (const address of files.stored.keys()) if (address.endsWith('.bin')) files.stored.delete(address)
    await expect(model.load(SOURCE)).rejects.toMatchObject({ name: 'ModelLoadError' })
    await expect(model.load({ ...SOURCE, record: { ...RECORD, model: 'https://models.test/none' } })).rejects.toThrow(
      /none.*not there/,
    )
    await expect(model.generate(requests, SAMPLING)).rejects.toThrow(/call load first/)
    await expect(model.update()).rejects.toThrow(/does not train/)
  })

  it('frees what WebLLM has loaded if there is no memory for the cache', async () => {
    const files = new MemoryFiles(WEIGHTS)
    const { module, engines } = standIn({ files })
    const model = new WebLlmModel({ importModule: async () => module, files })
    vi.spyOn(StandInTvm.prototype, 'makeShapeTuple').mockImplementation(() => {
      throw new Error('out of memory')
    })
    await expect(model.load(SOURCE)).rejects.toThrow(/could not load "small-model" \(out of memory\)/)
    expect(engines[0]!.loadedModelIdToPipeline.size).toBe(0)
  })

  it('saves an empty checkpoint of an unchanged model', async () => {
    const { model } = await open()
    expect(readSafetensors(await model.saveCheckpoint(), 'x').tensors.size).toBe(0)
    await model.unload()
    await expect(model.saveCheckpoint()).rejects.toThrow(/call load first/)
  })
})
