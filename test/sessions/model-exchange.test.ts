import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import type { Role } from '../../src/method/ports.ts'
import { modelNames } from '../../src/roles/shipped-models.ts'
import { sourcesOf, type RoleSource } from '../../src/roles/source.ts'
import { modelsWithin } from '../../src/runs/branch.ts'
import { foldRun } from '../../src/runs/fold.ts'
import { RunStoreError } from '../../src/runs/indexeddb-failures.ts'
import { LoopService, type RunMessage, type StartRequest } from '../../src/sessions/loop-service.ts'
import { world } from '../method/corridor.ts'
import { MemoryStore } from '../runs/memory-store.ts'
import { request, until } from './small-requests.ts'

const EARLY: RoleSource = { kind: 'built-in', isEarly: true }
const SERVER: RoleSource = {
  kind: 'openai',
  baseUrl: 'http://127.0.0.1:8000/v1',
  model: 'm',
  concurrency: 1,
  timeoutSeconds: 1,
}

function serve({
  store,
  failing = () => false,
}: {
  store?: MemoryStore
  failing?: (request: StartRequest) => boolean
}) {
  const messages: RunMessage[] = []
  const opened: StartRequest[] = []
  const loaded: Role[][] = []
  let open = 0
  const service = new LoopService({
    open: async (request) => {
      if (failing(request)) throw new Error('The server does not answer.')
      opened.push(request)
      open++
      const roles: Role[] = []
      loaded.push(roles)
      const ports = world()
      for (const role of ['policy', 'reward'] as const) {
        const load = ports[role].loadCheckpoint.bind(ports[role])
        ports[role].loadCheckpoint = async (bytes) => {
          roles.push(role)
          await load(bytes)
        }
      }
      const models = modelNames(sourcesOf(request.models), 'household')
      return { ports, backend: 'cpu', models, close: () => void open-- }
    },
    openStore: async () => {
      if (!store) throw new RunStoreError('Nothing can be kept here.')
      return store
    },
  })
  void service.listen((message) => messages.push(message))
  const states = () => messages.flatMap((message) => (message.type === 'status' ? [message.status.state] : []))
  const events = () => messages.flatMap((message) => (message.type === 'events' ? message.batch.filter(isLogged) : []))
  return { service, opened, loaded, states, events, openCount: () => open }
}

const withoutIds = (events: readonly LoggedEvent[]) =>
  events.map((event) => (event.type === 'run-started' ? { ...event, runId: '' } : event))

/** A run that rests after two iterations. */
async function rested(options: Parameters<typeof serve>[0] = {}) {
  const served = serve(options)
  await served.service.stepOnce(undefined, request('a', 4))
  await until(() => served.states().at(-1) === 'paused')
  await served.service.stepOnce()
  await until(() => served.states().at(-1) === 'paused' && served.events().at(-1)?.iteration === 2)
  return served
}

describe('another model in a run', () => {
  it('gives the log of a branch with that model, and resumes with it', async () => {
    const store = new MemoryStore()
    const { service, states, events, opened, loaded, openCount } = await rested({ store })
    expect(await service.replaceModel({ role: 'reward', source: EARLY })).toEqual({ state: 'swapped' })
    expect(loaded.at(-1)).toEqual(['policy'])
    expect(openCount()).toBe(1)
    expect(events().at(-1)).toMatchObject({ type: 'model-replaced', role: 'reward', iteration: 3 })
    expect(store.checkpoints.at(-1)).toMatchObject({ iteration: 2, eventCount: store.events.length })
    expect(store.checkpoints.at(-1)!.reward.length).toBe(0)
    await until(() => states().at(-1) === 'paused')
    await service.resume()
    await until(() => states().at(-1) === 'finished')
    expect(events().map(({ seq }) => seq)).toEqual(events().map((_, i) => i))
    expect(openCount()).toBe(0)

    const other = new MemoryStore()
    const plain = serve({ store: other })
    await plain.service.start(request('b', 2))
    await until(() => plain.states().at(-1) === 'finished')
    const branch = { from: 'b', iteration: 2, runId: 'c', iterations: 4, patch: {}, replaced: { reward: EARLY } }
    await plain.service.branchRun(branch)
    await until(() => other.run?.runId === 'c' && other.isFinished)
    expect(withoutIds(store.events)).toEqual(withoutIds(other.events))

    // A tab that is closed right after the change.
    store.checkpoints = store.checkpoints.filter(({ iteration }) => iteration <= 2)
    const second = serve({ store })
    await second.service.resumeRun('a')
    await until(() => second.states().at(-1) === 'finished')
    expect(second.opened[0]?.models).toMatchObject({ reward: EARLY })
    expect(withoutIds(store.events)).toEqual(withoutIds(other.events))
    expect(opened.at(-1)?.backend).toBe('cpu')
  })

  it('is noted with what played before, so an earlier checkpoint keeps its own model', async () => {
    const store = new MemoryStore()
    const { service } = await rested({ store })
    const earlier = store.checkpoints[0]!
    await service.replaceModel({ role: 'reward', source: EARLY })
    await service.replaceModel({ role: 'author', source: SERVER, keys: { [SERVER.baseUrl]: 'k' } })
    const { run } = store
    expect(run?.models).toEqual({ reward: EARLY, author: SERVER })
    expect(run?.keyedServers).toEqual(['http://127.0.0.1:8000/v1'])
    expect(modelsWithin(run!, earlier)).toEqual({ reward: { kind: 'built-in' }, author: { kind: 'built-in' } })
    const view = foldRun(store.events)
    expect(view.models).toMatchObject({ reward: 'household-reward-early', policy: 'household-policy' })
    expect(view.at(1).models).toMatchObject({ reward: 'household-reward' })
    await service.stop()
  })

  it('is another version of its role, so no accuracy is taken for one of the model before', async () => {
    const store = new MemoryStore()
    const { service, states } = await rested({ store })
    const before = foldRun(store.events)
    await service.patch({ trainPolicy: false, trainReward: false })
    await service.replaceModel({ role: 'policy', source: { kind: 'built-in' } })
    await service.replaceModel({ role: 'reward', source: EARLY })
    const versions = { policyVersion: before.policyVersion + 1, rewardVersion: before.rewardVersion + 1 }
    expect(foldRun(store.events)).toMatchObject(versions)
    await service.resume()
    await until(() => states().at(-1) === 'finished')
    const third = store.events.filter(({ iteration }) => iteration === 3)
    const played = third.flatMap((event) => {
      if (event.type === 'episode') return [event.policyVersion]
      return event.type === 'rewrite-resolved' ? [event.policyVersionAfter] : []
    })
    expect(new Set(played)).toEqual(new Set([versions.policyVersion]))
    expect(third.some(({ type }) => type === 'rewrite-resolved')).toBe(true)
    const judged = third.flatMap((event) => (event.type === 'judged' ? [event.rewardVersion] : []))
    expect(new Set(judged)).toEqual(new Set([versions.rewardVersion]))
    const whole = foldRun(store.events)
    expect(whole).toMatchObject(versions)
    expect(whole.at(2)).toMatchObject({ policyVersion: before.policyVersion, rewardVersion: before.rewardVersion })
    expect(whole.at(3)).toMatchObject(versions)
  })

  it('waits for the end of the iteration; a second choice takes the place of the first', async () => {
    const { service, states, events } = serve({})
    await service.start(request('a', 3))
    const first = service.replaceModel({ role: 'reward', source: EARLY })
    const second = service.replaceModel({ role: 'reward', source: { kind: 'built-in' } })
    expect(await first).toEqual({ state: 'dropped' })
    expect(await second).toEqual({ state: 'swapped' })
    await until(() => states().at(-1) === 'finished')
    const replaced = events().filter(({ type }) => type === 'model-replaced')
    expect(replaced).toMatchObject([{ iteration: 2, model: 'household-reward' }])
    expect(await service.replaceModel({ role: 'reward', source: EARLY })).toEqual({ state: 'dropped' })
  })

  it('leaves the run as it was if the new model cannot be opened or the change cannot be stored', async () => {
    const whole = new MemoryStore()
    const plain = serve({ store: whole })
    await plain.service.start(request('a', 4))
    await until(() => plain.states().at(-1) === 'finished')

    const unreachable = ({ models }: StartRequest) => models?.author?.kind === 'openai'
    const store = new MemoryStore()
    const { service, states, loaded, openCount } = await rested({ store, failing: unreachable })
    const refused = await service.replaceModel({ role: 'author', source: SERVER })
    expect(refused).toEqual({ state: 'kept', why: 'm could not take over. The server does not answer.' })
    expect(loaded.at(-1)).toEqual(['policy', 'reward'])
    store.replaceModel = async () => {
      throw new RunStoreError('The disk is full.')
    }
    expect(await service.replaceModel({ role: 'reward', source: EARLY })).toMatchObject({ state: 'kept' })
    expect(openCount()).toBe(1)
    await service.resume()
    await until(() => states().at(-1) === 'finished')
    expect(withoutIds(store.events)).toEqual(withoutIds(whole.events))
  })

  it('is refused where a role should learn and the model cannot', async () => {
    const { service } = await rested()
    const refused = await service.replaceModel({ role: 'policy', source: SERVER })
    expect(refused).toMatchObject({ state: 'kept', why: expect.stringContaining('should learn but cannot') as string })
    await service.patch({ trainPolicy: false })
    expect(await service.replaceModel({ role: 'policy', source: SERVER })).toEqual({ state: 'swapped' })
    await expect(service.patch({ trainPolicy: true })).rejects.toThrow('should learn but cannot')
    await service.stop()
  })

  it('does not delay the end of a run that is stopped while its models are saved for the change', async () => {
    let isSaving = false
    let save = () => {}
    let opened = 0
    const service = new LoopService({
      open: async () => {
        const ports = world()
        if (opened++ === 0)
          ports.policy.saveCheckpoint = async () => {
            isSaving = true
            await new Promise<void>((resolve) => (save = resolve))
            return new Uint8Array()
          }
        return { ports, backend: 'cpu', models: { policy: 'p', reward: 'r', author: 'a' }, close: () => {} }
      },
      openStore: async () => new MemoryStore(),
      // So that nothing else saves.
      checkpointEvery: 0,
    })
    const states: string[] = []
    void service.listen((message) => message.type === 'status' && states.push(message.status.state))
    await service.stepOnce(undefined, request('a', 4))
    await until(() => states.at(-1) === 'paused')
    const swapped = service.replaceModel({ role: 'reward', source: EARLY })
    await until(() => isSaving)
    const stopped = service.stop()
    save()
    await stopped
    expect(await swapped).toEqual({ state: 'dropped' })
    expect([states.at(-1), opened]).toEqual(['finished', 1])
    await service.start(request('b', 1))
    await until(() => states.at(-1) === 'finished' && opened === 2)
  })

  it('does not delay the end of a run that is stopped while the model is opened', async () => {
    let isOpening = false
    let finish = () => {}
    const messages: RunMessage[] = []
    let closed = 0
    const opened = () => ({
      ports: world(),
      backend: 'cpu' as const,
      models: { policy: 'p', reward: 'r', author: 'a' },
      close: () => void closed++,
    })
    const service = new LoopService({
      open: async ({ models }) => {
        if (!models?.reward) return opened()
        isOpening = true
        await new Promise<void>((resolve) => (finish = resolve))
        return opened()
      },
      openStore: async () => new MemoryStore(),
    })
    void service.listen((message) => messages.push(message))
    await service.start(request('a', 50))
    const swapped = service.replaceModel({ role: 'reward', source: EARLY })
    await until(() => isOpening)
    await service.stop()
    expect(await swapped).toEqual({ state: 'dropped' })
    expect(messages.at(-1)).toMatchObject({ status: { state: 'finished', reason: 'stopped' } })
    finish()
    await until(() => closed === 2)
  })
})
