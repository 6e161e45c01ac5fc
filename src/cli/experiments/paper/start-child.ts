/** Starts a job in a process of its own. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { typescriptFlags } from '../../../../scripts/ensure.mjs'
import type { ChildRequest } from './run-child.ts'
import type { StartJob } from './run-jobs.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const CHILD = fileURLToPath(new URL('./run-child.ts', import.meta.url))
/** Characters of a failed run's messages to show. */
const LAST_WORDS = 2000

/** The child writes its record itself. Rejects with its messages if it fails. */
export function startInChild(request: Omit<ChildRequest, 'job'>): StartJob {
  return async (job, onIteration, signal) => {
    const child = spawn(process.execPath, [...typescriptFlags(), CHILD, JSON.stringify({ ...request, job })], {
      cwd: ROOT,
      // Its standard input ends with this process, even if that is killed, and then the child ends as well.
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    })
    createInterface(child.stdout).on('line', (line) => /^\d+$/.test(line) && onIteration(Number(line)))
    let messages = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (messages = (messages + text).slice(-LAST_WORDS)))
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (code !== 0) throw new Error(`${job.key} ended with code ${String(code)}:\n${messages}`)
  }
}
