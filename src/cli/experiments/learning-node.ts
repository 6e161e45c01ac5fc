/** Runs `npm run loop` in a process for each seed and interrupts it when its time is up. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { typescriptFlags } from '../../../scripts/ensure.mjs'
import { readRunLog } from '../../runs/file-store.ts'
import type { LearningOptions } from './learning-chromium.ts'
import { summarise, type LearningResult, type Progress } from './learning-report.ts'

export interface NodeLearningOptions extends LearningOptions {
  /** Further arguments of `npm run loop`. */
  given: readonly string[]
  /** Folder for the logs; null keeps none. */
  keptIn: string | null
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MOST_ITERATIONS = 1_000_000
/** Exit codes of a completed run, and of one that was interrupted and ended in order. */
const ENDED_WELL: readonly (number | null)[] = [0, 130]

/** Throws an Error with the run's messages if it fails. */
export async function learnInNode(seed: number, options: NodeLearningOptions): Promise<LearningResult> {
  const folder = options.keptIn ?? (await mkdtemp(join(tmpdir(), 'learning-')))
  const log = join(folder, `${options.preset}-s${seed}.jsonl`)
  try {
    const progress = await runLoop(loopArguments(seed, log, options), options.minutes)
    return summarise(seed, await readRunLog(log), progress)
  } finally {
    if (options.keptIn === null) await rm(folder, { recursive: true })
  }
}

function loopArguments(seed: number, log: string, options: NodeLearningOptions): string[] {
  const { preset, evaluationTasks, evaluateEvery, iterations = MOST_ITERATIONS, given } = options
  return [
    ...['--preset', preset, '--seed', String(seed), '--out', log, '--iterations', String(iterations)],
    ...['--eval-tasks', String(evaluationTasks), '--set', `evaluateEvery=${evaluateEvery}`],
    // Later arguments override earlier ones.
    ...given,
  ]
}

/** When iterations ended. */
async function runLoop(loopArguments: readonly string[], minutes: number): Promise<Progress[]> {
  const started = performance.now()
  const progress: Progress[] = []
  let complaints = ''
  const command = [...typescriptFlags(), 'src/cli/loop.ts', ...loopArguments]
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('iteration '))
      progress.push({ iterations: progress.length + 1, seconds: (performance.now() - started) / 1000 })
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  // If another run fails, this one must not continue alone.
  const end = () => child.kill()
  process.once('exit', end)
  const timer = setTimeout(() => child.kill('SIGINT'), minutes * 60_000)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (!ENDED_WELL.includes(code)) throw new Error(`A run ended with code ${String(code)}:\n${complaints}`)
    return progress
  } finally {
    clearTimeout(timer)
    process.off('exit', end)
  }
}
