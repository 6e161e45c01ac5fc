/**
 * The household's fixed trajectories: compact games with the commands of ALFWorld 0.4 and later. They can be replayed in every
 * household, because a task holds its whole game; for a run with the earlier commands, moves are written in these.
 */
import type { FixedTrajectory } from '../../method/judge-evaluation/fixed-trajectory.ts'
import { readTrajectories } from '../stored-trajectories.ts'
import type { Dialect } from './engine/state.ts'
import { portTask } from './environment.ts'
import { generateGame } from './generator/generate-game.ts'
import { householdFormats } from './roles/plain-roles.ts'
import { taskOf } from './task.ts'

/** Throws TrajectoryFileError. */
export function householdTrajectories(text: string, dialect: Dialect): FixedTrajectory[] {
  return readTrajectories(text, {
    world: 'household',
    taskOf: ({ split, seed }) => portTask(taskOf(generateGame({ seed, split, sceneSize: 'compact' }))),
    ...(dialect === 'v1' && { responseOf: inEarlierCommands }),
    commandOf: (response) => householdFormats.policy.parse(response).command,
  })
}

function inEarlierCommands(response: string): string {
  return response.replace(/: move (.+) to (.+)$/, ': put $1 in/on $2')
}
