/**
 * The task of an episode. A published log has no games: a generated one is drawn again from the seed in its id, and the author's
 * rewrites are applied again from the log.
 */
import type { RunView } from '../../../runs/fold.ts'
import type { Settings } from '../../../method/settings.ts'
import type { Split, Task } from '../../../method/ports.ts'
import type { SceneSize } from '../../../worlds/household/engine/game.ts'
import { generateGame } from '../../../worlds/household/generator/generate-game.ts'
import { applyRewrite } from '../../../worlds/household/rewrites/apply.ts'
import { parseRewrite } from '../../../worlds/household/rewrites/language.ts'
import { taskOf, type HouseholdTask } from '../../../worlds/household/task.ts'
import { taskOfLog } from '../theatre/task-of-log.ts'

const GENERATED_ID = /\/(train|id|ood)-(compact|full)-(\d+)$/u

/** Null if the log does not determine it. */
export function playedTask(view: RunView, taskId: string, settings: Settings): HouseholdTask | null {
  return taskOfLog(view, taskId, {
    inLog: householdTask,
    drawnAgain,
    rewritten(before, line, id) {
      const rewrite = parseRewrite(line)
      const after = rewrite && applyRewrite(before, rewrite, id, { stepLimit: settings.maxSteps, allowsIdGoals: true })
      return after?.ok ? after.task : null
    },
  })
}

/** Null for a task that the log left out. */
export function householdTask(task: Task | null): HouseholdTask | null {
  const body = task?.body as Partial<HouseholdTask> | null | undefined
  return body?.game && body.rewrites && body.goal && body.hints ? (body as HouseholdTask) : null
}

function drawnAgain(taskId: string): HouseholdTask | null {
  const [, split, sceneSize, seed] = GENERATED_ID.exec(taskId) ?? []
  if (seed === undefined) return null
  const game = generateGame({ seed: Number(seed), split: split as Split, sceneSize: sceneSize as SceneSize })
  // Another version of the generator may draw another game.
  return game.id === taskId ? taskOf(game) : null
}
