/** The desktop's tasks that policies play for the reward model: of every template. */
import type { DesktopGame } from '../../worlds/desktop/engine/game.ts'
import { DesktopEnvironment } from '../../worlds/desktop/environment.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { portTask } from '../../worlds/desktop/task-source.ts'
import { taskOf } from '../../worlds/desktop/task.ts'
import type { PlayedWorld } from '../played-games.ts'
import { trainingTask } from './corpus.ts'

export const PLAYED_DESKTOP: PlayedWorld<DesktopGame> = {
  gameOf: (seed) => trainingTask(seed),
  environmentOf: (games) => new DesktopEnvironment({ tasks: () => games.map((game) => portTask(taskOf(game))) }),
  formats: desktopFormats,
}
