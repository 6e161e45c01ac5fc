import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TinkerModel, type TinkerModelOptions } from '../../../src/engines/tinker/tinker-model.ts'
import { memoryReader } from '../../../src/language-model/files/model-folder.ts'
import type { TrainingExample, UpdateOptions } from '../../../src/method/ports.ts'
import { standInTinker, type TinkerStandIn } from './stand-in-tinker.ts'
import { UPDATE_OPTIONS } from '../../language-model/update-options.ts'

/** Each letter is a token, and so is `<end>`. */
const END = 128
const letters = Array.from({ length: END }, (_, code) => [String.fromCharCode(code), code] as const)
const bytes = (json: unknown) => new TextEncoder().encode(JSON.stringify(json))
const FILES = {
  'tokenizer.json': bytes({
    added_tokens: [
      { id: END, content: '<end>', special: true, normalized: false, lstrip: false, rstrip: false, single_word: false },
    ],
    model: { type: 'BPE', vocab: { ...Object.fromEntries(letters), '<end>': END }, merges: [] },
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Fuse' },
  }),
  'config.json': bytes({ eos_token_id: END, max_position_embeddings: 64 }),
}
const SAMPLING = { temperature: 1, topP: 0.9, maxTokens: 8 }
const UPDATE: UpdateOptions = { ...UPDATE_OPTIONS, learningRate: 0.1, clipRatioHigh: 0.3, klCoefficient: 0 }
const example = (advantage: number): TrainingExample => ({
  prompt: Int32Array.of(1, 2, 3),
  response: Int32Array.of(4, 5),
  oldLogProbs: Float32Array.of(-2, -2),
  advantage,
})
const BATCH = [example(1), example(-0.5), example(0.25), example(1)]

let tinker: TinkerStandIn
let notices: string[]
const open: { close(): void }[] = []
beforeEach(async () => {
  tinker = await standInTinker()
  notices = []
})
afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await tinker.server.close()
})

function model(options: Partial<TinkerModelOptions> = {}): TinkerModel {
  const opened = new TinkerModel({
    source: {
      kind: 'tinker',
      baseUrl: tinker.server.url,
      baseModel: 'tiny',
      tokenizer: 'x',
      rank: 4,
      timeoutSeconds: 60,
    },
    key: null,
    files: memoryReader('tiny', FILES),
    seed: 1,
    onNotice: (text) => notices.push(text),
    http: { backoff: { baseMs: 5, capMs: 20 }, patienceMs: 30_000 },
    ...options,
  })
  open.push(opened)
  return opened
}

async function loaded(options?: Partial<TinkerModelOptions>): Promise<TinkerModel> {
  const opened = model(options)
  await opened.load()
  return opened
}

const theta = () => [...tinker.models.values()].at(-1)!.theta
const sample = async (from: TinkerModel) => {
  const [prompt] = await from.encode(['hi'])
  return (await from.generate([{ prompt: prompt!, count: 2, seed: 3 }], SAMPLING))[0]!
}

describe('sampling', () => {
  it('greedily asks for temperature 0 and no nucleus', async () => {
    const actor = await loaded()
    const [prompt] = await actor.encode(['hi'])
    await actor.generate([{ prompt: prompt!, count: 1, seed: 3 }], { ...SAMPLING, temperature: 0 })
    const asked = tinker.server.asked.filter(({ path }) => path === '/api/v1/asample')
    expect(asked.at(-1)!.body.sampling_params).toMatchObject({ temperature: 0, top_p: 1 })
  })

  it('returns the sampled tokens with log-probabilities, and text without the stop token', async () => {
    const actor = await loaded()
    const [one, two] = await sample(actor)
    const asked = tinker.server.asked.filter(({ path }) => path === '/api/v1/asample').map(({ body }) => body)
    expect(asked[0]!.prompt!.chunks[0]!.tokens).toEqual([104, 105])
    expect(asked[0]!.sampling_params).toMatchObject({ max_tokens: 8, temperature: 1, top_p: 0.9, stop: [END] })
    expect(asked[0]!.sampling_params!.seed).not.toBe(asked[1]!.sampling_params!.seed)
    for (const completion of [one!, two!]) {
      expect(completion.tokens.at(-1)).toBe(END)
      expect(completion.text).toBe(String.fromCharCode(completion.tokens[0]!))
      expect(Array.from(completion.logProbs)).toEqual([-2, -2])
      expect(completion.finishReason).toBe('stop')
    }
  })

  it('asks for no more tokens than the server’s context has left, if it is smaller than the folder’s', async () => {
    tinker.contextTokens = 40
    const actor = model()
    expect((await actor.load()).maxPositions).toBe(40)
    await actor.generate([{ prompt: new Int32Array(37).fill(65), count: 1, seed: 3 }], SAMPLING)
    const asked = tinker.server.asked.filter(({ path }) => path === '/api/v1/asample')
    expect(asked.at(-1)!.body.sampling_params!.max_tokens).toBe(3)
  })

  it('uses the weights of the last update', async () => {
    const actor = await loaded()
    await actor.update(BATCH, UPDATE)
    const [one] = await sample(actor)
    expect(one!.logProbs[0]).toBeCloseTo(theta(), 5)
    expect(theta()).not.toBe(-2)
  })
})

describe('an update', () => {
  it('makes the requested steps, with our weights whichever mean the server takes', async () => {
    const actor = await loaded()
    const metrics = await actor.update(BATCH, UPDATE)
    expect(tinker.operations().slice(3)).toEqual([
      ...[
        'forward_backward',
        'optim_step',
        'forward_backward',
        'optim_step',
        'save_weights',
        'save_weights_for_sampler',
      ],
    ])
    const passes = tinker.server.asked
      .filter(({ path }) => path.endsWith('forward_backward'))
      .map(({ body }) => body.forward_backward_input!)
    expect(passes.map(({ loss_fn, loss_fn_config }) => [loss_fn, loss_fn_config])).toEqual(
      Array(2).fill(['ppo', { clip_low_threshold: 0.8, clip_high_threshold: 1.3 }]),
    )
    // token-mean over 2 · 2 tokens, times the 2 examples and 4 positions by which this server divides.
    expect(passes[0]!.data[0]!.loss_fn_inputs.advantages.data).toEqual([0, 0, 2, 2])
    expect(metrics).toMatchObject({ lossTokens: 8, trainedTokens: 20, grad_norm: 0.5 })
    // Before the first step ρ is 1 and pg = -(1 - 0.5)/2; after it θ has risen by 0.1 · 2 · (2 - 1).
    const risen = Math.exp(0.2)
    expect(metrics.pg_loss).toBeCloseTo((-0.25 - (risen * 1.25) / 2) / 2, 5)
    expect(metrics.ppo_kl).toBeCloseTo(-0.1, 5)
  })

  it('requests log-probabilities first for a KL term, which the interface lacks', async () => {
    const actor = await loaded()
    await actor.update(BATCH, { ...UPDATE, klCoefficient: 0.5 })
    expect(tinker.operations().slice(3, 9)).toEqual(['forward', 'forward_backward', 'optim_step', 'forward', 'forward_backward', 'optim_step']) // prettier-ignore
    const [first, second] = tinker.server.asked
      .filter(({ path }) => path.endsWith('forward_backward'))
      .map(({ body }) => body.forward_backward_input!)
    expect(first!.loss_fn).toBe('importance_sampling')
    expect(first!.data[0]!.loss_fn_inputs.advantages.data).toEqual([0, 0, 2, 2])
    const risen = 0.2
    const expected = 2 * (Math.exp(risen) * 0.25 - 0.5 * (1 - Math.exp(-risen)))
    expect(second!.data[0]!.loss_fn_inputs.advantages.data[2]).toBeCloseTo(expected, 5)
    // ρ = 1, because the current log-probabilities are sent as the old ones.
    expect(second!.data[0]!.loss_fn_inputs.logprobs.data[2]).toBeCloseTo(-2 + risen, 5)
  })

  it('is refused at a temperature that the server does not support, before any request', async () => {
    const actor = await loaded()
    const before = tinker.server.asked.length
    await expect(actor.update(BATCH, { ...UPDATE, temperature: 0.8 })).rejects.toThrow(
      /temperature 0.8.*Set the temperature/,
    )
    expect(tinker.server.asked).toHaveLength(before)
  })

  const breaks = ['forward_backward', 'optim_step', 'save_weights', 'save_weights_for_sampler']
  it.each(breaks)('is applied once although the connection is lost after %s', async (operation) => {
    const undisturbed = await loaded()
    await undisturbed.update(BATCH, UPDATE)
    const expected = theta()
    const actor = await loaded()
    let faults = 0
    tinker.fault = ({ path }, done) => {
      if (!path.endsWith(`/${operation}`) || faults++ > 0) return null
      done()
      return { breaks: 'before' }
    }
    await actor.update(BATCH, UPDATE)
    expect(faults).toBeGreaterThan(0)
    expect(theta()).toBeCloseTo(expected, 6)
    expect(notices.join()).toMatch(/lost and recreated.*unknown whether/)
    expect((await sample(actor))[0]!.logProbs[0]).toBeCloseTo(expected, 5)
  })

  it('that is aborted halfway has no effect', async () => {
    const actor = await loaded()
    const stop = new AbortController()
    tinker.fault = ({ path }) => {
      if (path.endsWith('optim_step')) stop.abort(new DOMException('stopped', 'AbortError'))
      return null
    }
    await expect(actor.update(BATCH, UPDATE, stop.signal)).rejects.toThrow('stopped')
    tinker.fault = null
    expect((await sample(actor))[0]!.logProbs[0]).toBe(-2)
    await actor.update(BATCH, UPDATE)
    expect(theta()).toBeGreaterThan(-2)
  })
})

describe('a server that lost everything except saved weights', () => {
  it('gets its model again in the middle of a run', async () => {
    const actor = await loaded()
    await actor.update(BATCH, UPDATE)
    const learned = theta()
    tinker.restart()
    expect((await sample(actor))[0]!.logProbs[0]).toBeCloseTo(learned, 5)
    tinker.restart()
    await actor.update(BATCH, UPDATE)
    const undisturbed = await loaded()
    await undisturbed.update(BATCH, UPDATE)
    await undisturbed.update(BATCH, UPDATE)
    const [straight] = await sample(undisturbed)
    expect((await sample(actor))[0]!.logProbs[0]).toBeCloseTo(straight!.logProbs[0]!, 5)
    expect(notices).toHaveLength(2)
  })

  it('resumes from a checkpoint in another session', async () => {
    const actor = await loaded()
    await actor.update(BATCH, UPDATE)
    const checkpoint = await actor.saveCheckpoint()
    const learned = theta()
    await actor.update(BATCH, UPDATE)
    tinker.restart()
    const resumed = await loaded()
    await resumed.loadCheckpoint(checkpoint)
    expect(theta()).toBeCloseTo(learned, 6)
    tinker.saved.clear()
    await expect(resumed.loadCheckpoint(checkpoint)).rejects.toThrow(/no weights at tinker:.*any more/)
  })

  it('refuses checkpoints of other models', async () => {
    const actor = await loaded()
    const other = await loaded({ source: { kind: 'tinker', baseUrl: tinker.server.url, baseModel: 'tiny', tokenizer: 'x', rank: 8, timeoutSeconds: 60 } }) // prettier-ignore
    await expect(other.loadCheckpoint(await actor.saveCheckpoint())).rejects.toThrow(/rank 4 on tiny.*rank 8/)
    await expect(actor.loadCheckpoint(Uint8Array.of(1, 2, 3))).rejects.toThrow(/does not fit/)
  })
})

describe('faults', () => {
  it('that are temporary are waited out: refusals, incomplete answers and pending futures', async () => {
    const actor = await loaded()
    let faults = 0
    tinker.fault = () => (faults++ % 2 === 0 ? { status: 429, json: { detail: 'busy' } } : null)
    await actor.update(BATCH, UPDATE)
    expect(notices).toEqual([])
    const undisturbed = theta()
    expect(undisturbed).toBeCloseTo(-2 + 0.2 + 0.1 * 5, 1)
  })

  it('of a key or a model are reported at once', async () => {
    await tinker.server.close()
    tinker = await standInTinker('right')
    await expect(loaded({ key: 'wrong' })).rejects.toThrow(/does not accept the key.*401/)
    await expect(loaded({ key: 'right' })).resolves.toBeDefined()
    const source = {
      kind: 'tinker' as const,
      baseUrl: tinker.server.url,
      baseModel: 'huge',
      tokenizer: 'x',
      rank: 4,
      timeoutSeconds: 60,
    }
    await expect(loaded({ key: 'right', source })).rejects.toThrow(/“huge”.*tiny/)
  })

  it('of missing log-probabilities end the run, because training requires them', async () => {
    const actor = await loaded()
    tinker.fault = ({ path }, done) => {
      if (!path.endsWith('forward_backward')) return null
      done()
      return { json: { request_id: '0' } }
    }
    await expect(actor.update(BATCH, UPDATE)).rejects.toThrow()
    expect(tinker.saved.size).toBeLessThan(10)
  })
})
