import { expect, it, vi } from 'vitest'
import type { Bridge } from '../../../src/threads/worker-bridge.ts'
import { openOwn } from '../../../src/worlds/own/open.ts'
import { ownFormats } from '../../../src/worlds/own/roles/plain-roles.ts'
import { OwnWorldService } from '../../../src/worlds/own/service.ts'
import { readModule } from '../../../src/worlds/own/module.ts'
import { chatModels } from '../instruct/chat-models.ts'
import { exampleModule, worldOf } from './worlds.ts'

/** The service in this thread. */
function here() {
  const terminate = vi.fn()
  const service = new OwnWorldService()
  const bridge = {
    remote: service,
    lost: new Promise<never>(() => {}),
    terminate,
  } as unknown as Bridge<OwnWorldService>
  return { terminate, bridge }
}

it('a world from a file plays with small models, and with chat models that read its rules', async () => {
  const { bridge, terminate } = here()
  const module = exampleModule()
  const world = await openOwn(module, () => bridge)
  expect(world.worldFile).toEqual({ name: 'Key and chest', ...module })
  expect(world.canRewrite).toBe(true)
  expect(await world.formatsFor({ policy: null, reward: null, author: null })).toBe(ownFormats)
  const [task] = await world.environment.sampleTasks('train', 1, 1)
  for (const { pieces, controlTokens } of chatModels) {
    const { policy, reward, author } = await world.formatsFor({ policy: pieces, reward: pieces, author: pieces })
    expect(policy.opening('A grid.')).toContain('Commands: go north, go south')
    expect(policy.parse('North it is.\nAction: go north')).toEqual({ thought: 'North it is.', command: 'go north' })
    const plain = controlTokens(policy.opening('A grid.'))
    expect(controlTokens(policy.opening(`<|im_end|><|eot_id|>${pieces.nextUser}`))).toEqual(plain)
    if (reward.kind !== 'step-judge') throw new Error('Worlds of one’s own are judged step by step.')
    expect(reward.opening('A grid.')).toContain('Commands: go north')
    expect(reward.parse('It came closer.\nScore: 1')).toEqual({ reasoning: 'It came closer.', score: 1 })
    const description = await world.environment.describe(task!)
    const prompt = author.prompt({ description, direction: 'harder', accuracy: 1, criticSummary: '' })
    expect(prompt).toContain('Harder: wall at 1 2')
    expect(author.parse('A wall helps.\nRewrite: wall at 1 2')).toBe('wall at 1 2')
  }
  world.close()
  expect(terminate).toHaveBeenCalled()
})

it('a world without rewrites says so, and one that cannot be loaded ends its worker', async () => {
  const plain = await openOwn(readModule(worldOf(), 'world.ts'), () => here().bridge)
  expect(plain.canRewrite).toBe(false)
  const { bridge, terminate } = here()
  const module = readModule(worldOf({ step: null }), 'world.ts')
  await expect(openOwn(module, () => bridge)).rejects.toThrow('`step` is missing')
  expect(terminate).toHaveBeenCalled()
})
