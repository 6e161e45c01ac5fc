/** A run on tasks that a person made: it trains on them, and is evaluated on generated ones. */
import type { Split, Task } from '../../../method/ports.ts'
import { seededRandom, shuffled } from '../../random.ts'
import type { DesktopGame } from '../engine/game.ts'
import { taskOf } from '../task.ts'
import { portTask, sampleTasks } from '../task-source.ts'

/** The run would train on tasks of one's own, and there are none. */
export class NoTasksError extends Error {
  override readonly name = 'NoTasksError'
}

/** Draws without replacement. The seed and the tasks determine the draw. */
export function ownTasks(games: readonly DesktopGame[]) {
  const inOrder = games.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return (split: Split, count: number, seed: number): Task[] =>
    split === 'train'
      ? shuffled(seededRandom('own tasks', seed), inOrder)
          .slice(0, count)
          .map((game) => portTask(taskOf(game)))
      : sampleTasks(split, count, seed)
}
