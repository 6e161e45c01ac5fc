import { describe, expect, it } from 'vitest'
import { learningObstacle } from '../../src/roles/learning.ts'
import { modelNames, shippedFolder } from '../../src/roles/shipped-models.ts'
import { keptSource, keyFor, serversOf, shippedOfName, sourceName, type RoleSource } from '../../src/roles/source.ts'

const openai = (baseUrl: string): RoleSource => ({
  kind: 'openai',
  baseUrl,
  model: 'm',
  concurrency: 1,
  timeoutSeconds: 1,
})

describe('the source of a role', () => {
  it.each([
    ['https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct/resolve/main', 'SmolLM2-135M-Instruct'],
    ['https://example.org/models/mine/', 'mine'],
    ['/home/somebody/models/mine', 'mine'],
    ['C:\\models\\mine', 'mine'],
    ['local:my model', 'my model'],
  ])('is named without its location: %s', (location, name) => {
    expect(sourceName(keptSource(location), 'shipped')).toBe(name)
  })

  it('says in its name that WebLLM samples a shipped model in half precision', () => {
    const full: RoleSource = { kind: 'built-in-webllm' }
    const half: RoleSource = { kind: 'built-in-webllm', isHalf: true }
    expect([full, half].map((source) => sourceName(source, 'coding-policy'))).toEqual([
      'coding-policy',
      'coding-policy (float16)',
    ])
    for (const source of [full, half]) expect(shippedOfName(sourceName(source, 'coding-policy'))).toBe('coding-policy')
  })

  it('is the early judge only for the household’s reward model', () => {
    const early: RoleSource = { kind: 'built-in', isEarly: true }
    const all = { policy: early, reward: early, author: early }
    expect(modelNames(all, 'household')).toEqual({
      policy: 'household-policy',
      reward: 'household-reward-early',
      author: 'household-author',
    })
    expect(modelNames(all, 'coding').reward).toBe('coding-reward')
    expect(shippedFolder({ kind: 'built-in' }, 'household', 'reward')).toBe('household-reward')
  })

  it('of an older run is a folder with all weights trained', () => {
    const source = keptSource('models/mine')
    expect(source).toMatchObject({ kind: 'checkpoint', adapters: null, storage: 'float32' })
    expect(learningObstacle(source)).toBeNull()
    expect(keptSource(source)).toBe(source)
  })

  it('finds the key of its server, with or without a final slash, and no other key', () => {
    const keys = { 'http://a/v1/': 'k', 'http://b/v1': '' }
    expect([keyFor(keys, 'http://a/v1'), keyFor(keys, 'http://b/v1'), keyFor(keys, 'http://a')]).toEqual([
      'k',
      null,
      null,
    ])
    expect(serversOf([openai('http://a/v1'), openai('http://a/v1/'), { kind: 'built-in' }])).toEqual(['http://a/v1'])
  })
})
