/** The loop on the command line, as its own process. */
import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { typescriptFlags } from '../../scripts/ensure.mjs'
import { useCompiled } from './compiled.ts'

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

interface Ended {
  code: number
  stdout: string
  stderr: string
}

async function run(...args: string[]): Promise<Ended> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { cwd: root })) }
  } catch (error) {
    return error as Ended
  }
}

/** Closes the output after its first part, as `| head -1` does, and returns the exit code. */
export async function loopIntoHead(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [...typescriptFlags(), 'src/cli/loop.ts', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.once('data', () => child.stdout.destroy())
  return new Promise((resolve) => child.once('exit', resolve))
}

/** As `npm run loop` runs it. */
export const loop = (...args: string[]) => run(...typescriptFlags(), 'src/cli/loop.ts', ...args)

/** The same, compiled once for all tests of the file, and with one sampler unless a test asks for more: each takes time to start. */
export function useCompiledLoop(): typeof loop {
  const command = useCompiled('loop')
  return (...args) => run(...command('loop'), ...(args.includes('--samplers') ? [] : ['--samplers', '1']), ...args)
}
