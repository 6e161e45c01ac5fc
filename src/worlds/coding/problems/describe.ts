/** What the author is told of a generated problem: the statement with its steps numbered, as rewrites name them. */
import type { CodingTask } from '../problem.ts'
import { headOf, phraseOf } from './statement.ts'

export function describeSpec(task: CodingTask): string {
  const { spec } = task.body
  if (!spec) throw new TypeError(`Task "${task.id}" was not generated: it has no steps to describe.`)
  return [headOf(spec), ...spec.steps.map((step, i) => `${i + 1} ${phraseOf(step)}`)].join('\n')
}
