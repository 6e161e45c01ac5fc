/**
 * The shipped models were trained on compact games, and kept runs replay them. So every one of them must stay the same to the
 * last byte, however the generator of full scenes changes.
 */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { taskTypes, type HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import type { Split } from '../../../../src/method/ports.ts'
import { applyRewrite } from '../../../../src/worlds/household/rewrites/apply.ts'
import { gameOf, taskOf } from '../../../../src/worlds/household/task.ts'

const splits: readonly Split[] = ['train', 'id', 'ood']
const seeds = Array.from({ length: 20 }, (_, index) => 7919 * index)

const hashOf = (games: readonly HouseholdGame[]) =>
  createHash('sha256').update(JSON.stringify(games)).digest('hex').slice(0, 16)

it('makes the same compact games as ever', () => {
  const games = splits.flatMap((split) => seeds.map((seed) => generateGame({ seed, split, sceneSize: 'compact' })))
  expect(games).toHaveLength(60)
  expect(hashOf(games)).toBe('6f5d5e0082752096')
})

it('makes the same ones for each task type', () => {
  const games = taskTypes.flatMap((taskType) =>
    splits.flatMap((split) =>
      seeds.slice(0, 4).map((seed) => generateGame({ seed, split, sceneSize: 'compact', taskTypes: [taskType] })),
    ),
  )
  expect(hashOf(games)).toBe('d289f1e76b66b6b7')
})

it('adds the same distractors to them as ever', () => {
  const games = seeds.map((seed) => {
    const task = taskOf(generateGame({ seed, split: 'train', sceneSize: 'compact' }))
    const outcome = applyRewrite(task, { kind: 'add-distractors', count: 4, seed }, `${task.id}/more`)
    return gameOf(outcome.ok ? outcome.task : task)
  })
  expect(hashOf(games)).toBe('620c37ee8f235cf1')
})
