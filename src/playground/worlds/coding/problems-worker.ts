/** Opens the worker that imports problems. It ends with the import. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { ProblemsWorker } from '../../../../workers/problems.ts'

export type OpenProblemImporter = () => Bridge<ProblemsWorker>

export const openProblemsWorker: OpenProblemImporter = () =>
  connectWorker<ProblemsWorker>(
    new Worker(new URL('../../../../workers/problems.ts', import.meta.url), { type: 'module', name: 'problems' }),
    'problems',
  )
