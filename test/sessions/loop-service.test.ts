import { describe, expect, it } from 'vitest'
import { explainStatus } from '../../src/engines/remote/explain.ts'
import type { RoleSource } from '../../src/roles/source.ts'
import type { Problem } from '../../src/worlds/coding/problem.ts'
import { ScreenTextError } from '../../src/worlds/desktop/open.ts'
import { isLogged } from '../../src/method/events.ts'
import { OpeningError } from '../../src/sessions/failures.ts'
import { RunInUseError } from '../../src/runs/run-locks.ts'
import { RunStoreError } from '../../src/runs/indexeddb-failures.ts'
import { LoopService, type RunMessage, type StartRequest } from '../../src/sessions/loop-service.ts'
import type { OpenedRun } from '../../src/sessions/opened-run.ts'
import { samplersFor } from '../../src/sessions/samplers.ts'
import { readableEvent } from '../../src/runs/readable-event.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'
import { RunLostError, type ResumableRunStore } from '../../src/runs/run-store.ts'
import { smallSettings, world } from '../method/corridor.ts'
import { openCodingRun, smallCodingSettings } from '../runs/coding-run.ts'
import { MemoryStore } from '../runs/memory-store.ts'
import { request, until } from './small-requests.ts'

const MODELS = { policy: 'p', reward: 'r', author: 'a' }

function serve(
  open?: () => Promise<OpenedRun>,
  store?: ResumableRunStore,
  locks?: { take(runId: string): Promise<() => void> },
) {
  const messages: RunMessage[] = []
  const closed: string[] = []
  const resumed: boolean[] = []
  const opened: StartRequest[] = []
  const spared: boolean[] = []
  const service = new LoopService({
    open: async (request, { isResumed, isSparing }) => {
      spared.push(isSparing)
      resumed.push(isResumed)
      opened.push(request)
      return (
        open?.() ?? {
          ports: world(),
          backend: 'cpu',
          models: MODELS,
          close: () => closed.push(request.runId),
        }
      )
    },
    openStore: async () => {
      if (store === undefined) throw new RunStoreError('Nothing can be kept here.')
      return store
    },
    ...(locks && { locks }),
  })
  void service.listen((message) => messages.push(message))
  const states = () => messages.flatMap((message) => (message.type === 'status' ? [message.status.state] : []))
  const events = () => messages.flatMap((message) => (message.type === 'events' ? message.batch : []))
  return { service, messages, closed, resumed, opened, spared, states, events }
}

const CODING = smallCodingSettings()

describe('the loop service', () => {
  it('runs, reports its status, and closes what it opened, even if the browser stores nothing', async () => {
    const { service, messages, states, closed, events } = serve()
    await service.start(request('a'))
    await until(() => states().at(-1) === 'finished')
    expect(states()).toEqual(['loading', 'running', 'finished'])
    expect(closed).toEqual(['a'])
    expect(messages.filter((message) => message.type === 'notice')).toEqual([
      { type: 'notice', runId: 'a', text: 'Nothing can be kept here.' },
    ])
    expect(events().at(-1)).toMatchObject({ type: 'run-finished', reason: 'completed' })
    const lastEvents = messages.findLastIndex((message) => message.type === 'events')
    expect(lastEvents).toBe(messages.length - 2)
  })

  it('runs without a store that has no space for the run, and keeps the next run again', async () => {
    const store = new MemoryStore()
    const create = store.create.bind(store)
    store.create = () => Promise.reject(new RunStoreError('The browser’s space for this page is full.'))
    store.append = async (runId, events) => {
      // As the store of the browser, for a run that it does not have.
      if (store.run?.runId !== runId) throw new RunLostError(`Run "${runId}" was deleted in another tab.`)
      await MemoryStore.prototype.append.call(store, runId, events)
    }
    const { service, messages, states, events } = serve(undefined, store)
    await service.start(request('a'))
    await until(() => ['finished', 'failed'].includes(states().at(-1)!))
    expect(events().at(-1)).toMatchObject({ type: 'run-finished', reason: 'completed' })
    const notices = messages.flatMap((message) => (message.type === 'notice' ? [message.text] : []))
    expect(notices).toEqual(['The browser’s space for this page is full.'])
    const whole = parseRunLog(await (await service.exportLog())!.file.text())
    expect(whole.map(readableEvent)).toEqual(events().filter(isLogged))

    store.create = create
    await service.start(request('b'))
    await until(() => store.isFinished)
    expect(store.run?.runId).toBe('b')
  })

  it('tries again to open the store for the next run', async () => {
    const store = new MemoryStore()
    let isBlocked = true
    const service = new LoopService({
      open: async () => ({ ports: world(), backend: 'cpu', models: MODELS, close: () => {} }),
      openStore: async () => {
        if (isBlocked) throw new RunStoreError('Nothing can be kept here.')
        return store
      },
    })
    void service.listen(() => {})
    await service.start(request('a'))
    isBlocked = false
    await service.start(request('b'))
    await until(() => store.isFinished)
    expect(store.run?.runId).toBe('b')
  })

  it('spares the device in the runs that begin after it was asked to', async () => {
    const { service, spared } = serve()
    await service.start(request('a'))
    await service.spare(true)
    await service.start(request('b'))
    await service.stepOnce()
    await service.spare(false)
    await service.stop()
    await service.stepOnce(undefined, request('c'))
    expect(spared).toEqual([false, true, false])
    expect([samplersFor(8), samplersFor(2), samplersFor(undefined)]).toEqual([4, 2, 1])
  })

  it('ends the current run when another starts', async () => {
    const { service, closed, messages } = serve()
    await service.start(request('a', 1000))
    await service.start(request('b', 1))
    expect(closed).toEqual(['a'])
    await until(() => closed.length === 2)
    const ends = messages.filter((message) => message.type === 'status' && message.status.state === 'finished')
    expect(ends.map((message) => message.runId)).toEqual(['a', 'b'])
  })

  it('steps no other run after the run of the step was stopped while it loaded', async () => {
    let load = () => {}
    const loaded = new Promise<void>((resolve) => (load = resolve))
    let calls = 0
    const { service, messages, opened } = serve(async () => {
      if (calls++ === 0) await loaded
      return { ports: world(), backend: 'cpu', models: MODELS, close: () => {} }
    })
    const stepping = service.stepOnce(undefined, request('a'))
    await until(() => opened.length === 1)
    await service.stop()
    await service.start(request('b', 20))
    load()
    await stepping
    const states = () =>
      messages.flatMap((message) => (message.type === 'status' && message.runId === 'b' ? [message.status.state] : []))
    await until(() => ['paused', 'finished'].includes(states().at(-1)!))
    expect(states()).toEqual(['loading', 'running', 'finished'])
  })

  it('starts paused for a single step, and continues step by step', async () => {
    const { service, states, events } = serve()
    const finished = () => events().filter((event) => event.type === 'iteration-finished').length
    await service.stepOnce('policy', request('a', 3))
    await until(() => states().at(-1) === 'paused' && finished() === 1)
    expect(
      events()
        .filter((event) => event.type === 'model-updated')
        .map((event) => event.role),
    ).toEqual(['policy'])
    await service.stepOnce()
    await until(() => states().at(-1) === 'paused' && finished() === 2)
    await service.resume()
    await until(() => states().at(-1) === 'finished')
    expect(finished()).toBe(3)
  })

  it.each(['run', 'step'])(
    'rests before the first iteration if a %s was paused while its models were loading',
    async (what) => {
      let finishLoading = () => {}
      const { service, states, events } = serve(
        () =>
          new Promise((resolve) => {
            finishLoading = () => resolve({ ports: world(), backend: 'cpu', models: MODELS, close: () => {} })
          }),
      )
      const starting = what === 'run' ? service.start(request('a')) : service.stepOnce(undefined, request('a'))
      await until(() => states().length === 1)
      await service.pause()
      finishLoading()
      await starting
      await until(() => states().at(-1) === 'paused')
      expect(events()).toEqual([])
      await service.resume()
      await until(() => states().at(-1) === 'finished')
    },
  )

  it('takes a setting over in its first iteration that was changed while its models were loading', async () => {
    let finishLoading = () => {}
    const { service, states, events } = serve(
      () =>
        new Promise((resolve) => {
          finishLoading = () => resolve({ ports: world(), backend: 'cpu', models: MODELS, close: () => {} })
        }),
    )
    const starting = service.start(request('a'))
    await until(() => states().length === 1)
    const patched = [service.patch({ lambda: 0.25 }), service.patch({ alphaLow: 0.1 })]
    finishLoading()
    await Promise.all([starting, ...patched])
    await until(() => states().at(-1) === 'finished')
    const patch = { lambda: 0.25, alphaLow: 0.1 }
    expect(events().filter(({ type }) => type === 'settings-changed')).toMatchObject([{ iteration: 1, patch }])

    const fixed = service.start(request('b'))
    await until(() => states().at(-1) === 'loading')
    const refused = expect(service.patch({ seed: 3 } as object)).rejects.toThrow('"seed" is fixed for a run')
    const accepted = service.patch({ lambda: 0.5 })
    finishLoading()
    await Promise.all([fixed, refused, accepted])
    await until(() => states().at(-1) === 'finished')
    expect(events().filter(({ type }) => type === 'settings-changed')).toMatchObject([
      { patch },
      { iteration: 1, patch: { lambda: 0.5 } },
    ])

    const stopped = service.start(request('c'))
    await until(() => states().at(-1) === 'loading')
    const dropped = service.patch({ lambda: 0.5 })
    await service.stop()
    await dropped
    finishLoading()
    await stopped
  })

  it('explains why a run could not start', async () => {
    const { service, messages } = serve(() => Promise.reject(new Error('policy/config.json answered 404.')))
    await service.start(request('a'))
    expect(messages.at(-1)).toMatchObject({
      status: {
        state: 'failed',
        failure: { what: 'The models could not be loaded.', why: 'policy/config.json answered 404.' },
      },
    })
  })

  it('says that a failed run is kept only once the store has a checkpoint of it', async () => {
    const remedyOf = async (store: ResumableRunStore | undefined, hadUpdates: number) => {
      const { service, messages, states } = serve(async () => {
        const ports = world()
        const updateBefore = ports.policy.update.bind(ports.policy)
        let updates = 0
        ports.policy.update = async (examples, options, signal?: AbortSignal) => {
          if (updates++ === hadUpdates)
            throw Object.assign(new Error('`step` of numbers.ts failed.'), { name: 'OwnWorldError' })
          return updateBefore(examples, options, signal)
        }
        return { ports, backend: 'cpu', models: MODELS, close: () => {} }
      }, store)
      await service.start(request('a', 6))
      await until(() => states().at(-1) === 'failed')
      const last = messages.at(-1)
      return last?.type === 'status' && last.status.state === 'failed' ? last.status.failure.remedy : null
    }
    expect(await remedyOf(undefined, 3)).not.toContain('kept')
    expect(await remedyOf(new MemoryStore(), 0)).not.toContain('kept')
    expect(await remedyOf(new MemoryStore(), 3)).toContain('is kept up to its last checkpoint')
  })

  it('does not say that a run is kept whose world broke while it was opened', async () => {
    const error = Object.assign(new Error('`step` of numbers.ts failed.'), { name: 'OwnWorldError' })
    const { service, messages } = serve(() => Promise.reject(error), new MemoryStore())
    await service.start(request('a'))
    const last = messages.at(-1)
    const remedy = last?.type === 'status' && last.status.state === 'failed' ? last.status.failure.remedy : null
    expect(remedy).toContain('Correct the file')
    expect(remedy).not.toContain('kept')
  })

  it('says that it waits for another tab, and then who has the run', async () => {
    let refuse: (error: Error) => void = () => {}
    const take = () => new Promise<never>((_, reject) => (refuse = reject))
    const { service, messages, opened } = serve(undefined, undefined, { take })
    const starting = service.start(request('a'))
    const statuses = () => messages.flatMap((message) => (message.type === 'status' ? [message.status] : []))
    await until(() => statuses().length === 1)
    expect(statuses()[0]).toMatchObject({ state: 'loading', what: 'a run that another tab may still use' })
    refuse(new RunInUseError('a'))
    await starting
    const refused = statuses()[1]
    expect(refused?.state === 'failed' && refused.failure.why).toContain('another tab')
    expect(opened).toEqual([])
  })

  it('says which models cannot read the screen of a run, and what to do', async () => {
    const { service, messages } = serve(() => Promise.reject(new ScreenTextError('marks')))
    await service.start(request('a'))
    const failure = {
      what: 'The models of this run cannot read its screen.',
      why: 'The run shows its models the screen as marks, which only chat models can read.',
      remedy: 'Give the policy and the reward model to chat models, or set the screen to text.',
    }
    expect(messages.at(-1)).toMatchObject({ status: { failure } })
  })

  it('explains failures that are not about models', async () => {
    const failure = { what: 'The household could not be opened.', why: 'There are no games.', remedy: 'Import them.' }
    const { service, messages } = serve(() => Promise.reject(new OpeningError(failure)))
    await service.start(request('a'))
    expect(messages.at(-1)).toMatchObject({ status: { state: 'failed', failure } })
  })

  it('does not start a run that was stopped while its models were loading', async () => {
    let finishLoading: (run: OpenedRun) => void = () => {}
    const { service, states, events } = serve(() => new Promise((resolve) => (finishLoading = resolve)))
    const starting = service.start(request('a'))
    await until(() => states().length === 1)
    await service.stop()
    let isClosed = false
    finishLoading({
      ports: world(),
      backend: 'cpu',
      models: { policy: 'p', reward: 'r', author: 'a' },
      close: () => (isClosed = true),
    })
    await starting
    expect([states(), events(), isClosed]).toEqual([['loading', 'finished'], [], true])
  })

  it('keeps a run with the settings that its world leaves it, as they are in its log', async () => {
    const store = new MemoryStore()
    const settings = smallSettings({ adaptEnvironment: false })
    const opened = { ports: world(), backend: 'cpu' as const, models: MODELS, settings, close: () => {} }
    const { service, states, events } = serve(async () => opened, store)
    await service.start(request('a'))
    await until(() => states().at(-1) === 'finished')
    expect(store.run!.settings).toEqual(settings)
    expect(events()[0]).toMatchObject({ type: 'run-started', settings })
  })

  it('keeps no run that was stopped while its models were loading', async () => {
    const store = new MemoryStore()
    let finishLoading: (run: OpenedRun) => void = () => {}
    const { service, states } = serve(() => new Promise((resolve) => (finishLoading = resolve)), store)
    const starting = service.start(request('a'))
    await until(() => states().length === 1)
    await service.stop()
    finishLoading({ ports: world(), backend: 'cpu', models: MODELS, close: () => {} })
    await starting
    expect(store.run).toBeNull()
  })

  it('does not start a run that was stopped while it waited for the end of another', async () => {
    const { service, opened, closed } = serve()
    await service.start(request('a', 1000))
    await Promise.all([service.start(request('b')), service.stop()])
    expect(opened.map(({ runId }) => runId)).toEqual(['a'])
    expect(closed).toEqual(['a'])
  })

  it('closes the models of a run whose log cannot be read', async () => {
    const store = new MemoryStore()
    const { service, states, closed } = serve(undefined, store)
    await service.start(request('a'))
    await until(() => states().at(-1) === 'finished')
    store.readEvents = async function* () {
      yield await Promise.reject(new RunStoreError('The log of the run is damaged.'))
    }
    await expect(service.resumeRun('a')).rejects.toThrow('is damaged')
    expect(closed).toEqual(['a', 'a'])
  })

  it('stops at once, even while programs are judged', async () => {
    const body: Problem = {
      ...{ form: 'stdio', statement: 'Print 1.', reference: null, spec: null, timeLimitMs: 8000 },
      tests: Array.from({ length: 20 }, () => ({ input: '0', output: '1' })),
    }
    const task = { id: 'p', rootId: 'p', instruction: 'Print 1.', kind: 'stdio', body }
    const settings = smallCodingSettings({ problems: 'imported', evaluateEvery: 0 })
    let isJudging = false
    const { service, states, events } = serve(() =>
      openCodingRun(settings, {
        problems: [{ split: 'train', task }],
        write: (uniform) => `for (;;); // ${uniform()}`,
        onJudgeReady: () => (isJudging = true),
      }),
    )
    await service.start({ ...request('a', 1000), preset: 'coding', settings })
    // It has minutes of work.
    await until(() => isJudging)
    const started = performance.now()
    await service.stop()
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(states().at(-1)).toBe('finished')
    expect(events().at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
  })

  it('refuses to change a fixed setting', async () => {
    const { service } = serve()
    await service.start(request('a', 1000))
    await expect(service.patch({ seed: 3 } as object)).rejects.toThrow('seed')
    await service.stop()
  })

  it.each([
    ['household', (): StartRequest => request('a', 5), undefined],
    [
      'coding',
      (): StartRequest => ({ ...request('a', 5), preset: 'coding', settings: CODING }),
      () => openCodingRun(CODING),
    ],
  ])(
    'resumes a %s run whose tab was closed with the log of one that never stopped, byte for byte',
    async (_, asked, open) => {
      const whole = new MemoryStore()
      const first = serve(open, whole)
      await first.service.start(asked())
      await until(() => first.states().at(-1) === 'finished')

      // Drops all writes after the tab was closed in the middle of the fourth iteration.
      const closed = new MemoryStore()
      const second = serve(open, closed)
      let isOpen = true
      const append = closed.append.bind(closed)
      closed.append = async (runId, events) => {
        const kept = events.findIndex(({ type, iteration }) => type === 'model-updated' && iteration === 4)
        if (isOpen) await append(runId, kept < 0 ? events : events.slice(0, kept))
        if (kept >= 0) isOpen = false
      }
      const saveCheckpoint = closed.saveCheckpoint.bind(closed)
      closed.saveCheckpoint = async (checkpoint) => (isOpen ? saveCheckpoint(checkpoint) : undefined)
      closed.finish = async () => {}
      await second.service.start(asked())
      await until(() => second.states().at(-1) === 'finished')
      expect(closed.events.at(-1)?.iteration).toBe(4)
      expect(closed.checkpoints.at(-1)?.iteration).toBe(2)

      const opened = new MemoryStore()
      Object.assign(opened, { events: closed.events, checkpoints: closed.checkpoints, run: closed.run })
      const third = serve(open, opened)
      await third.service.resumeRun('a')
      await until(() => third.states().at(-1) === 'finished')
      expect(serialiseRunLog(opened.events)).toBe(serialiseRunLog(whole.events))
      const told = third.events().flatMap((event) => (isLogged(event) ? [event.seq] : []))
      expect(told).toEqual(whole.events.map((event) => event.seq))
      expect(opened.isFinished).toBe(true)
      expect([first.resumed, third.resumed]).toEqual([[false], [true]])
      const isOfTests = whole.events.some(({ type }) => type === 'tests-written')
      expect(isOfTests).toBe(whole.run?.settings.world === 'coding')
    },
  )

  it('ends a resumed run whose last iteration had ended, without another', async () => {
    const store = new MemoryStore()
    const first = serve(undefined, store)
    await first.service.start(request('a'))
    await until(() => first.states().at(-1) === 'finished')
    // The tab was closed before the end was stored.
    const whole = store.events.splice(-1)
    store.isFinished = false
    const again = serve(undefined, store)
    await again.service.resumeRun('a')
    await until(() => again.states().at(-1) === 'finished')
    expect(store.events.slice(-1)).toEqual(whole)
    expect(store.isFinished).toBe(true)
  })

  it('branches a kept run at a checkpoint, with other settings from there and the same log before', async () => {
    const store = new MemoryStore()
    const first = serve(undefined, store)
    await first.service.start(request('a', 4))
    await until(() => first.states().at(-1) === 'finished')
    const before = [...store.events]
    const end = store.checkpoints.find(({ iteration }) => iteration === 2)!.eventCount

    const second = serve(undefined, store)
    const branch = { from: 'a', iteration: 2, runId: 'b', iterations: 4 }
    await second.service.branchRun({ ...branch, patch: { lambda: 0.25 } })
    await until(() => second.states().at(-1) === 'finished')
    const [started, ...rest] = store.events
    expect(started).toEqual({ ...before[0], runId: 'b' })
    expect(rest.slice(0, end - 1)).toEqual(before.slice(1, end))
    expect(store.events[end]).toEqual({ type: 'settings-changed', patch: { lambda: 0.25 }, seq: end, iteration: 3 })
    expect(store.events.filter(({ type }) => type === 'iteration-finished').map((event) => event.iteration)).toEqual([
      1, 2, 3, 4,
    ])
    expect(second.resumed).toEqual([true])
    expect(second.opened.at(-1)?.settings.lambda).toBe(0.25)
  })

  it('reports a missing checkpoint of a branch, and refuses a fixed setting', async () => {
    const store = new MemoryStore()
    const { service, states } = serve(undefined, store)
    await service.start(request('a', 2))
    await until(() => states().at(-1) === 'finished')
    const branch = { from: 'a', runId: 'b', iterations: 4 }
    await expect(service.branchRun({ ...branch, iteration: 3, patch: {} })).rejects.toThrow(
      'no checkpoint of iteration 3',
    )
    const fixed = { seed: 3 } as object
    await expect(service.branchRun({ ...branch, iteration: 2, patch: fixed })).rejects.toThrow('seed')
    expect(store.run?.runId).toBe('a')
  })

  it('keeps the changes of a branch, and later ones, if the tab is closed before the next checkpoint', async () => {
    const store = new MemoryStore()
    const first = serve(undefined, store)
    await first.service.start(request('a', 2))
    await until(() => first.states().at(-1) === 'finished')

    const closed = serve(() => new Promise(() => {}), store)
    void closed.service.branchRun({ from: 'a', iteration: 2, runId: 'b', iterations: 9, patch: { lambda: 0.25 } })
    await until(() => closed.opened.length === 1)
    const changes = () => store.events.filter((event) => event.type === 'settings-changed').map(({ patch }) => patch)
    const third = serve(undefined, store)
    store.saveCheckpoint = async () => {}
    await third.service.resumeRun('b')
    await third.service.patch({ alphaLow: 0.1 })
    await until(() => changes().length === 2)
    await third.service.stop()
    const fourth = serve(undefined, store)
    await fourth.service.resumeRun('b')
    await until(() => fourth.states().at(-1) === 'finished')
    expect(changes()).toEqual([{ lambda: 0.25 }, { alphaLow: 0.1 }])
    expect(store.events.map(({ seq }) => seq)).toEqual(store.events.map((_, i) => i))
  })

  it('keeps a setting that is changed while the run rests, if the tab is closed before it goes on', async () => {
    const store = new MemoryStore()
    const closed = serve(undefined, store)
    await closed.service.stepOnce(undefined, request('a', 3))
    await until(() => closed.states().at(-1) === 'paused' && store.checkpoints.length === 1)
    // As a slider is dragged.
    for (const lambda of [2, 3, 4]) await closed.service.patch({ lambda })
    const changes = () => store.events.filter((event) => event.type === 'settings-changed')
    await until(() => changes().length > 0)
    expect(changes()).toMatchObject([{ patch: { lambda: 4 }, iteration: 2 }])

    const resumed = serve(undefined, store)
    await resumed.service.resumeRun('a')
    await until(() => resumed.states().at(-1) === 'finished')
    expect(changes()).toHaveLength(1)

    const running = new MemoryStore()
    const other = serve(undefined, running)
    await other.service.stepOnce(undefined, request('a', 3))
    await until(() => other.states().at(-1) === 'paused')
    await other.service.patch({ lambda: 4 })
    await other.service.resume()
    await until(() => other.states().at(-1) === 'finished')
    expect(serialiseRunLog(store.events)).toBe(serialiseRunLog(running.events))
  })

  it('goes on with an untrained or another model in a branch, and with what the other role has learned', async () => {
    const store = new MemoryStore()
    const first = serve(undefined, store)
    await first.service.start(request('a', 2))
    await until(() => first.states().at(-1) === 'finished')
    const loaded: string[] = []
    const second = serve(async () => {
      const ports = world()
      for (const role of ['policy', 'reward'] as const) {
        const load = ports[role].loadCheckpoint.bind(ports[role])
        ports[role].loadCheckpoint = async (bytes) => {
          loaded.push(role)
          await load(bytes)
        }
      }
      return { ports, backend: 'cpu', models: MODELS, close: () => {} }
    }, store)
    const early: RoleSource = { kind: 'built-in', isEarly: true }
    const branch = { from: 'a', iteration: 2, runId: 'b', iterations: 3, patch: {}, replaced: { reward: early } }
    await second.service.branchRun(branch)
    await until(() => second.states().at(-1) === 'finished')
    expect(loaded).toEqual(['policy'])
    expect(second.opened.at(-1)?.models).toMatchObject({ reward: early })
    const replaced = store.events.filter((event) => event.type === 'model-replaced')
    expect(replaced).toMatchObject([{ role: 'reward', model: 'household-reward-early', iteration: 3 }])
    expect(store.run?.replacements).toMatchObject([{ role: 'reward', model: 'household-reward-early', iteration: 3 }])
    // The next checkpoint has the weights of the new model.
    expect(store.checkpoints.at(-1)).toMatchObject({ iteration: 3 })
    expect(store.checkpoints.at(-1)!.reward.length).toBeGreaterThan(0)
  })

  it('exports the whole log although it holds only what the loop reads, even if the store failed for a while', async () => {
    const store = new MemoryStore()
    let calls = 0
    const { service, states } = serve(undefined, store)
    await service.start(request('a', 3))
    await until(() => states().at(-1) === 'finished')
    const whole = await (await service.exportLog())!.file.text()
    expect(whole).toBe(serialiseRunLog(store.events))
    expect(whole).toContain('"response"')

    const leaky = new MemoryStore()
    leaky.append = async (runId, events) => {
      if (++calls === 2) throw new RunStoreError('The disk is full.')
      await MemoryStore.prototype.append.call(leaky, runId, events)
    }
    const other = serve(undefined, leaky)
    await other.service.start(request('a', 3))
    await until(() => other.states().at(-1) === 'finished')
    // What failed is stored with what follows, so the stored log has no hole either.
    expect(serialiseRunLog(leaky.events)).toBe(whole)
    expect(await (await other.service.exportLog())!.file.text()).toBe(whole)
  })

  it('exports no log with holes after the run was deleted in another tab', async () => {
    const store = new MemoryStore()
    const { service, states } = serve(undefined, store)
    await service.start(request('a', 3))
    await until(() => states().at(-1) === 'finished')
    const { events } = store
    store.events = events.slice(0, -1)
    await expect(service.exportLog()).rejects.toThrow('The log of run "a" is no longer kept')
    store.events = events.slice(5)
    await expect(service.exportLog()).rejects.toThrow('The log of run "a" is no longer kept')
    await store.remove()
    await expect(service.exportLog()).rejects.toThrow('The log of run "a" is no longer kept')
  })

  it('reports that a run without a checkpoint cannot be resumed', async () => {
    const store = new MemoryStore()
    await expect(serve(undefined, store).service.resumeRun('a')).rejects.toThrow('Run "a" has no checkpoint')
    await expect(serve().service.resumeRun('a')).rejects.toThrow('Run "a" has no checkpoint')
  })

  describe('with models on servers', () => {
    const server: RoleSource = {
      kind: 'openai',
      baseUrl: 'http://127.0.0.1:8000/v1',
      model: 'm',
      concurrency: 1,
      timeoutSeconds: 1,
    }
    const asked = { ...request('a'), models: { author: server }, keys: { [server.baseUrl]: 'secret-key' } }

    it('keeps sources and the fact that there was a key, but no key, and requires it to resume the run', async () => {
      const store = new MemoryStore()
      const { service, messages, states, opened } = serve(undefined, store)
      await service.start(asked)
      await until(() => states().at(-1) === 'finished')
      expect(store.run).toMatchObject({ models: { author: server }, keyedServers: [server.baseUrl] })
      const kept = JSON.stringify([store.run, store.events, messages])
      expect(kept).not.toContain('secret-key')

      await service.resumeRun('a')
      expect(messages.at(-1)).toMatchObject({
        status: {
          state: 'failed',
          failure: { keyFor: server.baseUrl, why: expect.stringContaining('keys are not kept') as string },
        },
      })
      expect(store.checkpoints.length).toBeGreaterThan(0)
      expect(opened).toHaveLength(1)
      await service.resumeRun('a', { 'http://127.0.0.1:8000/v1/': 'secret-key' })
      expect(opened.at(-1)).toMatchObject({
        models: { author: server },
        keys: { 'http://127.0.0.1:8000/v1/': 'secret-key' },
      })
      await until(() => states().at(-1) === 'finished')
    })

    it('creates no branch without its key, and branches with the key', async () => {
      const store = new MemoryStore()
      const { service, messages, states, opened } = serve(undefined, store)
      await service.start({ ...asked, iterations: 4 })
      await until(() => states().at(-1) === 'finished')
      const { events, checkpoints, run } = store
      const removed: string[] = []
      store.remove = async (...runId: string[]) => {
        removed.push(...runId)
        // This store holds one run, so the branch replaces it.
        Object.assign(store, { events, checkpoints, run })
      }
      const branch = { from: 'a', iteration: 2, runId: 'b', iterations: 4, patch: {} }
      await service.branchRun(branch)
      expect(messages.at(-1)).toMatchObject({
        runId: 'b',
        status: { state: 'failed', failure: { keyFor: server.baseUrl } },
      })
      expect(removed).toEqual(['b'])
      expect(opened).toHaveLength(1)
      await service.branchRun({ ...branch, keys: { [server.baseUrl]: 'secret-key' } })
      expect(opened.at(-1)).toMatchObject({ runId: 'b', keys: { [server.baseUrl]: 'secret-key' } })
      await until(() => states().at(-1) === 'finished')
    })

    it('asks for another key if the server rejects the given one', async () => {
      const refusal = explainStatus('http://127.0.0.1:8000', '/v1/models', { status: 401, body: '' })
      const { service, messages } = serve(() => Promise.reject(refusal))
      await service.start(asked)
      expect(messages.at(-1)).toMatchObject({
        status: { state: 'failed', failure: { what: refusal.what, keyFor: server.baseUrl } },
      })
      const gone = explainStatus('http://127.0.0.1:8000', '/v1/models', { status: 404, body: '' })
      const other = serve(() => Promise.reject(gone))
      await other.service.start(asked)
      expect(other.messages.at(-1)).not.toHaveProperty('status.failure.keyFor')
    })

    it('refuses to train a model that cannot learn, by a setting or a step, and the run continues', async () => {
      const { service, states } = serve()
      const settings = { ...asked.settings, trainPolicy: false }
      await service.stepOnce(undefined, { ...asked, settings, models: { policy: server } })
      await until(() => states().at(-1) === 'paused')
      await expect(service.patch({ trainPolicy: true })).rejects.toThrow(/Switch trainPolicy off/)
      await expect(service.stepOnce('policy')).rejects.toThrow(/policy model should learn but cannot/)
      await service.patch({ trainReward: false })
      await service.resume()
      await until(() => states().at(-1) === 'finished')
    })
  })
})
