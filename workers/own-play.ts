/** Plays episodes of a world of one's own for the page, in the sandbox. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { OwnPlayService } from '../src/worlds/own/play-service.ts'

exposeService(new OwnPlayService())

export type OwnPlayWorker = OwnPlayService
