/** Imports problems: reads files of them and puts what they hold into the browser's storage. */
import { exposeService } from '../src/engines/worker-bridge.ts'
import { ProblemImportService } from '../src/problems/import-service.ts'
import { IndexedDbProblemLibrary } from '../src/problems/indexeddb-library.ts'

exposeService(new ProblemImportService(new IndexedDbProblemLibrary()))

export type ProblemsWorker = ProblemImportService
