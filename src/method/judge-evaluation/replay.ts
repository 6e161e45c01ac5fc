/** Plays fixed trajectories again: the environment gives their observations, outcomes and true labels. */
import type { EpisodeFinished, EpisodeStep } from '../events.ts'
import type { EnvironmentPort } from '../ports.ts'
import { labelText, type FixedTrajectory } from './fixed-trajectory.ts'

export interface Replayed {
  trajectory: FixedTrajectory
  episode: EpisodeFinished
  /** Indices of the steps whose command the world refused. */
  refused: ReadonlySet<number>
}

/** Throws if a trajectory does not give the outcome and the labels that it was stored with. */
export async function replay(
  environment: Pick<EnvironmentPort, 'reset' | 'step'>,
  trajectories: readonly FixedTrajectory[],
): Promise<Replayed[]> {
  if (trajectories.length === 0) return []
  const idOf = ({ id }: FixedTrajectory) => `fixed/${id}`
  const starts = await environment.reset(
    trajectories.map((trajectory) => ({
      episodeId: idOf(trajectory),
      task: trajectory.task,
      maxSteps: trajectory.maxSteps,
    })),
  )
  const openings = new Map(starts.map(({ episodeId, opening }) => [episodeId, opening]))
  const steps = new Map(trajectories.map((trajectory) => [trajectory, [] as EpisodeStep[]]))
  const won = new Set<FixedTrajectory>()
  const refused = new Map(trajectories.map((trajectory) => [trajectory, new Set<number>()]))
  const longest = Math.max(...trajectories.map((trajectory) => trajectory.steps.length))
  for (let turn = 0; turn < longest; turn++) {
    const running = trajectories.filter((trajectory) => turn < trajectory.steps.length)
    const results = await environment.step(
      running.map((trajectory) => ({ episodeId: idOf(trajectory), command: trajectory.steps[turn]!.command })),
    )
    for (const [index, trajectory] of running.entries()) {
      const result = results[index]
      if (!result || (result.done && turn + 1 < trajectory.steps.length)) throw changed(trajectory, 'ends early')
      const { response, command } = trajectory.steps[turn]!
      const { observation, trueLabel, distance, tests } = result
      if (result.won) won.add(trajectory)
      if (result.accepted === false) refused.get(trajectory)!.add(turn)
      steps.get(trajectory)!.push({
        ...{ response, command, thought: '', observation, trueLabel, distance },
        ...{ tokens: [], logProbs: [], entropies: [] },
        ...(tests && { tests }),
      })
    }
  }
  return trajectories.map((trajectory) => {
    const episode: EpisodeFinished = {
      type: 'episode',
      episodeId: idOf(trajectory),
      taskId: trajectory.task.id,
      split: trajectory.split,
      rollout: 0,
      policyVersion: 0,
      instruction: trajectory.task.instruction,
      opening: openings.get(idOf(trajectory)) ?? '',
      steps: steps.get(trajectory)!,
      outcome: won.has(trajectory) ? 1 : -1,
    }
    if (episode.outcome !== trajectory.outcome) throw changed(trajectory, `has the outcome ${episode.outcome}`)
    const labels = labelText(episode.steps.map(({ trueLabel }) => trueLabel))
    if (labels !== trajectory.labels) throw changed(trajectory, `has the labels ${labels}`)
    return { trajectory, episode, refused: refused.get(trajectory)! }
  })
}

function changed({ id, outcome, labels }: FixedTrajectory, what: string): Error {
  return new Error(
    `The fixed trajectory ${id} ${what} when it is played again; it was stored with the outcome ${outcome} and the labels ` +
      `${labels}. It belongs to another version of the world: make the file again with npm run pretrain -- --trajectories, ` +
      'or set judgeTasks to 0.',
  )
}
