/** Imports games from zips, folders and files into the browser's storage. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { GameImportService } from '../src/worlds/household/library/import-service.ts'
import { IndexedDbGameLibrary } from '../src/worlds/household/library/indexeddb-library.ts'

exposeService(new GameImportService(new IndexedDbGameLibrary()))

export type GamesWorker = GameImportService
