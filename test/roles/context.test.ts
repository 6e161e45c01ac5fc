import { describe, expect, it } from 'vitest'
import { ContextBoundModel, fullContext, fullContextNotice } from '../../src/roles/context.ts'
import type { RoleModel } from '../../src/roles/role-model.ts'
import type { GenerateRequest, LanguageModelPort } from '../../src/method/ports.ts'
import { decodeTokens, encodeText, logOf, ofType, request, smallSettings, world } from '../method/corridor.ts'

function roleModel(port: LanguageModelPort): RoleModel {
  return {
    encode: (texts) => port.encode(texts),
    generate: (...given) => port.generate(...given),
    update: (...given) => port.update(...given),
    saveCheckpoint: () => port.saveCheckpoint(),
    loadCheckpoint: (bytes) => port.loadCheckpoint(bytes),
    chatPieces: async () => null,
  }
}

const sampling = { temperature: 1, topP: 1, maxTokens: 4 }
const prompt = (text: string, count = 1): GenerateRequest => ({ prompt: encodeText(text), count, seed: 3 })

describe('a model with a bounded context', () => {
  it('gives an empty completion to prompts that fill the context, and answers the others as usual', async () => {
    const { policy } = world()
    const told: unknown[] = []
    const bound = new ContextBoundModel(roleModel(policy), {
      maxPositions: () => 6,
      onFull: (size) => told.push(size),
    })
    const alone = await policy.generate([prompt('abc', 2), prompt('de')], sampling)
    const answers = await bound.generate(
      [prompt('123456'), prompt('abc', 2), prompt('1234567', 3), prompt('de')],
      sampling,
    )
    expect([answers[1], answers[3]]).toEqual(alone)
    expect(answers.map((completions) => completions.map(({ finishReason }) => finishReason))).toEqual([
      ['context'],
      ['stop', 'stop'],
      ['context', 'context', 'context'],
      ['stop'],
    ])
    expect(answers[2]![0]).toMatchObject({ text: '', tokens: new Int32Array(0), logProbs: new Float32Array(0) })
    expect(told).toEqual([{ promptTokens: 6, maxPositions: 6 }])
  })

  it('is not called if no prompt fits', async () => {
    const { policy } = world()
    const bound = new ContextBoundModel(roleModel(policy), { maxPositions: () => 2, onFull: () => {} })
    const [completions] = await bound.generate([prompt('abc', 2)], sampling)
    expect(completions).toHaveLength(2)
    expect(policy.generateCalls).toBe(0)
  })

  it('is reported once if only its server knows that a prompt is too long', async () => {
    const { policy } = world()
    const told: unknown[] = []
    const port = roleModel(policy)
    const full = { ...port, generate: async () => [[fullContext()], [fullContext()]] }
    const bound = new ContextBoundModel(full, { maxPositions: () => Infinity, onFull: (size) => told.push(size) })
    for (const call of [1, 2])
      expect(await bound.generate([prompt('abc'), prompt('de')], sampling), `${call}`).toHaveLength(2)
    expect(told).toEqual([null])
    expect(fullContextNotice('reward', null)).toBe(
      "The server of the reward model reports that a prompt is longer than the model's context. The step counts as not " +
        'judged; the same applies to every further one. Lower maxSteps, or choose a longer context for this model.',
    )
  })

  it('explains the consequence', () => {
    expect(fullContextNotice('policy', { promptTokens: 5021, maxPositions: 4096 })).toBe(
      'A prompt of 5,021 tokens fills the context of the policy model, which has 4,096. The episode ends ' +
        'unsolved; the same applies to every further one. Lower maxSteps, or choose a longer context for this model.',
    )
  })
})

describe('a transcript that outgrows the context', () => {
  const MAX_POSITIONS = 40

  async function run(bounded: 'policy' | 'reward' | 'author') {
    const ports = world({ lengths: [2, 9] })
    const bound = new ContextBoundModel(roleModel(ports[bounded]), {
      maxPositions: () => MAX_POSITIONS,
      onFull: () => {},
    })
    const log = await logOf({ ...ports, [bounded]: bound }, request(smallSettings({ maxSteps: 9 }), { iterations: 2 }))
    return { ports, log }
  }

  it('of the policy ends the episode unsolved, trains on its earlier responses, and the run continues', async () => {
    const { ports, log } = await run('policy')
    const episodes = ofType(log, 'episode')
    const cut = episodes.filter(({ steps }) => steps.at(-1)!.tokens.length === 0)
    expect(cut.length).toBeGreaterThan(0)
    expect(cut.length).toBeLessThan(episodes.length)
    for (const { steps, outcome } of cut) {
      expect(outcome).toBe(-1)
      expect(steps.at(-1)).toMatchObject({ response: '', command: '', tokens: [], logProbs: [], entropies: [] })
      expect(steps.slice(0, -1).every(({ tokens }) => tokens.length > 0)).toBe(true)
    }
    const trained = ports.policy.updates.flatMap(({ examples }) => examples)
    expect(trained.length).toBeGreaterThan(0)
    expect(trained.every(({ response }) => response.length > 0)).toBe(true)
    expect(ports.policy.prompts.every((text) => text.length < MAX_POSITIONS)).toBe(true)
    expect(
      ofType(log, 'iteration-finished').map(({ metrics }) => metrics['rollout/response_length/clip_ratio']! > 0),
    ).toEqual([true, true])
  })

  it('of the reward model leaves those steps unjudged and untrained', async () => {
    const { ports, log } = await run('reward')
    const votes = ofType(log, 'judged').flatMap((event) => event.votes)
    const unjudged = votes.filter((step) => step.every(({ score }) => score === 0))
    expect(unjudged.length).toBeGreaterThan(0)
    expect(unjudged.length).toBeLessThan(votes.length)
    const trained = ports.reward.updates.flatMap(({ examples }) => examples)
    expect(trained.length).toBeGreaterThan(0)
    expect(trained.every(({ response }) => response.length > 0)).toBe(true)
    expect(trained.every((example) => decodeTokens(example.prompt).length < MAX_POSITIONS)).toBe(true)
    expect(ofType(log, 'iteration-finished')).toHaveLength(2)
  })
})
