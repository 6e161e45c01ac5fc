/** The worlds. Their code is loaded where it is used; here is what they are called and what they measure. */
import type { ShippedWorld, World } from '../method/settings.ts'
import { coding } from './coding/descriptor.ts'
import { desktop } from './desktop/descriptor.ts'
import { household } from './household/descriptor.ts'
import { own } from './own/descriptor.ts'
import type { WorldDescriptor } from './world.ts'

export const WORLDS: Readonly<Record<World, WorldDescriptor>> = { household, coding, desktop, own }
export const WORLD_NAMES = Object.keys(WORLDS) as World[]
export const SHIPPED_WORLDS = WORLD_NAMES.filter(isShippedWorld)

/** Whether it comes with the page, and so do recorded runs of it. */
export function isShippedWorld(world: World): world is ShippedWorld {
  return world !== 'own'
}
