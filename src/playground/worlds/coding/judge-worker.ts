/** Opens the worker that judges programs. It fetches its engine with the first program. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { JudgeWorker } from '../../../../workers/judge.ts'

export type OpenJudge = () => Bridge<JudgeWorker>

export const openJudgeWorker: OpenJudge = () =>
  connectWorker<JudgeWorker>(
    new Worker(new URL('../../../../workers/judge.ts', import.meta.url), { type: 'module', name: 'judge' }),
    'judge',
  )
