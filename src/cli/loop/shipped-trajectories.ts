import { readFile } from 'node:fs/promises'
import type { World } from '../../method/settings.ts'
import { trajectoryFile } from '../../sessions/fixed-trajectories.ts'

/** The fixed trajectories that ship with the page, on which a run measures its reward model. */
export function readShippedTrajectories(world: World): Promise<string> {
  return readFile(new URL(`../../../public/${trajectoryFile(world)}`, import.meta.url), 'utf8')
}
