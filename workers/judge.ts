/** Judges programs that nobody has read, with limits of its own; whoever waits for it ends it if it hangs. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { Judge } from '../src/worlds/coding/judge/judge.ts'

exposeService(new Judge())

export type JudgeWorker = Judge
