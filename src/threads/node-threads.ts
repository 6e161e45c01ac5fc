/** Starts workers/*.ts in threads of Node, for the command line and for tests. */
import { Worker } from 'node:worker_threads'

/** What the thread prints goes to stderr: stdout belongs to the command. */
export function startThread(entry: URL): Worker {
  const bootstrap = new URL('./node-bootstrap.mjs', import.meta.url)
  const thread = new Worker(bootstrap, { workerData: { entry: entry.href }, execArgv: [], stdout: true })
  thread.stdout.pipe(process.stderr, { end: false })
  return thread
}
