/** Opens a world of one's own in the loop's worker, with the world in a worker of its own. */
import { connectWorker } from '../../src/threads/worker-bridge.ts'
import { NoWorldFileError } from '../../src/worlds/own/error.ts'
import { openOwn } from '../../src/worlds/own/open.ts'
import type { OpenedWorld, WorldRequest } from '../../src/worlds/world.ts'
import type { OwnWorldWorker } from '../own-world.ts'

/** Throws OwnWorldError and NoWorldFileError. */
export async function open({ worldFile }: WorldRequest): Promise<OpenedWorld> {
  if (!worldFile) throw new NoWorldFileError()
  return openOwn(worldFile, () =>
    connectWorker<OwnWorldWorker>(
      new Worker(new URL('../own-world.ts', import.meta.url), { type: 'module', name: 'own-world' }),
      'own-world',
    ),
  )
}
