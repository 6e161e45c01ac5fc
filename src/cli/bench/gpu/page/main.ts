/** Measures in a worker, where the page of the playground trains, and posts what the worker reports. */
import type { GpuBenchWorker } from '../../../../../workers/gpu-bench.ts'
import { type GpuMessage, messageLine } from '../../../../bench/gpu/messages.ts'
import { errorText } from '../../../../threads/error-text.ts'
import { connectWorker } from '../../../../threads/worker-bridge.ts'
import { pageRequest, RECORDS } from '../page-request.ts'

const worker = new Worker(new URL('../../../../../workers/gpu-bench.ts', import.meta.url), {
  type: 'module',
  name: 'gpu-bench',
})
const { remote } = connectWorker<GpuBenchWorker>(worker, 'gpu-bench')

let posted: Promise<unknown> = Promise.resolve()

/** One after the other, so that they arrive in order. */
function post(message: GpuMessage): void {
  posted = posted.then(() => fetch(RECORDS, { method: 'POST', body: messageLine(message) }))
}

const { totalMs, isTiny } = pageRequest(location.search)
await remote
  .measure(totalMs, isTiny, post)
  .catch((error: unknown) => post({ kind: 'error', message: errorText(error) }))
