import type { TaskDetails } from '../world-page.ts'
import { sceneChange } from './lineage-scene.ts'

const NOTES = {
  log: '',
  seed: 'This log does not contain the rooms; they were drawn again from the seed of the game.',
  words: 'From the author’s line: this log does not contain the rooms.',
} as const

export const TASK_DETAILS: TaskDetails = {
  textOf: ({ instruction }) => ({ statement: instruction, tests: [] }),
  changeOf(before, proposal, run) {
    const { sentences, from } = sceneChange(before, proposal, run)
    return { label: 'What is different in the room', sentences, note: NOTES[from] }
  },
}
