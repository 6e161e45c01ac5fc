/** Starts workers/*.ts in Node threads, for the command line and tests. */
import { Worker } from 'node:worker_threads'

// Every thread listens to it, and Node warns of a leak from the eleventh listener on.
process.stderr.setMaxListeners(100)

/** Redirects what the thread prints to stderr, because stdout belongs to the command. */
export function startThread(entry: URL): Worker {
  const bootstrap = new URL('./node-bootstrap.mjs', import.meta.url)
  const thread = new Worker(bootstrap, { workerData: { entry: entry.href }, execArgv: [], stdout: true })
  thread.stdout.pipe(process.stderr, { end: false })
  return thread
}
