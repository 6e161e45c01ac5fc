/** Starts workers/*.ts in Node threads, for the command line and tests. */
import { Worker } from 'node:worker_threads'

/** Redirects what the thread prints to stderr, because stdout belongs to the command. */
export function startThread(entry: URL): Worker {
  const bootstrap = new URL('./node-bootstrap.mjs', import.meta.url)
  const thread = new Worker(bootstrap, { workerData: { entry: entry.href }, execArgv: [], stdout: true })
  thread.stdout.pipe(process.stderr, { end: false })
  return thread
}
