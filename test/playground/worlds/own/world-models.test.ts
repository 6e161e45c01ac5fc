import { expect, it } from 'vitest'
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
  expect([...models]).toEqual([['mine.models/own-policy', [config, weights]]])
  expect(problems).toEqual(['other.ts: It is gone.'])
})

it('the models of a world are those in the folder beside its file', () => {
  const folders = ['mine.models/own-policy', 'mine.models/own-reward', 'other.models/own-author', 'own-author']
  expect(modelsOf('mine.ts', folders)).toEqual({
    policy: folderSource('local:mine.models/own-policy'),
    reward: folderSource('local:mine.models/own-reward'),
  })
})
