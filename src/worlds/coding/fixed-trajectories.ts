/** The coding world's fixed programs, for generated problems. A run with imported problems is measured on them, too. */
import type { FixedTrajectory } from '../../method/judge-evaluation/fixed-trajectory.ts'
import { readTrajectories } from '../stored-trajectories.ts'
import { generateTask } from './problems/generator.ts'
import { codingFormats } from './roles/plain-roles.ts'

/** Throws TrajectoryFileError. */
export function codingTrajectories(text: string): FixedTrajectory[] {
  return readTrajectories(text, {
    world: 'coding',
    taskOf: generateTask,
    commandOf: (response) => codingFormats.policy.parse(response).command,
  })
}
