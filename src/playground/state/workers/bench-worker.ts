/** Opens a worker that measures. Each suite has one of its own, so that none finds what another has left behind. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { BenchWorker } from '../../../../workers/bench.ts'

export type OpenBench = () => Bridge<BenchWorker>

export const openBenchWorker: OpenBench = () =>
  connectWorker<BenchWorker>(
    new Worker(new URL('../../../../workers/bench.ts', import.meta.url), { type: 'module', name: 'bench' }),
    'bench',
  )
