/** Judges untrusted programs within limits; the caller terminates the worker if it hangs. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { Judge } from '../src/worlds/coding/judge/judge.ts'

exposeService(new Judge())

export type JudgeWorker = Judge
