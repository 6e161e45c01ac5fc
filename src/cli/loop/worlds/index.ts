/** How the command line opens each world. */
import type { World } from '../../../method/settings.ts'
import { open as coding } from './coding.ts'
import { open as desktop } from './desktop.ts'
import { open as household } from './household.ts'
import type { OpenWorld } from './open-world.ts'
import { open as own } from './own.ts'

export const OPENERS: Readonly<Record<World, OpenWorld>> = { household, coding, desktop, own }
