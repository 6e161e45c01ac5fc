/** Opens the desktop in the loop's worker. */
import { openDesktop } from '../../src/worlds/desktop/open.ts'
import { OwnTaskLibrary } from '../../src/worlds/desktop/own/task-library.ts'
import type { OpenedWorld, WorldRequest } from '../../src/worlds/world.ts'

export function open(request: WorldRequest): Promise<OpenedWorld> {
  return openDesktop(request, () => new OwnTaskLibrary().list())
}
