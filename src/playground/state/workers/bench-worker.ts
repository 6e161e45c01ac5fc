/** Opens a worker for measurements. Each suite gets its own, so that none depends on another. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { BenchWorker } from '../../../../workers/bench.ts'

export type OpenBench = () => Bridge<BenchWorker>

export const openBenchWorker: OpenBench = () =>
  connectWorker<BenchWorker>(
    new Worker(new URL('../../../../workers/bench.ts', import.meta.url), { type: 'module', name: 'bench' }),
    'bench',
  )
