// First module of a Node thread: teaches it TypeScript, then runs the worker that it was started for. Plain JavaScript,
// because a thread's own entry is read before any loader is registered.
import { workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

register()
await import(workerData.entry)
