import type { TaskDetails } from '../world-page.ts'
import { shownProblem } from './shown-problem.ts'

export const TASK_DETAILS: TaskDetails = {
  textOf(task) {
    const problem = shownProblem(task)
    return { statement: problem?.statement ?? task.instruction, tests: problem?.tests ?? [] }
  },
  changeOf: null,
}
