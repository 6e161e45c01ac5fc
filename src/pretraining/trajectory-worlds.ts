/** What is played for the fixed trajectories of each world: enough to tell judges apart, in a file of less than 100 kB. */
import type { ShippedWorld } from '../method/settings.ts'
import { HouseholdEnvironment, portTask } from '../worlds/household/environment.ts'
import { generatedGames } from '../worlds/household/game-source.ts'
import { generateGame } from '../worlds/household/generator/generate-game.ts'
import { householdFormats } from '../worlds/household/roles/plain-roles.ts'
import { taskOf } from '../worlds/household/task.ts'
import { generateTask as generateProblem } from '../worlds/coding/problems/generator.ts'
import { codingFormats } from '../worlds/coding/roles/plain-roles.ts'
import { DesktopEnvironment } from '../worlds/desktop/environment.ts'
import { generateTask } from '../worlds/desktop/generator/generate-task.ts'
import { desktopFormats } from '../worlds/desktop/roles/plain-roles.ts'
import { portTask as portDesktopTask } from '../worlds/desktop/task-source.ts'
import { taskOf as desktopTaskOf } from '../worlds/desktop/task.ts'
import { codingEnvironmentHere } from './coding/measure.ts'
import type { TrajectoryWorld } from './fixed-trajectories.ts'

export const TRAJECTORY_WORLDS: Readonly<Record<ShippedWorld, () => TrajectoryWorld>> = {
  household: () => ({
    world: 'household',
    maxSteps: 20,
    tasks: 10,
    rollouts: 1,
    environment: new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }),
    formats: householdFormats,
    taskOf: ({ split, seed }) => portTask(taskOf(generateGame({ seed, split, sceneSize: 'compact' }))),
    isUseful: () => true,
  }),
  coding: () => ({
    world: 'coding',
    maxSteps: 1,
    tasks: 16,
    rollouts: 3,
    environment: codingEnvironmentHere(),
    formats: codingFormats,
    taskOf: generateProblem,
    // UT needs a right program, and Detect a wrong one as well.
    isUseful: (trajectories) => new Set(trajectories.map(({ outcome }) => outcome)).size === 2,
  }),
  desktop: () => ({
    world: 'desktop',
    maxSteps: 20,
    tasks: 20,
    rollouts: 1,
    environment: new DesktopEnvironment(),
    formats: desktopFormats,
    taskOf: (stored) => portDesktopTask(desktopTaskOf(generateTask(stored))),
    isUseful: () => true,
  }),
}
