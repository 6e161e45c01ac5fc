/** What a person has imported for one world, such as games or problems. Each world implements its own shelf. */
import type { World } from '../../method/settings.ts'

export interface WorldShelf {
  /** Lists what this browser keeps. */
  look(): Promise<void>
  /** Whether a run can train on it. */
  readonly areThere: boolean
}

export type WorldShelves = Readonly<Record<World, WorldShelf>>
