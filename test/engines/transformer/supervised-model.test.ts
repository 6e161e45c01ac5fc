import { describe, expect, it } from 'vitest'
import { restartNotice, reviveError, WorkerLostError } from '../../../src/threads/errors.ts'
import { SupervisedModel } from '../../../src/engines/transformer/supervised-model.ts'
import type { TransformerModel } from '../../../src/engines/transformer/transformer-model.ts'
import type { Bridge } from '../../../src/threads/worker-bridge.ts'
import type { UpdateOptions } from '../../../src/method/ports.ts'

/** Workers whose model is one number: an update adds 1. They die on request. */
class FakeWorkers {
  started = 0
  ended = 0
  /** Whether updates fail after they have changed the weight, and loading before anything. */
  isUpdateFailing = false
  isLoadFailing = false
  /** The error of a lost worker's calls. */
  failure: () => Error = () => new WorkerLostError('policy', 'exit code 1')
  /** The number of calls after which each worker is lost. */
  readonly lifetimes: number[]
  #weight = 0

  constructor(...lifetimes: number[]) {
    this.lifetimes = lifetimes
  }

  start(): Bridge<TransformerModel> {
    let left = this.lifetimes[this.started++] ?? Infinity
    this.#weight = 0
    const call = async <Result>(result: () => Result): Promise<Result> => {
      if (left-- <= 0) throw this.failure()
      return result()
    }
    const model = {
      load: () =>
        call(() => {
          if (this.isLoadFailing) throw new Error('There is no network.')
          return { parameters: 1, backendDescription: 'none', maxPositions: 8 }
        }),
      encode: (texts: string[]) => call(() => texts.map(() => Int32Array.of(this.#weight))),
      update: () =>
        call(() => {
          const metrics = { pg_loss: ++this.#weight }
          if (this.isUpdateFailing) throw new Error('A gradient is not finite.')
          return metrics
        }),
      saveCheckpoint: () => call(() => Uint8Array.of(this.#weight)),
      loadCheckpoint: ([weight = 0]: Uint8Array) => call(() => void (this.#weight = weight)),
    }
    const remote = model as unknown as Bridge<TransformerModel>['remote']
    return { remote, lost: new Promise(() => {}), terminate: () => void this.ended++ }
  }
}

function supervise(workers: FakeWorkers) {
  const restarts: WorkerLostError[] = []
  const model = new SupervisedModel({
    name: 'policy',
    source: { location: 'nowhere', backend: 'cpu' },
    startWorker: () => workers.start(),
    onRestart: (loss) => restarts.push(loss),
  })
  return { model, restarts, weight: async () => (await model.encode(['x']))[0]?.[0] }
}

const options = {} as UpdateOptions

describe('a supervised model', () => {
  it('continues with the weights of the last update when its worker is lost', async () => {
    const { model, restarts, weight } = supervise(new FakeWorkers(5, Infinity))
    await model.update([], options)
    await model.update([], options)
    expect(await weight()).toBe(2)
    expect(restarts).toHaveLength(1)
  })

  it('repeats a lost update once', async () => {
    // The first worker dies between its second update and its checkpoint.
    const { model, weight } = supervise(new FakeWorkers(4, Infinity))
    await model.update([], options)
    expect(await model.update([], options)).toEqual({ pg_loss: 2 })
    expect(await weight()).toBe(2)
  })

  it('starts one new worker for all pending calls', async () => {
    const workers = new FakeWorkers(1, Infinity)
    const { model } = supervise(workers)
    await model.load()
    await Promise.all([model.encode(['a']), model.encode(['b']), model.encode(['c'])])
    expect(workers.started).toBe(2)
  })

  it('gives up when workers keep dying, with the reason', async () => {
    const workers = new FakeWorkers(0, 0, 0, 0, 0)
    const { model } = supervise(workers)
    await expect(model.load()).rejects.toBeInstanceOf(WorkerLostError)
    expect(workers.started).toBe(3)
  })

  it('treats a failed graphics device as a lost worker, and continues with the last weights', async () => {
    const workers = new FakeWorkers(3, Infinity)
    workers.failure = () =>
      reviveError({ name: 'GraphicsDeviceError', message: 'The device was lost.', stack: null, cause: null })
    const { model, restarts, weight } = supervise(workers)
    await model.update([], options)
    expect(await model.update([], options)).toEqual({ pg_loss: 2 })
    expect(await weight()).toBe(2)
    expect([workers.started, workers.ended]).toEqual([2, 1])
    expect(restarts.map(restartNotice)).toEqual([
      'The policy worker stopped (its graphics device failed) and was started again with the weights of its last ' +
        'update. The device was lost.',
    ])
  })

  it('gives up on a graphics device that keeps failing, with its error', async () => {
    const workers = new FakeWorkers(1, 1, 1, 1)
    workers.failure = () => Object.assign(new Error('Choose the CPU.'), { name: 'GraphicsDeviceError' })
    const { model } = supervise(workers)
    await model.load()
    await expect(model.update([], options)).rejects.toThrow('Choose the CPU.')
    expect([workers.started, workers.ended]).toEqual([3, 3])
  })

  it('restores a loaded checkpoint in a new worker', async () => {
    const { model, weight } = supervise(new FakeWorkers(2, Infinity))
    await model.loadCheckpoint(Uint8Array.of(9))
    expect(await weight()).toBe(9)
    expect(await model.saveCheckpoint()).toEqual(Uint8Array.of(9))
  })

  it('ends the worker of a model that does not load, and loads it with the next call', async () => {
    const workers = new FakeWorkers()
    const { model, weight } = supervise(workers)
    workers.isLoadFailing = true
    await expect(Promise.all([model.load(), model.encode(['x'])])).rejects.toThrow('There is no network.')
    await expect(model.load()).rejects.toThrow('There is no network.')
    expect([workers.started, workers.ended]).toEqual([2, 2])
    workers.isLoadFailing = false
    expect(await weight()).toBe(0)
    expect([workers.started, workers.ended]).toEqual([3, 2])
  })

  it('saves the weights that its worker has after an update that failed', async () => {
    const workers = new FakeWorkers()
    const { model, weight } = supervise(workers)
    await model.update([], options)
    workers.isUpdateFailing = true
    await expect(model.update([], options)).rejects.toThrow('A gradient is not finite.')
    expect(await model.saveCheckpoint()).toEqual(Uint8Array.of((await weight())!))
    expect(await weight()).toBe(2)
  })

  it('starts no worker after it was closed', async () => {
    const workers = new FakeWorkers()
    const { model } = supervise(workers)
    model.close()
    await expect(model.encode(['x'])).rejects.toBeInstanceOf(WorkerLostError)
    expect(workers.started).toBe(0)
  })
})
