/** Opens the worker that runs the loop in this tab. */
import { connectWorker } from '../../../threads/worker-bridge.ts'
import type { LoopWorker } from '../../../../workers/loop.ts'
import type { OpenLoop } from '../loop-port.ts'

export const openLoopWorker: OpenLoop = (onMessage, onLost) => {
  const worker = new Worker(new URL('../../../../workers/loop.ts', import.meta.url), { type: 'module', name: 'loop' })
  const bridge = connectWorker<LoopWorker>(worker, 'loop')
  void bridge.lost.then((error) => onLost(error.message))
  // Stays pending while the worker lives; `lost` reports its end.
  bridge.remote.listen(onMessage).catch(() => {})
  return bridge.remote
}
