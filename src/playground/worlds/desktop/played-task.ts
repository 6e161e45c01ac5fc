/**
 * The task of an episode. A published log has no desktops: a generated one is drawn again from the seed in its id, and the author's
 * rewrites are applied again from the log.
 */
import type { Settings } from '../../../method/settings.ts'
import type { Split, Task } from '../../../method/ports.ts'
import type { RunView } from '../../../runs/fold.ts'
import { generateTask } from '../../../worlds/desktop/generator/generate-task.ts'
import { applyRewrite } from '../../../worlds/desktop/rewrites/apply.ts'
import { parseRewrite } from '../../../worlds/desktop/rewrites/language.ts'
import { taskOf, type DesktopTask } from '../../../worlds/desktop/task.ts'
import { taskOfLog } from '../theatre/task-of-log.ts'

/** With the instruction, as the page shows tasks. */
export type PlayedTask = DesktopTask & { instruction: string }

const GENERATED_ID = /\/(train|id|ood)-(\d+)$/u

/** Null if the log does not determine it. */
export function playedTask(view: RunView, taskId: string, settings: Pick<Settings, 'maxSteps'>): PlayedTask | null {
  return taskOfLog(view, taskId, {
    inLog: desktopTask,
    drawnAgain,
    rewritten(before, line, id) {
      const rewrite = parseRewrite(line)
      const after = rewrite && applyRewrite(before, rewrite, id, { stepLimit: settings.maxSteps, allowsIdTasks: true })
      return after?.ok ? shown(after.task) : null
    },
  })
}

export function desktopTask(task: Task | null): PlayedTask | null {
  const body = task?.body as Partial<DesktopTask> | null | undefined
  return body?.game && body.rewrites ? shown(body as DesktopTask) : null
}

function drawnAgain(taskId: string): PlayedTask | null {
  const [, split, seed] = GENERATED_ID.exec(taskId) ?? []
  if (seed === undefined) return null
  const game = generateTask({ seed: Number(seed), split: split as Split })
  // Another version of the generator may draw another task.
  return game.id === taskId ? shown(taskOf(game)) : null
}

const shown = (task: DesktopTask): PlayedTask => ({ ...task, instruction: task.game.instruction })
