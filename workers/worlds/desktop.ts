/** Opens the desktop in the loop's worker. */
import { openDesktop } from '../../src/worlds/desktop/open.ts'
import type { OpenedWorld } from '../../src/worlds/world.ts'

export function open(): Promise<OpenedWorld> {
  return Promise.resolve(openDesktop())
}
