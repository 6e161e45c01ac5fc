/** The desktop's fixed trajectories, in generated tasks. */
import type { FixedTrajectory } from '../../method/judge-evaluation/fixed-trajectory.ts'
import { readTrajectories } from '../stored-trajectories.ts'
import { generateTask } from './generator/generate-task.ts'
import { desktopFormats } from './roles/plain-roles.ts'
import { portTask } from './task-source.ts'
import { taskOf } from './task.ts'

/** Throws TrajectoryFileError. */
export function desktopTrajectories(text: string): FixedTrajectory[] {
  return readTrajectories(text, {
    world: 'desktop',
    taskOf: (stored) => portTask(taskOf(generateTask(stored))),
    commandOf: (response) => desktopFormats.policy.parse(response).command,
  })
}
