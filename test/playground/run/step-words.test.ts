import { expect, it } from 'vitest'
import { distanceWords } from '../../../src/playground/run/step-words.ts'

it('counts the commands to the goal', () => {
  expect([null, -1, 0, 1, 2].map(distanceWords)).toEqual([
    'the goal is out of reach',
    'the goal is out of reach',
    'goal reached',
    '1 command to the goal',
    '2 commands to the goal',
  ])
})
