import * as tf from '@tensorflow/tfjs-core'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPlayers, type PlayersHost } from '../../src/sessions/open-players.ts'
import { forRoles, type Role } from '../../src/method/ports.ts'
import { type CheckpointSource, type RoleSource, sourcesOf } from '../../src/roles/source.ts'
import { TransformerModel } from '../../src/engines/transformer/transformer-model.ts'
import { createEnvironment } from '../../src/worlds/household/create-environment.ts'
import { openHousehold } from '../../src/worlds/household/open.ts'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { parseSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'
import { LoopService, type RunMessage, type StartRequest } from '../../src/sessions/loop-service.ts'
import { eventLine } from '../../src/runs/run-log.ts'
import { MemoryStore } from '../runs/memory-store.ts'
import { writeInstructFolder } from '../engines/transformer/instruct-folder.ts'
import { localBridge } from '../threads/local-bridge.ts'
import { UPDATE_OPTIONS } from '../language-model/update-options.ts'

const SETTINGS = parseSettings({
  seed: 3,
  groupSize: 4,
  tasksPerIteration: 1,
  taskPoolSize: 2,
  maxSteps: 2,
  evaluationsPerStep: 3,
  rewriteAttempts: 1,
  evaluateEvery: 0,
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
  rewardAccuracyLow: 0,
  rewardAccuracyHigh: 1,
})

describe('the choice of a backend', () => {
  it('is measured again after it failed, for example without a network', async () => {
    const problems = ['The first download failed.', 'The second download failed.']
    class Unreachable extends TransformerModel {
      override load(): Promise<never> {
        return Promise.reject(new Error(problems.shift()))
      }
    }
    const host: PlayersHost = {
      shippedModel: (name) => name,
      startModel: () => localBridge(new Unreachable(), () => {}),
      startWebLlm: null,
      findWebGpuObstacle: () => Promise.resolve(null),
      now: () => 0,
    }
    const unused = () => Promise.reject(new Error('No model was opened.'))
    const open = () =>
      openPlayers(
        { settings: SETTINGS, sources: sourcesOf(undefined), keys: {}, backend: 'auto' },
        { formatsFor: unused, grammars: unused },
        host,
        { onBackend: () => {}, onNotice: () => {} },
      )
    await expect(open()).rejects.toThrow('The first download failed.')
    await expect(open()).rejects.toThrow('The second download failed.')
  })
})

describe('chat models from Hugging Face in every role', () => {
  let folder: string
  let files: Record<string, Uint8Array>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'instruct-'))
    files = await writeInstructFolder(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const checkpoint = (overrides: Partial<CheckpointSource> = {}): CheckpointSource => ({
    kind: 'checkpoint',
    location: folder,
    adapters: { rank: 2, alpha: 4, dropout: 0, targets: ['q_proj', 'v_proj', 'down_proj'] },
    storage: 'float32',
    contextWindow: null,
    sampler: null,
    ...overrides,
  })

  /** Models in this thread, so that their tensors can be counted. */
  const host: PlayersHost = {
    shippedModel: () => 'there is none',
    startModel() {
      const service = new TransformerModel()
      return localBridge(service, () => void service.unload())
    },
    startWebLlm: null,
    findWebGpuObstacle: () => Promise.resolve('This is a test.'),
    now: () => 0,
  }

  function serve(store: MemoryStore) {
    const messages: RunMessage[] = []
    const service = new LoopService({
      openStore: () => Promise.resolve(store),
      checkpointEvery: 1,
      async open({ settings, models, keys = {}, backend = 'auto' }, { isResumed, onNotice, onBackend }) {
        const world = await openHousehold({ settings, isResumed }, async () => ({
          environment: createEnvironment(settings, null),
          fixedTrajectories: () => Promise.resolve([]),
          close() {},
        }))
        const request = { settings, sources: sourcesOf(models), keys, backend }
        const players = await openPlayers(request, world, host, { onBackend, onNotice })
        const { policy, reward, author, formats } = players
        return {
          ports: { environment: world.environment, policy, reward, author, formats, now: () => 0 },
          backend: players.backend,
          models: players.names,
          close() {
            players.close()
            world.close()
          },
        }
      },
    })
    void service.listen((message) => messages.push(message))
    const ended = async () => {
      await expect
        .poll(() => messages.findLast((message) => message.type === 'status')?.status.state)
        .toMatch(/finished|failed/)
      return messages.findLast((message) => message.type === 'status')!.status
    }
    return { service, messages, ended }
  }

  const request = (models: StartRequest['models'], settings: Partial<Settings> = {}): StartRequest => ({
    runId: 'r',
    preset: 'household',
    settings: { ...SETTINGS, ...settings },
    iterations: 2,
    ...(models && { models }),
  })

  it('train only their adapters, leak no tensor, and resume from a checkpoint as if never stopped', async () => {
    await tf.setBackend('simd')
    const before = tf.memory().numTensors
    const whole = new MemoryStore()
    const { service, ended, messages } = serve(whole)
    await service.start(request(forRoles(() => checkpoint())))
    expect(await ended()).toEqual({ state: 'finished', reason: 'completed' })
    await expect.poll(() => tf.memory().numTensors).toBe(before)
    expect(messages.filter(({ type }) => type === 'notice')).toEqual([])

    const started = whole.events[0]!
    expect(started).toMatchObject({ type: 'run-started', models: forRoles(() => folder.split('/').at(-1)) })
    expect(JSON.stringify(whole.events)).not.toContain(folder)
    // The transcript is a chat, and judges answer in the requested form.
    const votes = whole.events.flatMap((event) => (event.type === 'judged' ? event.votes.flat() : []))
    expect(new Set(votes.map(({ score }) => score)).size).toBeGreaterThan(1)
    const updated = whole.events.flatMap((event) => (event.type === 'model-updated' ? [event.role] : []))
    expect(new Set(updated)).toEqual(new Set(['policy', 'reward']))

    // Checkpoints contain adapters and their moments. B starts at 0, so it has changed.
    const { policy, reward } = whole.checkpoints.at(-1)!
    for (const bytes of [policy, reward]) {
      const { tensors } = readSafetensors(bytes, 'checkpoint')
      const names = [...tensors.keys()]
      expect(names.every((name) => name.includes('.lora_'))).toBe(true)
      expect(names.filter((name) => name.startsWith('base_model.'))).toHaveLength(2 * 3 * 2)
      const moved = names.filter(
        (name) => name.startsWith('base_model.') && name.includes('lora_B') && tensors.get(name)!.values.some(Boolean),
      )
      expect(moved).toHaveLength(2 * 3)
    }

    const cut = new MemoryStore()
    const first = serve(cut)
    await first.service.start({ ...request(forRoles(() => checkpoint())), iterations: 2 })
    await expect.poll(() => cut.checkpoints.length, { interval: 5 }).toBeGreaterThan(0)
    await first.service.stop()
    cut.isFinished = false
    const resumed = serve(cut)
    await resumed.service.resumeRun('r')
    expect(await resumed.ended()).toEqual({ state: 'finished', reason: 'completed' })
    const lines = (store: MemoryStore) =>
      store.events.filter(({ type }) => type !== 'run-finished').map((event) => ({ ...event, seq: 0 }))
    expect(lines(cut).map(eventLine)).toEqual(lines(whole).map(eventLine))
  })

  it('do not change the base weights under trained adapters', async () => {
    const service = new TransformerModel()
    const held = {
      ...({ storage: 'float32', contextWindow: 512, isTrained: true, adapterSeed: 7 } as const),
      adapters: checkpoint().adapters,
    }
    const source = { location: folder, backend: 'cpu', checkpoint: held } as const
    const info = await service.load(source)
    expect(info.maxPositions).toBe(512)
    expect(info.trainedParameters).toBeLessThan(info.parameters)
    const fresh = await service.saveCheckpoint()
    const [prompt] = await service.encode(['<|im_start|>user\nHow is it?<|im_end|>\n<|im_start|>assistant\n'])
    const ask = () =>
      service.generate([{ prompt: prompt!, count: 4, seed: 1 }], { temperature: 1, topP: 1, maxTokens: 8 })
    const before = await ask()
    const examples = before[0]!.map(({ tokens, logProbs }) => ({
      prompt: prompt!,
      response: tokens,
      oldLogProbs: logProbs,
      advantage: -1,
    }))
    await service.update(examples, {
      ...UPDATE_OPTIONS,
      ...{ learningRate: 0.05, klCoefficient: 0, updatesPerIteration: 1 },
    })
    expect(await ask()).not.toEqual(before)
    const learned = await service.saveCheckpoint()
    expect(learned.length).toBeLessThan(files['model.safetensors']!.length)
    await service.loadCheckpoint(fresh)
    expect(await ask()).toEqual(before)

    // Another worker reaches the same state from the source and the checkpoint.
    await service.loadCheckpoint(learned)
    const answers = await ask()
    await service.load({ ...source, checkpoint: { ...held, adapterSeed: 8 } })
    await service.loadCheckpoint(learned)
    expect(await ask()).toEqual(answers)
    await service.unload()
  })

  it('continue when every prompt exceeds the context, which is reported once for each role', async () => {
    const store = new MemoryStore()
    const { service, ended, messages } = serve(store)
    const models = forRoles(() => checkpoint({ contextWindow: 64 }))
    await service.start({ ...request(models), iterations: 1 })
    expect(await ended()).toEqual({ state: 'finished', reason: 'completed' })
    const notices = messages.flatMap((message) => (message.type === 'notice' ? [message.text] : []))
    expect(notices).toHaveLength(3)
    expect(notices[0]).toMatch(/fills the context of the policy model, which has 64/)
    const episodes = store.events.filter((event) => event.type === 'episode')
    expect(episodes.map(({ outcome, steps }) => [outcome, steps.length])).toEqual(episodes.map(() => [-1, 1]))
  })

  it.each<[string, Partial<Record<Role, RoleSource>>, Partial<Settings>, RegExp, RegExp]>([
    [
      'a policy on a server that only samples',
      { policy: { kind: 'openai', baseUrl: 'http://127.0.0.1:9', model: 'm', concurrency: 1, timeoutSeconds: 1 } },
      {},
      /The policy model should learn but cannot/,
      /Switch trainPolicy off/,
    ],
    [
      'a reward model in half precision',
      { reward: { ...checkpointOf('nowhere'), storage: 'float16' } },
      { trainPolicy: false },
      /The reward model should learn but cannot/,
      /Switch trainReward off, or train adapters on it/,
    ],
    [
      'WebLLM outside a browser',
      {
        author: {
          kind: 'webllm',
          record: { model_id: 'm', model: '', model_lib: '' },
          contextWindow: 64,
          sequences: 1,
        },
      },
      {},
      /The author model cannot be opened/,
      /Run it on the page/,
    ],
  ])('do not start with %s, and report what to change', async (_, models, settings, what, remedy) => {
    const { service, messages } = serve(new MemoryStore())
    await service.start(request(models, settings))
    expect(messages.at(-1)).toMatchObject({ status: { state: 'failed', failure: {} } })
    const status = messages.at(-1)
    if (status?.type !== 'status' || status.status.state !== 'failed') throw new Error('It was not refused.')
    expect(status.status.failure.what).toMatch(what)
    expect(status.status.failure.remedy).toMatch(remedy)
  })

  it('report why weights cannot be in half precision here', async () => {
    const { service, messages } = serve(new MemoryStore())
    await service.start({
      ...request({ author: checkpoint({ storage: 'float16' }), policy: checkpoint(), reward: checkpoint() }),
    })
    expect(JSON.stringify(messages.at(-1))).toMatch(/require WebGPU, and this run uses the CPU/)
  })
})

function checkpointOf(location: string): CheckpointSource {
  return { kind: 'checkpoint', location, adapters: null, storage: 'float32', contextWindow: null, sampler: null }
}
