/** The judge suite in Node, with its worker in a thread. */
import { judgeSuite } from '../../bench/judge.ts'
import type { Suite } from '../../bench/suite.ts'
import { startThread } from '../../threads/node-threads.ts'
import { SupervisedJudge } from '../../worlds/coding/judge/supervised-judge.ts'
import { connectWorker } from '../../threads/worker-bridge.ts'
import type { JudgeWorker } from '../../../workers/judge.ts'
import { cpuClock } from './cpu-clock.ts'

const ENTRY = new URL('../../../workers/judge.ts', import.meta.url)

export function startJudgeInThread() {
  const judge = new SupervisedJudge({ startWorker: () => connectWorker<JudgeWorker>(startThread(ENTRY), 'judge') })
  return { judge, close: () => judge.close() }
}

export function judgeSuiteInNode(): Suite {
  return judgeSuite({
    clock: cpuClock,
    repetitions: 5,
    durationMs: 400,
    startJudge: startJudgeInThread,
  })
}
