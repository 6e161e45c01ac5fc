import { expect, it } from 'vitest'
import { Selection } from '../../../src/playground/state/selection.svelte.ts'

it('what is looked at stays when the run goes on, with the step that was chosen in it', () => {
  const selection = new Selection()
  selection.chooseStep(3, 7)
  selection.stay(12, 'look-1/train-7')
  expect([selection.iteration, selection.taskId, selection.rollout, selection.step]).toEqual([
    12,
    'look-1/train-7',
    3,
    7,
  ])
  selection.chooseIteration(null)
  expect([selection.iteration, selection.taskId, selection.rollout, selection.step]).toEqual([null, null, 0, 0])
})
