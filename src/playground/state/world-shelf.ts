/** What a person has imported for one world, such as games or problems. Each world implements its own shelf. */
import type { WorldFile } from '../../method/events.ts'
import type { Role } from '../../method/ports.ts'
import type { World } from '../../method/settings.ts'
import type { RoleSource } from '../../roles/source.ts'
import type { PickedFile } from '../../storage/dropped-files.ts'

export interface WorldShelf {
  /** Lists what this browser keeps. */
  look(): Promise<void>
  /** Whether a run can train on it. */
  readonly areThere: boolean
  /** Imports dropped files: texts that belong to this world, and other files, which may be in folders. False if there were none. */
  takeDropped(texts: readonly File[], others: AsyncGenerator<PickedFile> | null): Promise<boolean>
  /** What a run of this world takes from the shelf; undefined if that is nothing. */
  readonly supplies?: WorldSupplies | undefined
  /** What became of the last import, for a page that shows another world. */
  readonly news: ShelfNews
}

export interface WorldSupplies {
  worldFile: WorldFile
  /** Models that play for the built-in ones, as far as there are any. */
  models: Partial<Record<Role, RoleSource>>
}

export interface ShelfNews {
  failures: readonly { what: string; why: string; remedy: string }[]
  /** Sentences. */
  imports: readonly string[]
}

export type WorldShelves = Readonly<Record<World, WorldShelf>>
