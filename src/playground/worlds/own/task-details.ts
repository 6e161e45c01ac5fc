import type { TaskDetails } from '../world-page.ts'

/** What a rewrite changed is in its text. */
export const TASK_DETAILS: TaskDetails = {
  textOf: ({ instruction }) => ({ statement: instruction, tests: [] }),
  changeOf: null,
}
