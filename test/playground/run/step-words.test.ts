import { expect, it } from 'vitest'
import { distanceWords } from '../../../src/playground/run/step-words.ts'

it('counts the commands to the goal, where the world knows them', () => {
  expect([null, -1, 0, 1, 2].map(distanceWords)).toEqual([
    null,
    'the goal is out of reach',
    'goal reached',
    '1 command to the goal',
    '2 commands to the goal',
  ])
})
