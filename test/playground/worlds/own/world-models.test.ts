import { describe, expect, it } from 'vitest'
import { versionName } from '../../../../src/playground/worlds/own/version-name.ts'
import { isOfWorld, modelsOf, sortFiles } from '../../../../src/playground/worlds/own/world-models.ts'
import { folderSource } from '../../../../src/roles/source.ts'

it.each([
  ['mine.ts', true],
  ['mine.mjs', true],
  ['mine.models/own-policy/config.json', true],
  ['work/mine.models/own-reward/model.safetensors', true],
  ['src/mine.ts', false],
  ['mine.models/notes.txt', false],
  ['mine.zip', false],
  ['mine.json', false],
])('the path %s of a dropped file belongs to a world from a file: %s', (path, isOne) => {
  expect(isOfWorld(path)).toBe(isOne)
})

it('dropped files are sorted into worlds and models, and what cannot be opened is said', () => {
  const file = (name: string) => new File([name], name)
  const [world, config, weights] = [file('mine.ts'), file('config.json'), file('model.safetensors')]
  const { worlds, models, problems } = sortFiles([
    { path: 'mine.ts', file: world },
    { path: 'mine.models/own-policy/config.json', file: config },
    { path: 'mine.models/own-policy/model.safetensors', file: weights },
    { path: 'other.ts', file: null, reason: 'It is gone.' },
  ])
  expect(worlds).toEqual([world])
  expect([...models]).toEqual([['mine.models', new Map([['own-policy', [config, weights]]])]])
  expect(problems).toEqual(['other.ts: It is gone.'])
})

it('a version of models is named by what its files hold, whatever their order', async () => {
  const file = (name: string, text: string) => new File([text], name)
  const [config, weights, others] = [
    file('config.json', '{}'),
    file('model.safetensors', 'w'),
    file('config.json', '[]'),
  ]
  const named = (...models: [string, File[]][]) => versionName('mine.models', new Map(models))
  const name = await named(['own-policy', [config, weights]], ['own-reward', [config]])
  expect(name).toMatch(/^mine\.models@[0-9a-f]{8}$/u)
  expect(await named(['own-reward', [config]], ['own-policy', [weights, config]])).toBe(name)
  expect(await named(['own-policy', [config, weights, file('.DS_Store', 'x')]], ['own-reward', [config]])).toBe(name)
  expect(await named(['own-policy', [config, weights]], ['own-reward', [others]])).not.toBe(name)
  expect(await named(['own-policy', [config]], ['own-reward', [config, weights]])).not.toBe(name)
})

describe('the models of a world', () => {
  const kept = [
    'mine.models/own-policy',
    'mine.models@a/own-policy',
    'mine.models@a/own-reward',
    'mine.models@b/own-policy',
  ]
  const local = (name: string) => folderSource(`local:${name}`)

  it('are the version that was dropped last', () => {
    const policy = local('mine.models@a/own-policy')
    expect(modelsOf('mine.ts', kept, 'mine.models@a')).toEqual({ policy, reward: local('mine.models@a/own-reward') })
    expect(modelsOf('mine.ts', kept, 'mine.models@b')).toEqual({ policy: local('mine.models@b/own-policy') })
  })

  it('are any that is kept where the last one was removed, or the page does not know it', () => {
    for (const latest of ['mine.models@removed', null])
      expect(modelsOf('mine.ts', kept, latest)).toEqual({ policy: local('mine.models@b/own-policy') })
    expect(modelsOf('mine.ts', kept.slice(0, 1), null)).toEqual({ policy: local('mine.models/own-policy') })
  })

  it('are no others', () => {
    const others = ['other.models@a/own-author', 'mine.models.old/own-policy', 'own-author']
    expect(modelsOf('mine.ts', others, 'other.models@a')).toEqual({})
  })
})
