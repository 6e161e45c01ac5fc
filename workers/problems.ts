/** Imports problems from files into the browser's storage. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { ProblemImportService } from '../src/worlds/coding/library/import-service.ts'
import { IndexedDbProblemLibrary } from '../src/worlds/coding/library/indexeddb-library.ts'

exposeService(new ProblemImportService(new IndexedDbProblemLibrary()))

export type ProblemsWorker = ProblemImportService
