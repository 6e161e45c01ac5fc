/** Imports games: reads zips, folders and files, and puts what they hold into the browser's storage. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { GameImportService } from '../src/worlds/household/library/import-service.ts'
import { IndexedDbGameLibrary } from '../src/worlds/household/library/indexeddb-library.ts'

exposeService(new GameImportService(new IndexedDbGameLibrary()))

export type GamesWorker = GameImportService
