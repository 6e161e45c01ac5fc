/** Opens the worker that runs the loop in this tab. */
import { connectWorker } from '../../../threads/worker-bridge.ts'
import type { LoopWorker } from '../../../../workers/loop.ts'
import type { OpenSession } from '../session-port.ts'

export const openLoopWorker: OpenSession = (onMessage, onLost) => {
  const worker = new Worker(new URL('../../../../workers/loop.ts', import.meta.url), { type: 'module', name: 'loop' })
  const bridge = connectWorker<LoopWorker>(worker, 'loop')
  void bridge.lost.then((error) => onLost(error.message))
  // Pending for as long as the worker lives; that it died is told by `lost`.
  bridge.remote.listen(onMessage).catch(() => {})
  return bridge.remote
}
