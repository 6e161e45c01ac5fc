/** Opens the world of a run in the loop's worker. Only the code of that world is loaded. */
import type { World } from '../../src/method/settings.ts'
import { openingError } from '../../src/sessions/opening-failure.ts'
import type { OpenedWorld, WorldRequest } from '../../src/worlds/world.ts'

type Open = (request: WorldRequest, onNotice: (text: string) => void) => Promise<OpenedWorld>

const OPENERS: Readonly<Record<World, () => Promise<{ open: Open }>>> = {
  household: () => import('./household.ts'),
  coding: () => import('./coding.ts'),
  desktop: () => import('./desktop.ts'),
  own: () => import('./own.ts'),
}

/** Throws OpeningError. */
export async function openWorld(request: WorldRequest, onNotice: (text: string) => void): Promise<OpenedWorld> {
  try {
    const { open } = await OPENERS[request.settings.world]()
    return await open(request, onNotice)
  } catch (cause) {
    throw openingError(request, cause)
  }
}
