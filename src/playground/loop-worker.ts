/** Opens the worker that runs the loop. */
import type { SessionListener, SessionPort } from './session-port.ts'

export function openLoopWorker(_listener: SessionListener): SessionPort {
  throw new Error('This build has no loop worker yet.')
}
