/** A real OpenAI-compatible server, `transformers serve` on the CPU, plays policy, reward model and author. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OpenAiModel } from '../../../src/engines/openai/openai-model.ts'
import { instructAuthor, instructPolicy, instructReward } from '../../../src/environments/household/instruct-roles.ts'
import type { Completion } from '../../../src/method/ports.ts'
import { report, transformersServer, type ModelServer } from './model-server.ts'

let server: ModelServer
let model: OpenAiModel
beforeAll(async () => {
  server = await transformersServer()
  model = new OpenAiModel({
    source: {
      kind: 'openai',
      baseUrl: `${server.address}/v1`,
      model: server.model,
      concurrency: 2,
      timeoutSeconds: 120,
    },
    key: null,
  })
  const info = await model.load()
  report(info.backendDescription)
  expect(info.capabilities.endpoint).toBe('chat')
}, 1_800_000)
afterAll(async () => {
  model?.close()
  await server?.remove()
})

async function complete(prompt: string, count: number): Promise<Completion[]> {
  const [tokens] = await model.encode([prompt])
  const [completions] = await model.generate([{ prompt: tokens!, count, seed: 1 }], {
    temperature: 1,
    topP: 1,
    maxTokens: 8,
  })
  return completions!
}

describe('transformers serve', () => {
  it('plays the policy, the reward model and the author', async () => {
    const pieces = await model.chatPieces()
    const policy = instructPolicy(pieces!)
    const reward = instructReward(pieces!)
    const author = instructAuthor(pieces!)
    const opening = 'You are in the middle of a room. You see a drawer 1.\n\nYour task is to: look.'
    const turn = policy.opening(opening)
    const [first] = await complete(turn, 1)
    const next = turn + first!.text + pieces!.responseEnd + policy.afterResponse('Nothing happens.')
    const answers = [
      ...(await complete(next, 2)),
      ...(await complete(
        reward.opening(opening) + reward.step({ response: first!.text, observation: 'Nothing happens.' }) + reward.cue,
        1,
      )),
      ...(await complete(
        author.prompt({ description: 'a room', direction: 'harder', accuracy: 0.9, criticSummary: '' }),
        1,
      )),
    ]
    for (const { tokens, text, finishReason } of [first!, ...answers]) {
      expect(['stop', 'length']).toContain(finishReason)
      expect(tokens.length).toBeGreaterThan(0)
      expect(typeof text).toBe('string')
    }
    // Random weights at temperature 1 do not say the same thing twice.
    expect(answers[0]!.text).not.toBe(answers[1]!.text)
    report(JSON.stringify([first, ...answers].map((one) => one!.text)))
  })

  it('is waited for while it is started again', async () => {
    await server.kill()
    const waiting = complete((await model.chatPieces())!.start + 'x', 1).catch((error: Error) => error)
    // That prompt is no conversation: it is refused here, before anything is asked.
    expect(await waiting).toBeInstanceOf(Error)
    const asked = complete(instructPolicy((await model.chatPieces())!).opening('A room.'), 1)
    await server.start()
    expect(await asked).toHaveLength(1)
  })
})
