/** Opens the worker that reads the kept runs. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { RunsWorker } from '../../../../workers/runs.ts'

export type OpenRunLibrary = () => Bridge<RunsWorker>

export const openRunsWorker: OpenRunLibrary = () =>
  connectWorker<RunsWorker>(
    new Worker(new URL('../../../../workers/runs.ts', import.meta.url), { type: 'module', name: 'runs' }),
    'runs',
  )
