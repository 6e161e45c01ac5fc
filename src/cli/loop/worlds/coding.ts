/** Opens the coding world for the command line, with judges in threads of their own. */
import { availableParallelism } from 'node:os'
import { judgeRestartNotice } from '../../../threads/errors.ts'
import { startThread } from '../../../threads/node-threads.ts'
import { connectWorker } from '../../../threads/worker-bridge.ts'
import type { Judge } from '../../../worlds/coding/judge/judge.ts'
import { judgesFor } from '../../../worlds/coding/judge/judge-pool.ts'
import { openCoding } from '../../../worlds/coding/open.ts'
import { NoProblemsError } from '../../../worlds/coding/problem-source.ts'
import { ArgumentError } from '../../arguments.ts'
import { importProblems } from '../import-problems.ts'
import { contentHash } from '../inputs.ts'
import type { OpenWorld } from './open-world.ts'

/** Throws ArgumentError if there is no problem to import, or none to train on. */
export const open: OpenWorld = async (request, path, tell) => {
  try {
    const problems = path === undefined ? [] : await importProblems(path, tell)
    const world = await openCoding(request, {
      listProblems: async () => problems,
      judges: judgesFor(availableParallelism()),
      startJudge: () =>
        connectWorker<Judge>(startThread(new URL('../../../../workers/judge.ts', import.meta.url)), 'judge'),
      onJudgeLoss: (loss) => tell(judgeRestartNotice(loss)),
    })
    return { ...world, ...(path !== undefined && { importedHash: contentHash(problems) }) }
  } catch (error) {
    if (!(error instanceof NoProblemsError)) throw error
    throw new ArgumentError(`--problems: ${error.message}`, { cause: error })
  }
}
