/** Finds the task of an episode in a log, which has the rewrites that made it but perhaps not the task itself. */
import type { RunView } from '../../../runs/fold.ts'
import type { Task } from '../../../method/ports.ts'

export interface TaskSource<Played> {
  /** The task as the log has it; null if it was left out. */
  inLog(task: Task): Played | null
  /** A task that no author wrote, drawn again from its id. */
  drawnAgain(taskId: string): Played | null
  /** An accepted line of the author, applied again. */
  rewritten(before: Played, line: string, taskId: string): Played | null
}

/** Null if the log does not determine the task. */
export function taskOfLog<Played>(view: RunView, taskId: string, source: TaskSource<Played>): Played | null {
  const known = view.tasks.get(taskId)
  const found = known && source.inLog(known.task)
  if (found) return found
  if (!known?.origin) return source.drawnAgain(taskId)
  const { proposal } = known.origin
  const before = taskOfLog(view, proposal.taskId, source)
  const line = proposal.attempts.find(({ ok }) => ok)?.text
  // A null rewrite is the same task under another name.
  if (line === '' || before === null) return before
  return line === undefined ? null : source.rewritten(before, line, taskId)
}
