/** A real OpenAI-compatible server, `transformers serve` on the CPU, as policy, reward model and author. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OpenAiModel } from '../../../src/engines/openai/openai-model.ts'
import { instructPolicy } from '../../../src/worlds/household/roles/instruct-roles.ts'
import type { Completion } from '../../../src/method/ports.ts'
import { eventsOf, runLoopCommand } from './loop-command.ts'
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

describe('transformers serve', { timeout: 600_000 }, () => {
  it('plays policy, reward model and author of the household loop, from the command line', async () => {
    const spec = `openai:${server.address}/v1#${server.model}`
    const { log, output } = await runLoopCommand(
      ['--iterations', '1', '--policy-model', spec, '--reward-model', spec, '--author-model', spec],
      {
        trainPolicy: false,
        trainReward: false,
        tasksPerIteration: 1,
        taskPoolSize: 1,
        evaluationsPerStep: 1,
        // Enough for the expert: a rewrite that cannot be solved in time is rejected.
        maxSteps: 12,
        rewriteAttempts: 6,
      },
    )
    report(output.trim())
    expect(eventsOf(log, 'run-finished')).toMatchObject([{ reason: 'completed' }])
    expect(eventsOf(log, 'model-updated')).toEqual([])
    const steps = eventsOf(log, 'episode').flatMap((episode) => episode.steps)
    expect(steps.length).toBeGreaterThanOrEqual(12)
    const scores = eventsOf(log, 'judged').flatMap(({ votes }) => votes.flat().map(({ score }) => score))
    const proposals = eventsOf(log, 'rewrite-proposed')
    report(
      JSON.stringify({
        commands: steps.map(({ command }) => command),
        scores,
        proposals: proposals.map(({ attempts }) => attempts),
      }),
    )
    const commands = steps.filter(({ command }) => /^(look|inventory|go to .+)$/.test(command))
    expect(commands.length).toBeGreaterThan(steps.length / 2)
    expect(scores.length).toBe(steps.length)
    expect(scores.filter((score) => score !== 0).length).toBeGreaterThan(scores.length / 2)
    expect(proposals).toHaveLength(1)
    const { attempts, candidate } = proposals[0]!
    expect(attempts.at(-1)).toMatchObject({ ok: true, text: expect.stringMatching(/add \d/) as string })
    expect(candidate).not.toBeNull()
  })

  it('is not played blind: it leaves pictures out for a model that does not see, and the run says so', async () => {
    const spec = `openai:${server.address}/v1#${server.model}`
    const models = ['--policy-model', spec, '--reward-model', spec, '--author-model', spec]
    const run = runLoopCommand(['--preset', 'desktop', '--set', 'screen=pixels', '--iterations', '1', ...models], {
      trainPolicy: false,
      trainReward: false,
    })
    await expect(run).rejects.toThrow(
      /does not see pictures\..*leaves the pictures out.*set the screen to marks or text/,
    )
  })

  it('is waited for while it restarts', async () => {
    await server.kill()
    const waiting = complete((await model.chatPieces())!.start + 'x', 1).catch((error: Error) => error)
    // This prompt is not a conversation, so it is rejected before any request.
    expect(await waiting).toBeInstanceOf(Error)
    const asked = complete(instructPolicy((await model.chatPieces())!).opening('A room.'), 1)
    await server.start()
    expect(await asked).toHaveLength(1)
  })
})
