import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { ReplicatedModel } from '../../../src/engines/transformer/replicated-model.ts'
import { TransformerCopy } from '../../../src/engines/transformer/transformer-copy.ts'
import type { TransformerModel } from '../../../src/engines/transformer/transformer-model.ts'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import type { GradientHelpers } from '../../../src/language-model/training/shared-gradients.ts'
import type { TrainingExample, UpdateMetrics } from '../../../src/method/ports.ts'
import { WorkerLostError } from '../../../src/threads/errors.ts'
import type { Bridge } from '../../../src/threads/worker-bridge.ts'
import { randomTokens, tinyModel, useBackend } from '../../language-model/tiny-model.ts'
import { UPDATE_OPTIONS } from '../../language-model/update-options.ts'

const LOSS = new WorkerLostError('policy', 'out of memory')

/** Runs in this thread. Its calls reject as soon as `die` was called. */
function startWorker(
  onRequest: (step: number, die: () => void) => void,
  onHelp: (step: number) => void,
): Bridge<TransformerModel> {
  const model = tinyModel({}, 1, { microBatchTokens: 40 })
  let die = () => {}
  const death = new Promise<never>((_, reject) => (die = () => reject(LOSS)))
  death.catch(() => {})
  const service: Partial<Bridge<TransformerModel>['remote']> = {
    load: async () => ({ parameters: 1, backendDescription: '', maxPositions: 256 }),
    update: async (examples, options, signal, count = 0, gradients) => {
      const helpers: GradientHelpers = {
        count,
        gradients: async (helper, request) => {
          const parts = await gradients!(helper, request)
          onRequest(request.step, die)
          return parts
        },
      }
      return Promise.race([death, (await model).update(examples, options, signal, helpers)])
    },
    prepareGradients: async (...update) => (await model).prepareGradients(...update),
    helpWithGradients: async (request) => {
      onRequest(request.step, die)
      const parts = await Promise.race([death, (await model).helpWithGradients(request)])
      onHelp(request.step)
      return parts
    },
    saveCheckpoint: async () => Promise.race([death, (await model).saveCheckpoint()]),
    loadCheckpoint: async (bytes) => (await model).loadCheckpoint(bytes),
  }
  return { remote: service as Bridge<TransformerModel>['remote'], lost: new Promise(() => {}), terminate() {} }
}

const STEPS = 3

/** An update by one worker or two. `dies` is the copy whose first worker is lost at the second step. */
async function learn(samplers: number, dies?: number) {
  const restarted: number[] = []
  const losses: unknown[] = []
  const helpedSteps = new Set<number>()
  const copy = (index: number) => {
    let workers = 0
    return new TransformerCopy({
      name: 'policy',
      source: { location: 'nowhere', backend: 'cpu' },
      startWorker: () => {
        const isFirst = workers++ === 0
        return startWorker(
          (step, die) => {
            if (index === dies && isFirst && step === 1) die()
          },
          (step) => helpedSteps.add(step),
        )
      },
      onRestart: () => restarted.push(index),
    })
  }
  const model = new ReplicatedModel({ samplers, copy, onLost: (error) => losses.push(error) })
  const uniform = randomStream(4)
  const examples = Array.from({ length: 12 }, (_, i): TrainingExample => ({
    prompt: randomTokens(uniform, 12, 270),
    response: randomTokens(uniform, 10, 270),
    oldLogProbs: new Float32Array(10).fill(-5),
    advantage: i % 2 ? -1 : 1,
  }))
  const metrics: UpdateMetrics = await model.update(examples, { ...UPDATE_OPTIONS, updatesPerIteration: STEPS })
  const weights = createHash('sha256').update(await model.saveCheckpoint())
  return { learned: { metrics, weights: weights.digest('hex') }, restarted, losses, helpedSteps }
}

describe('copies of a model', () => {
  beforeAll(() => useBackend('simd'))

  it.each([0, 1])('learn the same when the worker of copy %i is lost in the middle of an update', async (dies) => {
    const alone = await learn(1)
    const interrupted = await learn(2, dies)
    expect(interrupted.restarted).toEqual([dies])
    expect(interrupted.losses).toEqual([])
    expect(interrupted.helpedSteps).toEqual(new Set([0, 1, 2]))
    expect(interrupted.learned).toEqual(alone.learned)
  })
})
