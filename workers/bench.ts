/** Measures our engine's speed on this machine. Terminating the worker cancels a suite at once. */
import { BenchService } from '../src/bench/tab.ts'
import { shippedModel } from '../src/roles/shipped-models.ts'
import { SupervisedJudge } from '../src/worlds/coding/judge/supervised-judge.ts'
import { connectWorker, exposeService } from '../src/threads/worker-bridge.ts'
import { urlReader } from '../src/language-model/files/model-folder.ts'
import type { JudgeWorker } from './judge.ts'

const startJudgeWorker = () =>
  connectWorker<JudgeWorker>(
    new Worker(new URL('./judge.ts', import.meta.url), { type: 'module', name: 'judge' }),
    'judge',
  )

const service = new BenchService({
  // Models are beside the page, and this worker is one folder below it, in the sources and in the build.
  readModel: (role) => urlReader(new URL(`../models/${shippedModel('household', role)}`, self.location.href).href),
  startJudge() {
    const judge = new SupervisedJudge({ startWorker: startJudgeWorker })
    return { judge, close: () => judge.close() }
  },
})

exposeService(service)

export type BenchWorker = BenchService
