import { beforeAll, describe, expect, it } from 'vitest'
import { ReplicatedModel, type ModelCopy } from '../../../src/engines/transformer/replicated-model.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import type { GenerateRequest, SamplingOptions, TrainingExample } from '../../../src/method/ports.ts'
import { WorkerLostError } from '../../../src/threads/errors.ts'
import { randomTokens, tinyModel, useBackend } from '../../language-model/tiny-model.ts'
import { UPDATE_OPTIONS } from '../../language-model/update-options.ts'

const SAMPLING: SamplingOptions = { temperature: 1, topP: 1, maxTokens: 10 }

/** Copies of a tiny model in this thread, which count what they are asked. */
class Copies {
  readonly asked: number[] = []
  readonly closed: number[] = []
  /** Micro-batches whose gradients they computed for the first. */
  readonly helped: number[] = []
  /** Copies whose sampling fails. */
  readonly lost = new Set<number>()
  /** Copies that cannot open the model. */
  readonly broken = new Set<number>()
  /** Copies whose sampling throws another error. */
  readonly failing = new Set<number>()
  readonly #models: Promise<LanguageModel>[] = []

  copy = (index: number): ModelCopy => {
    this.asked[index] = 0
    const model = () => (this.#models[index] ??= tinyModel({}, 1, { microBatchTokens: 40 }))
    return {
      load: async () => {
        if (this.broken.has(index)) throw new Error('The file is gone.')
        return { parameters: (await model()).parameterCount, backendDescription: '', maxPositions: 256 }
      },
      chatPieces: async () => null,
      encode: async (texts) => (await model()).encode(texts),
      generate: async (requests, options, signal) => {
        if (this.lost.has(index)) throw new WorkerLostError('policy', 'out of memory')
        if (this.failing.has(index)) throw new Error('The prompt is too long.')
        this.asked[index]! += requests.length
        return (await model()).generate(requests, options, signal)
      },
      update: async (examples, options, signal, helpers) => (await model()).update(examples, options, signal, helpers),
      helpWithGradients: async ({ examples, options }, request) => {
        if (this.lost.has(index)) throw new WorkerLostError('policy', 'out of memory')
        this.helped[index] = (this.helped[index] ?? 0) + request.microBatches.length
        if (request.step === 0) await (await model()).prepareGradients(examples, options)
        return (await model()).helpWithGradients(request)
      },
      saveCheckpoint: async () => (await model()).saveCheckpoint(),
      loadCheckpoint: async (bytes) => (await model()).loadCheckpoint(bytes),
      saveFolder: async () => (await model()).saveFolder(),
      lastSyncMs: async () => null,
      close: () => void this.closed.push(index),
    }
  }
}

function requestsOf(groups: number, seed: number): GenerateRequest[] {
  const uniform = randomStream(seed)
  return Array.from({ length: groups }, (_, group) => {
    const shared = randomTokens(uniform, 12, 270)
    return Array.from({ length: 1 + (group % 3) }, (_, i) => ({
      prompt: Int32Array.from([...shared, ...randomTokens(uniform, i, 270)]),
      count: 1 + (i % 2),
      seed: 10 * group + i,
      affinity: `task ${group}`,
    }))
  }).flat()
}

describe('a model on several workers', () => {
  beforeAll(() => useBackend('simd'))

  it('samples and learns bit for bit as on one', async () => {
    const [one, three] = [new Copies(), new Copies()]
    const alone = new ReplicatedModel({ samplers: 1, copy: one.copy })
    const divided = new ReplicatedModel({ samplers: 3, copy: three.copy })
    for (let iteration = 0; iteration < 3; iteration++) {
      const requests = requestsOf(5, iteration)
      const expected = await alone.generate(requests, SAMPLING)
      const sampled = await divided.generate(requests, SAMPLING)
      expect(sampled).toEqual(expected)
      const examples = requests.flatMap(({ prompt }, i) =>
        sampled[i]!.map(({ tokens, logProbs }, j): TrainingExample => {
          return { prompt, response: tokens, oldLogProbs: logProbs, advantage: j % 2 ? -1 : 1 }
        }),
      )
      expect(await divided.update(examples, UPDATE_OPTIONS)).toEqual(await alone.update(examples, UPDATE_OPTIONS))
    }
    const start = await divided.saveCheckpoint()
    await divided.generate(requestsOf(4, 7), SAMPLING)
    await divided.loadCheckpoint(start)
    expect(await divided.generate(requestsOf(4, 8), SAMPLING)).toEqual(await alone.generate(requestsOf(4, 8), SAMPLING))
    expect(Math.min(...three.asked)).toBeGreaterThan(5)
    expect(Math.min(three.helped[1]!, three.helped[2]!)).toBeGreaterThan(5)
    expect(one.helped).toEqual([])
  })

  it('starts the others only when there is something to divide', async () => {
    const copies = new Copies()
    const model = new ReplicatedModel({ samplers: 2, copy: copies.copy })
    await model.generate(requestsOf(1, 1), SAMPLING)
    expect(copies.asked).toEqual([1, 0])
  })

  it('goes on without a copy that is lost, and says so once', async () => {
    const copies = new Copies()
    const losses: unknown[] = []
    const model = new ReplicatedModel({ samplers: 3, copy: copies.copy, onLost: (error) => losses.push(error) })
    copies.lost.add(2)
    const expected = await new ReplicatedModel({ samplers: 1, copy: new Copies().copy }).generate(
      requestsOf(6, 2),
      SAMPLING,
    )
    expect(await model.generate(requestsOf(6, 2), SAMPLING)).toEqual(expected)
    expect(await model.generate(requestsOf(6, 2), SAMPLING)).toEqual(expected)
    expect(losses).toEqual([expect.any(WorkerLostError)])
    expect(copies.closed).toEqual([2])
  })

  it('learns the same when a copy is lost that computes gradients', async () => {
    const copies = new Copies()
    const model = new ReplicatedModel({ samplers: 3, copy: copies.copy })
    const alone = new ReplicatedModel({ samplers: 1, copy: new Copies().copy })
    const requests = requestsOf(6, 4)
    const sampled = await model.generate(requests, SAMPLING)
    copies.lost.add(1)
    const examples = requests.map(({ prompt }, i): TrainingExample => {
      const { tokens, logProbs } = sampled[i]![0]!
      return { prompt, response: tokens, oldLogProbs: logProbs, advantage: i % 2 ? -1 : 1 }
    })
    expect(await model.update(examples, UPDATE_OPTIONS)).toEqual(await alone.update(examples, UPDATE_OPTIONS))
    expect(await model.saveCheckpoint()).toEqual(await alone.saveCheckpoint())
    expect(copies.closed).toEqual([1])
    expect(copies.helped[2]).toBeGreaterThan(0)
  })

  it('keeps a copy whose work fails, but not one that cannot open the model', async () => {
    const copies = new Copies()
    const losses: unknown[] = []
    const model = new ReplicatedModel({ samplers: 3, copy: copies.copy, onLost: (error) => losses.push(error) })
    const expected = await new ReplicatedModel({ samplers: 1, copy: new Copies().copy }).generate(
      requestsOf(6, 2),
      SAMPLING,
    )
    copies.failing.add(1)
    copies.broken.add(2)
    expect(await model.generate(requestsOf(6, 2), SAMPLING)).toEqual(expected)
    copies.failing.clear()
    expect(await model.generate(requestsOf(6, 2), SAMPLING)).toEqual(expected)
    expect(copies.asked[1]).toBeGreaterThan(0)
    expect([copies.closed, losses]).toEqual([[2], [new Error('The file is gone.')]])
  })

  it('reports no loss when it is closed while its copies work', async () => {
    const losses: unknown[] = []
    const copies = new Copies()
    const copy = (index: number): ModelCopy => {
      let close = () => {}
      const working = new Promise<never>((_, reject) => {
        close = () => reject(new WorkerLostError('policy', 'it was terminated'))
      })
      return { ...copies.copy(index), generate: () => working, close }
    }
    const model = new ReplicatedModel({ samplers: 2, copy, onLost: (error) => losses.push(error) })
    const sampling = model.generate(requestsOf(4, 3), SAMPLING)
    model.close()
    await expect(sampling).rejects.toThrow('it was terminated')
    expect(losses).toEqual([])
  })

  it('ends with the error of its first copy, and of an abort', async () => {
    const copies = new Copies()
    const model = new ReplicatedModel({ samplers: 2, copy: copies.copy })
    await expect(model.generate(requestsOf(4, 3), SAMPLING, AbortSignal.abort())).rejects.toThrow(/abort/i)
    expect(copies.closed).toEqual([])
    copies.lost.add(0)
    await expect(model.generate(requestsOf(4, 3), SAMPLING)).rejects.toThrow(WorkerLostError)
    model.close()
    expect(copies.closed.sort()).toEqual([0, 1])
  })
})
