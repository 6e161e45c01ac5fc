import type { CodingTask, Problem } from '../../../src/worlds/coding/problem.ts'

/** A task that poses the problem. */
export function codingTask(problem: Problem, id: string): CodingTask {
  return { id, rootId: id, instruction: problem.statement, kind: problem.spec!.kind, body: problem }
}
