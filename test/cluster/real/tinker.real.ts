/** A real server with Tinker's API (SkyRL, from PyPI), which samples and trains adapters of a tiny Qwen3 for two roles of a loop. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TinkerModel } from '../../../src/engines/tinker/tinker-model.ts'
import { folderReader } from '../../../src/language-model/files/folder-reader.ts'
import type { UpdateOptions } from '../../../src/method/ports.ts'
import { householdLessons, type Lesson } from './household-lessons.ts'
import { eventsOf, runLoopCommand } from './loop-command.ts'
import { report, tinkerServer, type ModelServer } from './model-server.ts'
import { UPDATE_OPTIONS } from '../../language-model/update-options.ts'

const UPDATE: UpdateOptions = {
  ...UPDATE_OPTIONS,
  learningRate: 2e-3,
  klCoefficient: 0,
  lossAggregation: 'seq-mean-token-mean',
  updatesPerIteration: 1,
}

/** Samples of one prompt; two of them are compared. */
const COUNT = 6

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

/** The end of a prompt that asks for a command in a game outside the lessons; short, to save time. */
async function shortPrompt(): Promise<string> {
  const [{ prompt }] = (await householdLessons(2)) as [Lesson]
  return prompt.slice(prompt.indexOf('Looking quickly'))
}

// The server compiles a program for every new length, which takes most of the time on a CPU.
describe('a Tinker server', { timeout: 1_200_000 }, () => {
  it('makes a rewarded action more likely and another one less, in both forms of the loss', async () => {
    for (const klCoefficient of [0, 0.01]) {
      const actor = await model(1)
      const [prompt] = await actor.encode([await shortPrompt()])
      const [samples] = await actor.generate([{ prompt: prompt!, count: COUNT, seed: 5 }], {
        temperature: 1,
        topP: 1,
        maxTokens: 24,
      })
      const other = samples!.find(({ text }) => text !== samples![0]!.text)
      if (!other) throw new Error(`${COUNT} samples are the same: ${samples![0]!.text}`)
      const examples = [samples![0]!, other].map(({ tokens, logProbs }, index) => ({
        prompt: prompt!,
        response: tokens,
        oldLogProbs: logProbs,
        advantage: index === 0 ? 1 : -1,
      }))
      const options = { ...UPDATE, klCoefficient }
      const first = await actor.update(examples, options)
      // Before the first step, the sampling and training probabilities are equal.
      expect(Math.abs(first.ppo_kl)).toBeLessThan(0.02)
      expect(first.grad_norm).toBeGreaterThan(0)
      for (let more = 0; more < 4; more++) await actor.update(examples, options)
      const after = async (index: number) =>
        -(await actor.update([examples[index]!], { ...options, learningRate: 0 })).ppo_kl
      const [rise, fall] = [await after(0), await after(1)]
      report(
        `β ${klCoefficient}: log π per token of the rewarded action "${samples![0]!.text.trim()}" by ${rise.toFixed(4)}, of the other by ${fall.toFixed(4)}`,
      )
      expect(rise).toBeGreaterThan(0.01)
      expect(fall).toBeLessThan(-0.01)
    }
  })

  it('trains policy and reward model for three iterations of the household loop, from the command line', async () => {
    const spec = `tinker:${server.address}#${server.model}`
    const { log, output } = await runLoopCommand(
      ['--iterations', '3', '--policy-model', spec, '--reward-model', spec, '--lora', 'rank=4'],
      { policyLearningRate: 2e-3, rewardLearningRate: 2e-3 },
    )
    report(output.trim())
    expect(eventsOf(log, 'iteration-finished')).toHaveLength(3)
    expect(eventsOf(log, 'run-finished')).toMatchObject([{ reason: 'completed' }])
    // The answers were parsed: commands of the game, and both kinds of verdicts.
    const steps = eventsOf(log, 'episode').flatMap((episode) => episode.steps)
    const commands = steps.filter(({ command }) => /^(look|inventory|go to .+)$/.test(command))
    expect(commands.length).toBeGreaterThan(steps.length / 2)
    const scores = eventsOf(log, 'judged').flatMap(({ votes }) => votes.flat().map(({ score }) => score))
    expect(new Set(scores)).toContain(1)
    expect(new Set(scores)).toContain(-1)
    for (const role of ['policy', 'reward'] as const) {
      const updates = eventsOf(log, 'model-updated').filter((event) => event.role === role)
      report(role, JSON.stringify(updates.map(({ version, examples, metrics }) => ({ version, examples, ...metrics }))))
      expect(updates.map(({ version }) => version)).toEqual([1, 2, 3])
      for (const { examples, metrics } of updates) {
        expect(examples).toBeGreaterThan(0)
        expect(metrics.lossTokens).toBeGreaterThan(0)
        expect(Number.isFinite(metrics.grad_norm)).toBe(true)
        expect(metrics.grad_norm).toBeGreaterThan(0)
        // With one optimiser step per update, the sampling and training probabilities are equal.
        expect(Math.abs(metrics.ppo_kl)).toBeLessThan(0.02)
      }
      // Answers come from the weights of the last update.
      const versions =
        role === 'policy'
          ? eventsOf(log, 'episode').map(({ policyVersion }) => policyVersion)
          : eventsOf(log, 'judged').map(({ rewardVersion }) => rewardVersion)
      expect(new Set(versions)).toEqual(new Set([0, 1, 2]))
    }
  })

  it('continues with the weights of the last update after it was killed and restarted', async () => {
    const notices: string[] = []
    const actor = await model(3, notices)
    const [prompt] = await actor.encode([await shortPrompt()])
    const request = { prompt: prompt!, count: 1, seed: 11 }
    const sampling = { temperature: 1, topP: 1, maxTokens: 24 }
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
    expect(notices.join()).toMatch(/lost and recreated/)

    // A new session, from the checkpoint.
    const resumed = await model(4)
    await resumed.loadCheckpoint(await actor.saveCheckpoint())
    const [there] = (await resumed.generate([request], sampling)).flat()
    expect(there!.tokens).toEqual(learned!.tokens)
  })
})
