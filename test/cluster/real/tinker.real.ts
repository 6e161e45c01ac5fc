/** A real server with Tinker's interface, SkyRL's from PyPI: it samples and trains adapters of a tiny Qwen3 for two roles. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TinkerModel } from '../../../src/engines/tinker/tinker-model.ts'
import { folderReader } from '../../../src/language-model/folder-reader.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'
import type { UpdateOptions } from '../../../src/method/ports.ts'
import { householdLoop } from './household-loop.ts'
import { report, tinkerServer, type ModelServer } from './model-server.ts'

const UPDATE: UpdateOptions = {
  learningRate: 5e-3,
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  klCoefficient: 0,
  klEstimator: 'k3',
  lossAggregation: 'seq-mean-token-mean',
  temperature: 1,
  updatesPerIteration: 1,
  maxGradNorm: 1,
  weightDecay: 0,
}

let server: ModelServer
const open: TinkerModel[] = []
beforeAll(async () => {
  server = await tinkerServer()
}, 1_800_000)
afterAll(async () => {
  for (const model of open) model.close()
  await server?.remove()
})

async function model(seed: number, notices: string[] = []): Promise<TinkerModel> {
  const opened = new TinkerModel({
    source: {
      kind: 'tinker',
      baseUrl: server.address,
      baseModel: server.model,
      tokenizer: server.model,
      rank: 4,
      timeoutSeconds: 600,
    },
    key: null,
    files: folderReader(server.model),
    seed,
    onNotice: (text) => notices.push(text),
  })
  open.push(opened)
  const info = await opened.load()
  expect(info.maxPositions).toBe(8192)
  return opened
}

const updates = (log: readonly LoggedEvent[], role: string) =>
  log.filter((event) => event.type === 'model-updated').filter((event) => event.role === role)

// The server compiles a program for every length that it has not met before, which on a CPU takes longer than anything else.
describe('a Tinker server', { timeout: 1_200_000 }, () => {
  it('makes a rewarded action more likely and another one less, in both forms of the loss', async () => {
    for (const klCoefficient of [0, 0.01]) {
      const actor = await model(1)
      const [prompt] = await actor.encode(['Choose a letter: '])
      const [samples] = await actor.generate([{ prompt: prompt!, count: 2, seed: 5 }], {
        temperature: 1,
        topP: 1,
        maxTokens: 3,
      })
      const examples = samples!.map(({ tokens, logProbs }, index) => ({
        prompt: prompt!,
        response: tokens,
        oldLogProbs: logProbs,
        advantage: index === 0 ? 1 : -1,
      }))
      expect(examples[0]!.response).not.toEqual(examples[1]!.response)
      const options = { ...UPDATE, klCoefficient }
      const first = await actor.update(examples, options)
      // What was sampled is what is trained: nothing has moved before the first step.
      expect(Math.abs(first.ppo_kl)).toBeLessThan(0.02)
      expect(first.grad_norm).toBeGreaterThan(0)
      for (let more = 0; more < 4; more++) await actor.update(examples, options)
      const after = async (index: number) =>
        -(await actor.update([examples[index]!], { ...options, learningRate: 0 })).ppo_kl
      const [rise, fall] = [await after(0), await after(1)]
      report(
        `β ${klCoefficient}: log π of the rewarded action ${rise.toFixed(4)} per token, of the other ${fall.toFixed(4)}`,
      )
      expect(rise).toBeGreaterThan(0.01)
      expect(fall).toBeLessThan(-0.01)
    }
  })

  it('trains policy and reward model of the household loop for three iterations', async () => {
    const [policy, reward] = [await model(1), await model(2)]
    const log = await householdLoop({ policy, reward, author: reward }, 3, { adaptEnvironment: false })
    for (const role of ['policy', 'reward'] as const) {
      const steps = updates(log, role)
      report(role, JSON.stringify(steps.map(({ metrics }) => metrics)))
      expect(steps.length).toBeGreaterThanOrEqual(2)
      for (const { metrics } of steps) {
        expect(metrics.lossTokens).toBeGreaterThan(0)
        expect(metrics.grad_norm).toBeGreaterThan(0)
      }
    }
    expect(log.filter(({ type }) => type === 'iteration-finished')).toHaveLength(3)
  })

  it('goes on after it was killed and started again, with the weights of the last update', async () => {
    const notices: string[] = []
    const actor = await model(3, notices)
    const [prompt] = await actor.encode(['Once '])
    const request = { prompt: prompt!, count: 1, seed: 11 }
    const sampling = { temperature: 1, topP: 1, maxTokens: 4 }
    const [before] = (await actor.generate([request], sampling)).flat()
    const example = { prompt: prompt!, response: before!.tokens, oldLogProbs: before!.logProbs, advantage: 1 }
    await actor.update([example], UPDATE)
    const [learned] = (await actor.generate([request], sampling)).flat()
    await server.kill()
    const waiting = actor.generate([request], sampling)
    await server.start()
    const [again] = (await waiting).flat()
    expect(again!.tokens).toEqual(learned!.tokens)
    expect(Array.from(again!.logProbs)).toEqual(
      Array.from(learned!.logProbs, (one) => expect.closeTo(one, 2) as number),
    )
    expect(notices.join()).toMatch(/lost and made again/)

    // Another session of ours, from the checkpoint.
    const resumed = await model(4)
    await resumed.loadCheckpoint(await actor.saveCheckpoint())
    const [there] = (await resumed.generate([request], sampling)).flat()
    expect(there!.tokens).toEqual(learned!.tokens)
  })
})
