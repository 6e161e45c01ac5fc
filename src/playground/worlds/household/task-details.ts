import type { TaskDetails } from '../world-page.ts'
import { sceneChange } from './lineage-scene.ts'

const NOTES = {
  log: '',
  seed: 'The log has no rooms. They are drawn again from the seed.',
  words: 'The log has no rooms. This is what the author wrote.',
} as const

export const TASK_DETAILS: TaskDetails = {
  textOf: ({ instruction }) => ({ statement: instruction, tests: [] }),
  changeOf(before, proposal, run) {
    const { sentences, from } = sceneChange(before, proposal, run)
    return { label: 'What is different in the room', sentences, note: NOTES[from] }
  },
}
