/** The task of an episode, with the file of the world that the log contains. */
import type { EpisodeFinished, WorldFile } from '../../../method/events.ts'
import type { RunView } from '../../../runs/fold.ts'
import type { OwnMoment, LoggedTask } from '../../../worlds/own/play-service.ts'
import type { Replay } from '../theatre/replay.ts'
import type { OwnPlayer } from './own-player.ts'

export interface PlayedTask extends LoggedTask {
  instruction: string
  world: WorldFile
}

/** Null for a log without the file of its world. */
export function playedTask(view: RunView, taskId: string): PlayedTask | null {
  const world = view.started?.worldFile
  if (!world) return null
  const task = view.tasks.get(taskId)?.task
  return { world, id: taskId, body: task?.body ?? null, instruction: task?.instruction ?? '' }
}

/** Null if the log does not determine the task. Throws OwnWorldError. */
export async function replay(
  player: OwnPlayer,
  task: PlayedTask,
  { steps }: Pick<EpisodeFinished, 'steps'>,
): Promise<Replay<OwnMoment> | null> {
  const moments = await player.play(
    task.world,
    task,
    steps.map(({ command }) => command),
  )
  if (moments === null) return null
  const differences = [...steps.keys()].filter((at) => steps[at]!.observation.trim() !== moments[at + 1]!.text.trim())
  return { moments, differences }
}
