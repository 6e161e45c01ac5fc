/** Opens the household for the command line, with its environment in this thread. */
import { createEnvironment } from '../../../worlds/household/create-environment.ts'
import { householdTrajectories } from '../../../worlds/household/fixed-trajectories.ts'
import { openHousehold } from '../../../worlds/household/open.ts'
import type { OpenWorld } from './open-world.ts'
import { importLibrary } from '../import-library.ts'

/** Throws ArgumentError if there is no game to import. */
export const open: OpenWorld = async (request, path, tell) => {
  const imported = path === undefined ? null : await importLibrary(path, tell)
  const world = await openHousehold(request, async ({ settings }) => ({
    environment: createEnvironment(settings, imported?.library ?? null),
    fixedTrajectories: async (text) => householdTrajectories(text, settings.dialect),
    close() {},
  }))
  return { ...world, ...(imported && { importedHash: imported.hash }) }
}
