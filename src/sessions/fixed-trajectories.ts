/** Loads the trajectories on which a run measures its reward model. */
import type { FixedTrajectory } from '../method/judge-evaluation/fixed-trajectory.ts'
import type { Settings } from '../method/settings.ts'
import type { OpenedWorld } from '../worlds/world.ts'
import { errorText } from '../threads/error-text.ts'

/** Where a world's file is, from the folder of the page. */
export function trajectoryFile(world: Settings['world']): string {
  return `trajectories/${world}.json`
}

/** None, with a notice, if the file cannot be read: the run itself does not need them. `read` gives the file's text. */
export async function loadFixedTrajectories(
  settings: Settings,
  world: Pick<OpenedWorld, 'fixedTrajectories'>,
  read: () => Promise<string>,
  onNotice: (text: string) => void,
): Promise<FixedTrajectory[]> {
  if (settings.judgeTasks === 0) return []
  try {
    return await world.fixedTrajectories(await read())
  } catch (error) {
    const why = errorText(error)
    onNotice(`The reward model is not measured on fixed trajectories: ${why}`)
    return []
  }
}
