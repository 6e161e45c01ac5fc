/** Opens the household for the command line, with its environment in this thread. */
import { createEnvironment } from '../../../worlds/household/create-environment.ts'
import { householdTrajectories } from '../../../worlds/household/fixed-trajectories.ts'
import { openHousehold } from '../../../worlds/household/open.ts'
import type { OpenWorld } from './open-world.ts'
import { importLibrary } from '../import-library.ts'

/** Throws ArgumentError if there is no game to import. */
export const open: OpenWorld = (request, path, tell) =>
  openHousehold(request, async ({ settings }) => {
    const library = path === undefined ? null : await importLibrary(path, tell)
    return {
      environment: createEnvironment(settings, library),
      fixedTrajectories: async (text) => householdTrajectories(text, settings.dialect),
      close() {},
    }
  })
