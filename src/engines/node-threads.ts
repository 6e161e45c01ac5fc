/** Starts workers/*.ts in threads of Node, for the command line and for tests. */
import { Worker } from 'node:worker_threads'

export function startThread(entry: URL): Worker {
  const bootstrap = new URL('./thread-bootstrap.mjs', import.meta.url)
  return new Worker(bootstrap, { workerData: { entry: entry.href }, execArgv: [] })
}
