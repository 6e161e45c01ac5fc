/**
 * Plays the fixed trajectories of a world (worlds/stored-trajectories.ts): every policy plays the same tasks, at the training
 * temperature. Depends only on the policies and the seed.
 */
import { labelText, STRENGTHS, type Strength } from '../method/judge-evaluation/fixed-trajectory.ts'
import type { EnvironmentPort, LanguageModelPort, RoleFormats, Task } from '../method/ports.ts'
import { rollOut } from '../method/rollout.ts'
import type { StoredTask } from '../worlds/stored-trajectories.ts'
import { lastOf } from './measure-roles.ts'

export interface TrajectoryWorld {
  world: string
  maxSteps: number
  /** Tasks of each split. */
  tasks: number
  /** Trajectories of each policy in each task. Equal ones are stored once. */
  rollouts: number
  environment: EnvironmentPort
  formats: RoleFormats
  taskOf(stored: Pick<StoredTask, 'split' | 'seed'>): Task
  /** Whether a task's trajectories can measure anything; otherwise the next task takes its place. */
  isUseful(trajectories: StoredTask['trajectories']): boolean
}

export interface PlayingPolicy {
  model: LanguageModelPort
  temperature: number
}

const FIRST_SEED = 700_000
/** Useless tasks for each useful one, before giving up. */
const PATIENCE = 20

/** Throws if too few tasks are useful. */
export async function playTrajectories(
  world: TrajectoryWorld,
  policies: Readonly<Record<Strength, PlayingPolicy>>,
  seed: number,
): Promise<StoredTask[]> {
  const stored: StoredTask[] = []
  for (const split of ['id', 'ood'] as const) {
    const useful: StoredTask[] = []
    for (let first = 0; useful.length < world.tasks; first += world.tasks) {
      if (first >= PATIENCE * world.tasks) {
        throw new Error(
          `Only ${useful.length} of ${first} tasks of the split ${split} can measure a reward model. ` +
            'Give policies of other strengths: tasks need correct and wrong programs.',
        )
      }
      const seeds = Array.from({ length: world.tasks }, (_, index) => FIRST_SEED + first + index)
      const batch = seeds.map((taskSeed) => ({ split, seed: taskSeed, trajectories: [] as StoredTask['trajectories'] }))
      for (const strength of STRENGTHS) await play(world, batch, strength, policies[strength], seed)
      useful.push(...batch.filter(({ trajectories }) => world.isUseful(trajectories)))
    }
    stored.push(...useful.slice(0, world.tasks))
  }
  return stored
}

/** Adds the trajectories of one policy to every task of the batch. */
async function play(
  { environment, formats, maxSteps, rollouts, taskOf }: TrajectoryWorld,
  batch: readonly StoredTask[],
  strength: Strength,
  { model, temperature }: PlayingPolicy,
  seed: number,
): Promise<void> {
  const requests = batch.flatMap(({ split, seed: taskSeed }) => {
    const task = taskOf({ split, seed: taskSeed })
    return Array.from({ length: rollouts }, (_, rollout) => {
      return { episodeId: `${task.id}/${strength}/${rollout}`, task, split, rollout }
    })
  })
  const options = { maxSteps, temperature, topP: 1, policyVersion: 0, seed, showSteps: false }
  const played = await lastOf(rollOut({ policy: model, environment, formats }, requests, options))
  for (const [index, { episode }] of played.entries()) {
    const { trajectories } = batch[Math.floor(index / rollouts)]!
    const responses = episode.steps.map(({ response }) => response)
    if (trajectories.some((other) => other.responses.join('\0') === responses.join('\0'))) continue
    const labels = labelText(episode.steps.map(({ trueLabel }) => trueLabel))
    trajectories.push({ strength, outcome: episode.outcome, labels, responses })
  }
}
