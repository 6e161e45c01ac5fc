/** Opens the coding world in the loop's worker, with judges in workers of their own. */
import { judgeRestartNotice } from '../../src/threads/errors.ts'
import { connectWorker } from '../../src/threads/worker-bridge.ts'
import { judgesFor } from '../../src/worlds/coding/judge/judge-pool.ts'
import { IndexedDbProblemLibrary } from '../../src/worlds/coding/library/indexeddb-library.ts'
import { openCoding } from '../../src/worlds/coding/open.ts'
import type { OpenedWorld, WorldRequest } from '../../src/worlds/world.ts'
import type { JudgeWorker } from '../judge.ts'

export function open(request: WorldRequest, onNotice: (text: string) => void): Promise<OpenedWorld> {
  return openCoding(request, {
    listProblems: () => new IndexedDbProblemLibrary().problems(),
    judges: judgesFor(navigator.hardwareConcurrency),
    startJudge: () =>
      connectWorker<JudgeWorker>(
        new Worker(new URL('../judge.ts', import.meta.url), { type: 'module', name: 'judge' }),
        'judge',
      ),
    onJudgeLoss: (loss) => onNotice(judgeRestartNotice(loss)),
  })
}
