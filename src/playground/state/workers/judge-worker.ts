/** Opens the worker that judges programs; it fetches its engine when the first program comes. */
import { connectWorker, type Bridge } from '../../../threads/worker-bridge.ts'
import type { JudgeWorker } from '../../../../workers/judge.ts'

export type OpenJudge = () => Bridge<JudgeWorker>

export const openJudgeWorker: OpenJudge = () =>
  connectWorker<JudgeWorker>(
    new Worker(new URL('../../../../workers/judge.ts', import.meta.url), { type: 'module', name: 'judge' }),
    'judge',
  )
