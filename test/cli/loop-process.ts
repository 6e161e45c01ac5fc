/** The loop on the command line, as its own process. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { typescriptFlags } from '../../scripts/ensure.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Arguments of a run that takes a second. */
export const SMALL = Object.entries({
  tasksPerIteration: 2,
  groupSize: 3,
  maxSteps: 4,
  evaluationsPerStep: 2,
  taskPoolSize: 3,
  rewriteAttempts: 2,
  evaluateEvery: 1,
  evaluationTasks: 2,
  judgeTasks: 1,
  // So few rollouts often agree; then only the votes teach something.
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
}).flatMap(([key, value]) => ['--set', `${key}=${value}`])

export async function loop(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [...typescriptFlags(), 'src/cli/loop.ts', ...args]
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, command, { cwd: root })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}
