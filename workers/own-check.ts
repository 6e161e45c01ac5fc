/** Reads and checks the file of a world for the page, in the sandbox. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { OwnCheckService } from '../src/worlds/own/check-service.ts'

exposeService(new OwnCheckService())

export type OwnCheckWorker = OwnCheckService
