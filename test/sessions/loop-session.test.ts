import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedBody, type LoggedEvent, type RunEvent } from '../../src/method/events.ts'
import type { Component, LoopPorts, LoopRequest, RunLoop } from '../../src/method/loop-contract.ts'
import { runLoop } from '../../src/method/loop.ts'
import { presetSettings } from '../../src/method/presets.ts'
import { serialiseRunLog } from '../../src/runs/run-log.ts'
import { LoopSession, type SessionOptions, type SessionState } from '../../src/sessions/loop-session.ts'
import { newSummary } from '../../src/runs/run-store.ts'
import { smallSettings, world } from '../method/corridor.ts'
import { MemoryStore } from '../runs/memory-store.ts'

/** A loop with three events in each iteration, which continues the numbers of its history. */
function scriptedLoop(requests: LoopRequest[] = []): RunLoop {
  return async function* (_ports, request) {
    requests.push(request)
    let seq = request.history?.length ?? 0
    let iteration = request.history?.at(-1)?.iteration ?? 0
    const log = (body: LoggedBody): LoggedEvent => ({ ...body, seq: seq++, iteration })
    for (let count = 0; count < request.iterations; count++) {
      if (request.signal?.aborted) break
      iteration++
      const patch = request.takePatch?.()
      if (patch) yield log({ type: 'settings-changed', patch })
      yield log({ type: 'iteration-started', taskIds: [], pendingTaskIds: [] })
      yield { type: 'progress', phase: 'rollout', done: 0, total: 1, iteration }
      yield log({ type: 'iteration-finished', metrics: {} })
    }
    yield log({ type: 'run-finished', reason: request.signal?.aborted ? 'stopped' : 'completed' })
  }
}

const model = { saveCheckpoint: async () => Uint8Array.of(1) }
const ports = { policy: model, reward: model } as unknown as LoopPorts

const REQUEST = {
  runId: 'r',
  preset: 'household',
  backend: 'cpu',
  models: { policy: 'p', reward: 'r', author: 'a' },
  settings: presetSettings('household'),
}

function open(options: Partial<SessionOptions> = {}) {
  const store = new MemoryStore()
  const events: RunEvent[] = []
  const states: SessionState[] = []
  const requests: LoopRequest[] = []
  const session = new LoopSession({
    loop: scriptedLoop(requests),
    ports,
    request: REQUEST,
    iterations: 4,
    store,
    checkpointEvery: 2,
    onEvent: (event) => events.push(event),
    onState: (state) => states.push(state),
    ...options,
  })
  const onlys = (): (Component | undefined)[] => requests.map((request) => request.only)
  return { session, store, events, states, requests, onlys }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('a loop session', () => {
  it('runs to the end, stores every logged event once and in order, and saves checkpoints', async () => {
    const { session, store, events } = open({ iterations: 5 })
    expect(await session.run()).toBe('completed')
    expect(store.events).toEqual(events.filter(isLogged))
    expect(store.events.map((event) => event.seq)).toEqual(store.events.map((_, index) => index))
    expect(store.checkpoints.map(({ iteration }) => iteration)).toEqual([1, 2, 4, 5])
    expect(store.events[(store.checkpoints[1]?.eventCount ?? 0) - 1]).toMatchObject({
      type: 'iteration-finished',
      iteration: 2,
    })
    expect(store.isFinished).toBe(true)
  })

  it('pauses at the next event, and continues from there', async () => {
    const { session, events, states } = open({ onEvent: (event) => events.push(event) && pauseAt(event) })
    const pauseAt = (event: RunEvent) => {
      if (event.type === 'progress' && event.iteration === 2) session.pause()
    }
    const running = session.run()
    await settled()
    expect(events.at(-1)).toMatchObject({ type: 'progress', iteration: 2 })
    expect(states.at(-1)).toBe('paused')
    session.resume()
    expect(await running).toBe('completed')
    expect(states).toEqual(['running', 'pausing', 'paused', 'running', 'completed'])
  })

  it('does not report a pause that was taken back while the log was stored', async () => {
    const { session, store, states } = open({
      onEvent: (event) => event.type === 'progress' && event.iteration === 2 && session.pause(),
    })
    const append = store.append.bind(store)
    let isStored = () => {}
    store.append = async (...written) => {
      if (states.at(-1) === 'pausing') await new Promise<void>((resolve) => (isStored = resolve))
      await append(...written)
    }
    const running = session.run()
    await settled()
    session.resume()
    isStored()
    expect(await running).toBe('completed')
    expect(states).toEqual(['running', 'pausing', 'running', 'completed'])
  })

  it.each([undefined, 'policy'] as const)(
    'pauses within a step (%s), and continues with all components',
    async (only) => {
      const { session, events, states, onlys } = open({
        isPausedAtStart: true,
        onEvent: (event) => {
          events.push(event)
          if (event.type === 'progress' && event.iteration === 2) session.pause()
        },
      })
      const running = session.run()
      for (const step of [1, 2]) {
        session.stepOnce(only)
        await settled()
        expect(events.at(-1)).toMatchObject({ type: step === 1 ? 'iteration-finished' : 'progress', iteration: step })
      }
      expect(states.slice(-2)).toEqual(['pausing', 'paused'])
      session.resume()
      expect(await running).toBe('completed')
      expect(session.iteration).toBe(4)
      expect(onlys().at(-1)).toBe(undefined)
    },
  )

  it('steps one iteration at a time, of one component on request, in one continuous log', async () => {
    const { session, store, states, onlys } = open({ isPausedAtStart: true })
    const running = session.run()
    await settled()
    expect(session.iteration).toBe(0)
    session.stepOnce()
    await settled()
    expect([session.iteration, states.at(-1)]).toEqual([1, 'paused'])
    session.stepOnce('policy')
    await settled()
    expect([session.iteration, states.at(-1)]).toEqual([2, 'paused'])
    expect(onlys()).toEqual([undefined, 'policy'])
    session.resume()
    expect(await running).toBe('completed')
    expect(onlys()).toEqual([undefined, 'policy', undefined])
    expect(store.events.map((event) => event.seq)).toEqual(store.events.map((_, index) => index))
    expect(store.events.filter((event) => event.type === 'run-finished')).toHaveLength(1)
    expect(session.iteration).toBe(4)
  })

  it('can be resumed from where a step paused it', async () => {
    const { session, store } = open({ isPausedAtStart: true })
    const running = session.run()
    await settled()
    session.stepOnce()
    await settled()
    expect(store.checkpoints.map(({ iteration, eventCount }) => [iteration, eventCount])).toEqual([
      [1, store.events.length],
    ])
    session.stop()
    expect(await running).toBe('stopped')
  })

  it('finishes the current iteration before it steps one component alone', async () => {
    const { session, onlys, events } = open({
      onEvent: (event) => {
        events.push(event)
        if (event.type === 'progress' && event.iteration === 1) session.pause()
      },
    })
    const running = session.run()
    await settled()
    session.stepOnce('reward')
    await settled()
    expect(session.iteration).toBe(2)
    expect(onlys()).toEqual([undefined, 'reward'])
    session.stop()
    expect(await running).toBe('stopped')
  })

  it('finishes the step of one component that was paused, and no more', async () => {
    const { session, onlys, states } = open({
      isPausedAtStart: true,
      onEvent: (event) => event.type === 'progress' && event.iteration === 1 && session.pause(),
    })
    const running = session.run()
    session.stepOnce('reward')
    await settled()
    expect([session.iteration, onlys()]).toEqual([0, ['reward']])
    session.stepOnce()
    await settled()
    expect([session.iteration, onlys(), states.at(-1)]).toEqual([1, ['reward'], 'paused'])
    session.stop()
    expect(await running).toBe('stopped')
  })

  it('stops while paused and while running', async () => {
    const paused = open({ isPausedAtStart: true })
    const running = paused.session.run()
    await settled()
    paused.session.stop()
    expect(await running).toBe('stopped')

    const { session } = open({ onEvent: (event) => event.type === 'progress' && session.stop() })
    expect(await session.run()).toBe('stopped')
    expect(session.log.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
  })

  it('applies all changes of settings together at the next iteration, and refuses settings that are not live', async () => {
    const { session, store } = open({ isPausedAtStart: true })
    const running = session.run()
    session.patch({ lambda: 2 })
    session.patch({ alphaLow: 0.3 })
    expect(() => session.patch({ alphaLow: 0.9 })).toThrow('alphaLow')
    session.resume()
    await running
    expect(store.events.filter((event) => event.type === 'settings-changed')).toEqual([
      expect.objectContaining({ patch: { lambda: 2, alphaLow: 0.3 }, iteration: 1 }),
    ])
  })

  it.each(['paused', 'running'])('keeps changes within an iteration (%s) until they are logged', async (state) => {
    const store = new MemoryStore()
    await store.create(newSummary({ ...REQUEST, iterations: 4 }))
    let continues = () => {}
    const loop: RunLoop = async function* (...of) {
      for await (const event of scriptedLoop()(...of)) {
        yield event
        if (event.type !== 'progress' || event.iteration !== 2) continue
        await new Promise<void>((resolve) => (continues = resolve))
        yield event
        await new Promise<void>((resolve) => (continues = resolve))
      }
    }
    const { session } = open({
      ...{ loop, store },
      onEvent: ({ type, iteration }) => type === 'progress' && iteration === 1 && session.patch({ alphaLow: 0.3 }),
    })
    const running = session.run()
    await settled()
    session.patch({ lambda: 2 })
    session.patch({ lambda: 3 })
    if (state === 'paused') session.pause()
    else await new Promise((resolve) => setTimeout(resolve, 350))
    continues()
    await expect.poll(() => store.run!.waiting).toEqual({ lambda: 3 })
    const before = { iteration: 2, patch: { alphaLow: 0.3 } }
    expect(store.run!.changes).toMatchObject([before])
    session.resume()
    await settled()
    continues()
    await running
    expect(store.run!.waiting).toBeUndefined()
    expect(store.run!.changes).toMatchObject([before, { iteration: 3, patch: { lambda: 3 } }])
  })

  it('continues from a history', async () => {
    const first = open({ iterations: 2 })
    await first.session.run()
    const history = first.store.events.slice(0, first.store.checkpoints.at(-1)?.eventCount)
    const { session, store } = open({ iterations: 2, history })
    await session.run()
    // It can be resumed already, so its first iteration need not be saved.
    expect(store.checkpoints.map(({ iteration }) => iteration)).toEqual([4])
    expect(store.events[0]?.seq).toBe(history.length)
    expect(session.iteration).toBe(4)
  })

  it('continues when storing fails if there is a handler, and else ends', async () => {
    const failing = new MemoryStore()
    failing.append = () => Promise.reject(new Error('no space'))
    const failures: unknown[] = []
    const told = open({ store: failing, onStoreFailure: (error) => failures.push(error) })
    expect(await told.session.run()).toBe('completed')
    expect(failures).toHaveLength(5)
    await expect(open({ store: failing }).session.run()).rejects.toThrow('no space')
  })

  it('rejects with the error of a port after storing earlier events', async () => {
    const loop: RunLoop = async function* () {
      yield { type: 'iteration-started', taskIds: [], pendingTaskIds: [], seq: 0, iteration: 1 }
      await settled()
      throw new Error('The policy is out of memory.')
    }
    const { session, store } = open({ loop })
    await expect(session.run()).rejects.toThrow('out of memory')
    expect(store.events).toHaveLength(1)
  })

  it('resumed from a checkpoint logs the same as one that never stopped, byte for byte', async () => {
    const settings = smallSettings()
    const real = { loop: runLoop, request: { ...REQUEST, settings }, iterations: 4, checkpointEvery: 2 }
    const whole = open({ ...real, ports: world() })
    await whole.session.run()

    const interrupted = open({
      ...real,
      ports: world(),
      onEvent: (event) => event.type === 'model-updated' && event.iteration === 3 && interrupted.session.stop(),
    })
    expect(await interrupted.session.run()).toBe('stopped')
    const checkpoint = interrupted.store.checkpoints.at(-1)
    expect(checkpoint?.iteration).toBe(2)
    const history = interrupted.store.events.slice(0, checkpoint?.eventCount)

    const ports = world()
    await ports.policy.loadCheckpoint(checkpoint?.policy ?? new Uint8Array())
    await ports.reward.loadCheckpoint(checkpoint?.reward ?? new Uint8Array())
    const resumed = open({ ...real, ports, history, iterations: 2 })
    await resumed.session.run()
    expect(serialiseRunLog([...history, ...resumed.store.events])).toBe(serialiseRunLog(whole.store.events))
  })
})
