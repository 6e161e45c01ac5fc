/** Opens the worker that runs the loop in this tab. */
import { connectWorker } from '../../../threads/worker-bridge.ts'
import type { LoopWorker } from '../../../../workers/loop.ts'
import type { OpenLoop } from '../loop-port.ts'

export const openLoopWorker: OpenLoop = (onMessage, onLost) => {
  const worker = new Worker(new URL('../../../../workers/loop.ts', import.meta.url), { type: 'module', name: 'loop' })
  const bridge = connectWorker<LoopWorker>(worker, 'loop')
  // Browsers may keep a page that you leave, with its workers asleep and the lock of its run held. So its run ends here, where it can
  // be resumed by any page, and this page begins anew if you come back to it.
  addEventListener('pagehide', () => worker.terminate(), { once: true })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
  void bridge.lost.then((error) => onLost(error.message))
  // Stays pending while the worker lives; `lost` reports its end.
  bridge.remote.listen(onMessage).catch(() => {})
  return bridge.remote
}
