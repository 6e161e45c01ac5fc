/** Imports games: reads zips, folders and files, and puts what they hold into the browser's storage. */
import { exposeService } from '../src/engines/worker-bridge.ts'
import { GameImportService } from '../src/games/import-service.ts'
import { IndexedDbGameLibrary } from '../src/games/indexeddb-library.ts'

exposeService(new GameImportService(new IndexedDbGameLibrary()))

export type GamesWorker = GameImportService
