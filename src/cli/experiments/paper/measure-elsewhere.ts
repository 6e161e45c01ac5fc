/** Measures the models of a finished run in another world: by a run of no iterations there, which is evaluated before it learns. */
import { isLogged } from '../../../method/events.ts'
import { runLoop } from '../../../method/loop.ts'
import { forRoles, ROLES, type Role } from '../../../method/ports.ts'
import type { ChatPieces } from '../../../method/chat-pieces.ts'
import { loadFixedTrajectories } from '../../../sessions/fixed-trajectories.ts'
import { loopPorts } from '../../../sessions/loop-ports.ts'
import type { Players } from '../../../sessions/open-players.ts'
import { readShippedTrajectories } from '../../loop/shipped-trajectories.ts'
import { OPENERS } from '../../loop/worlds/index.ts'
import type { Place } from './jobs.ts'
import { RunMeasurer } from './measure-run.ts'

/** Metrics of the evaluation. Throws Error if the fixed trajectories cannot be read. */
export async function measureElsewhere(
  { preset, settings }: Place,
  players: Players,
  tell: (line: string) => void,
): Promise<Record<string, number>> {
  const world = await OPENERS[settings.world]({ settings, isResumed: false }, undefined, tell)
  try {
    const pieces = new Map<Role, ChatPieces | null>()
    for (const role of ROLES) pieces.set(role, await players[role].chatPieces())
    const formats = await world.formatsFor(forRoles((role) => pieces.get(role)!))
    const read = () => readShippedTrajectories(settings.world)
    const fixedTrajectories = await loadFixedTrajectories(settings, world, read, (why) => {
      throw new Error(why)
    })
    const events = runLoop(loopPorts({ ...players, formats }, world), {
      runId: preset,
      preset,
      backend: players.backend,
      models: players.names,
      // No task of the pool is played.
      settings: { ...settings, taskPoolSize: settings.tasksPerIteration },
      iterations: 0,
      fixedTrajectories,
    })
    const measurer = new RunMeasurer()
    for await (const event of events) if (isLogged(event)) measurer.take(event)
    return measurer.result().evaluations[0]?.values ?? {}
  } finally {
    world.close()
  }
}
