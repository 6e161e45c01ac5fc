/** What each world adds to the page. */
import type { World } from '../../method/settings.ts'
import type { WorldShelves } from '../state/world-shelf.ts'
import { codingPage } from './coding/page.ts'
import { desktopPage } from './desktop/page.ts'
import { householdPage } from './household/page.ts'
import { ownPage } from './own/page.ts'
import type { WorldPage } from './world-page.ts'

export const WORLD_PAGES: Readonly<Record<World, WorldPage>> = {
  household: householdPage,
  coding: codingPage,
  desktop: desktopPage,
  own: ownPage,
}

/** To be called while the page is created. */
export function createShelves(): WorldShelves {
  const shelves = Object.entries(WORLD_PAGES).map(([world, page]) => [world, page.createShelf()])
  return Object.fromEntries(shelves) as WorldShelves
}
