import type { OpenedWorld, WorldRequest } from '../../../worlds/world.ts'

/** `path` is where tasks are imported from. */
export type OpenWorld = (
  request: WorldRequest,
  path: string | undefined,
  tell: (line: string) => void,
) => Promise<OpenedWorld>
