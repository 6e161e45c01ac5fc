import type { OpenedWorld, WorldRequest } from '../../../worlds/world.ts'

/** `path` is where tasks are imported from, or the file of a world of one's own. */
export type OpenWorld = (
  request: WorldRequest,
  path: string | undefined,
  tell: (line: string) => void,
) => Promise<LoopWorld>

export interface LoopWorld extends OpenedWorld {
  /** A hash of the imported tasks, if there are any. */
  importedHash?: string
}
