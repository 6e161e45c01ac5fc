import { describe, expect, it } from 'vitest'
import { learningObstacle } from '../../src/roles/learning.ts'
import { keptSource, keyFor, serversOf, sourceName, type RoleSource } from '../../src/roles/source.ts'

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
