/** Opens a world of one's own for the command line, in a thread of its own. */
import { startThread } from '../../../threads/node-threads.ts'
import { connectWorker } from '../../../threads/worker-bridge.ts'
import { openOwn } from '../../../worlds/own/open.ts'
import type { OwnWorldService } from '../../../worlds/own/service.ts'
import { ArgumentError } from '../../arguments.ts'
import { asArgument, readWorldFile } from '../../world-file.ts'
import type { OpenWorld } from './open-world.ts'

/** Throws ArgumentError if the file is no world. */
export const open: OpenWorld = async (_request, path) => {
  if (path === undefined) throw new ArgumentError('world=own needs --world FILE, the file of your world.')
  const module = await readWorldFile(path)
  return asArgument(() =>
    openOwn(module, () =>
      connectWorker<OwnWorldService>(
        startThread(new URL('../../../../workers/own-world.ts', import.meta.url)),
        'world',
      ),
    ),
  )
}
