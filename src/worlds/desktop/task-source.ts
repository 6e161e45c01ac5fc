/** The generated tasks of a run. */
import type { Split, Task } from '../../method/ports.ts'
import { hashOf } from '../random.ts'
import { generateTask } from './generator/generate-task.ts'
import { domainOf } from './generator/templates.ts'
import { taskOf, type DesktopTask } from './task.ts'

export function sampleTasks(split: Split, count: number, seed: number): Task[] {
  return Array.from({ length: count }, (_, index) =>
    portTask(taskOf(generateTask({ seed: hashOf('task', seed, index), split }))),
  )
}

export function portTask(task: DesktopTask): Task {
  const { id, rootId, game } = task
  const kind = game.wish.template
  return { id, rootId, instruction: game.instruction, kind, domain: domainOf(kind), body: task }
}
