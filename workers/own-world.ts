/** A world of one's own, in the sandbox: draws tasks, steps episodes, and applies the author's rewrites. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { OwnWorldService } from '../src/worlds/own/service.ts'

exposeService(new OwnWorldService())

export type OwnWorldWorker = OwnWorldService
