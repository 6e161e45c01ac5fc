/** Opens the worker that imports games. It ends with the import. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { GamesWorker } from '../../../../workers/games.ts'

export type OpenImporter = () => Bridge<GamesWorker>

export const openGamesWorker: OpenImporter = () =>
  connectWorker<GamesWorker>(
    new Worker(new URL('../../../../workers/games.ts', import.meta.url), { type: 'module', name: 'games' }),
    'games',
  )
