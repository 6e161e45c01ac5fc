/**
 * The file of a world's fixed trajectories (method/judge-evaluation). It holds what generates each task and what three policies
 * wrote in it; replaying that in the environment gives the rest. `npm run pretrain -- --trajectories` writes it.
 *
 *     {"format": "rlanything-trajectories", "version": 1, "world": "household", "maxSteps": 20, "tasks": [
 *       {"split": "id", "seed": 7, "trajectories": [
 *         {"strength": "weak", "outcome": -1, "labels": "+-", "responses": [" search: go to desk 1", ...]}, ...]}, ...]}
 */
import * as v from 'valibot'
import { STRENGTHS, type FixedTrajectory } from '../method/judge-evaluation/fixed-trajectory.ts'
import type { Task } from '../method/ports.ts'

const Stored = v.object({
  format: v.literal('rlanything-trajectories'),
  version: v.literal(1),
  world: v.string(),
  maxSteps: v.pipe(v.number(), v.integer(), v.minValue(1)),
  tasks: v.array(
    v.object({
      split: v.picklist(['id', 'ood']),
      seed: v.pipe(v.number(), v.integer()),
      trajectories: v.array(
        v.object({
          strength: v.picklist(STRENGTHS),
          outcome: v.picklist([1, -1]),
          labels: v.pipe(v.string(), v.regex(/^[+-]+$/)),
          responses: v.pipe(v.array(v.string()), v.minLength(1)),
        }),
      ),
    }),
  ),
})
export type StoredTrajectories = v.InferOutput<typeof Stored>
export type StoredTask = StoredTrajectories['tasks'][number]

export class TrajectoryFileError extends Error {
  override readonly name = 'TrajectoryFileError'
}

interface Reading {
  world: string
  taskOf(stored: Pick<StoredTask, 'split' | 'seed'>): Task
  /** The response as the run's environment understands it; unchanged by default. */
  responseOf?: (response: string) => string
  commandOf(response: string): string
}

/** In the order of the file. Throws TrajectoryFileError. */
export function readTrajectories(text: string, { world, taskOf, responseOf, commandOf }: Reading): FixedTrajectory[] {
  const { tasks, maxSteps } = parsed(text, world)
  return tasks.flatMap(({ split, seed, trajectories }, place) => {
    const task = taskOf({ split, seed })
    return trajectories.map(({ strength, outcome, labels, responses }, index) => ({
      ...{ id: `${split}-${place + 1}-${strength}-${index + 1}`, split, strength, task, maxSteps, outcome, labels },
      steps: responses.map((stored) => {
        const response = responseOf?.(stored) ?? stored
        return { response, command: commandOf(response) }
      }),
    }))
  })
}

/** One task a line, so that a change of the file can be read. */
export function writeTrajectories({
  world,
  maxSteps,
  tasks,
}: Pick<StoredTrajectories, 'world' | 'maxSteps' | 'tasks'>): string {
  const head = JSON.stringify({ format: 'rlanything-trajectories', version: 1, world, maxSteps })
  return `${head.slice(0, -1)},"tasks":[\n${tasks.map((task) => JSON.stringify(task)).join(',\n')}\n]}\n`
}

function parsed(text: string, world: string): StoredTrajectories {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new TrajectoryFileError(`The file of fixed trajectories is not JSON. ${REMEDY}`, { cause })
  }
  const result = v.safeParse(Stored, json)
  if (!result.success) {
    const [issue] = result.issues
    throw new TrajectoryFileError(
      `In the file of fixed trajectories, ${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}. ${REMEDY}`,
    )
  }
  if (result.output.world === world) return result.output
  throw new TrajectoryFileError(
    `The fixed trajectories are of the world ${result.output.world}, not ${world}. ${REMEDY}`,
  )
}

const REMEDY = 'Make it again with npm run pretrain -- --trajectories.'
