/** The household loop as a person starts it, `npm run loop` in a process of its own, small enough for tests, and the log that it wrote. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { readRunLog } from '../../../src/runs/file-store.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/**
 * Sizes, and what whoever plays without any sense needs: nobody solves a task, and without these filters a task that all or none of
 * the rollouts solved trains nobody.
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
  /** Stdout and stderr, as they came. */
  output: string
}

/** Arguments are `npm run loop`'s, behind its preset. Throws with the output where it does not end with 0. */
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
  // A group of its own, so that with npm everything ends that it started.
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
