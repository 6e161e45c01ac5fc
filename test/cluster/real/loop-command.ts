/** Runs `npm run loop` in a separate process, small enough for tests, and reads its log. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { readRunLog } from '../../../src/runs/file-store.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/**
 * Small sizes, and no accuracy filters: a policy that plays at random solves nothing, and the filters would leave nothing to train
 * on.
 */
const SMALL = {
  tasksPerIteration: 2,
  taskPoolSize: 2,
  groupSize: 2,
  maxSteps: 3,
  evaluationsPerStep: 2,
  rewardTemperature: 1,
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
  rewardAccuracyLow: 0,
  rewardAccuracyHigh: 1,
  policyUpdatesPerIteration: 1,
  rewardUpdatesPerIteration: 1,
  rewriteAttempts: 1,
  evaluateEvery: 0,
}

export interface LoopRun {
  log: LoggedEvent[]
  /** Stdout and stderr, in order. */
  output: string
}

/** Adds arguments to `npm run loop` with our preset. Throws with the output if the exit code is not 0. */
export async function runLoopCommand(
  args: readonly string[],
  settings: Readonly<Record<string, number | boolean>> = {},
): Promise<LoopRun> {
  const folder = mkdtempSync(join(tmpdir(), 'loop-'))
  const out = join(folder, 'run.jsonl')
  const assignments = Object.entries({ ...SMALL, ...settings }).flatMap(([name, value]) => [
    '--set',
    `${name}=${value}`,
  ])
  const all = ['run', 'loop', '--', '--preset', 'household', '--backend', 'cpu', '--out', out, ...assignments, ...args]
  // A separate process group, so that npm's children end with it.
  const child = spawn('npm', all, { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => child.pid && child.exitCode === null && process.kill(-child.pid, 'SIGKILL')
  process.once('exit', end)
  try {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
    if (code !== 0) throw new Error(`npm ${all.join(' ')} ended with ${String(code)}:\n${output}`)
    return { log: await readRunLog(out), output }
  } finally {
    process.off('exit', end)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Events of one type. */
export function eventsOf<Type extends LoggedEvent['type']>(log: readonly LoggedEvent[], type: Type) {
  return log.filter((event): event is Extract<LoggedEvent, { type: Type }> => event.type === type)
}
