/**
 * Reads a run's progress from a line of the job's log (alfworld_rl.py, osworld_rl.py and the scripts that they start). Lines that we
 * do not understand are still shown. The log has ANSI colours, and progress bars that return to the start of their line.
 */
import type { Phase } from '../../method/events.ts'
import type { ReleasedSystem } from '../protocol.ts'
import { parseResultsLine } from './results.ts'

export type LogMark =
  | { kind: 'step'; step: number }
  | { kind: 'results'; step: number }
  | { kind: 'phase'; phase: Phase; done: number; total: number }
  /** The trainer's loss: surrogate and KL penalty together, over the accumulation steps (alfworld_train.py:533). */
  | { kind: 'loss'; loss: number; done: number; total: number }
  /** A model has been trained, or had nothing to learn from. */
  | { kind: 'trained' }

/** CSI and OSC sequences, and control characters except the tab. */
// oxlint-disable-next-line no-control-regex
const ANSI = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f]/g

/** A line as a terminal finally shows it: without colours, and after the last return to its start. */
export function plainLine(line: string): string {
  const shown = line.replace(/\r+$/, '')
  return shown.slice(shown.lastIndexOf('\r') + 1).replace(ANSI, '')
}

const STEP = /^=+ epoch (\d+) =+$/
const POLICY = /^\[policy\] (?:eval )?chunk (\d+)\/(\d+) step (\d+)\/(\d+)/
const EPISODES = /^\[PROGRESS\] done (\d+)\/(\d+)/
const REWARD = /^\[(?:reward|REWARD)\] (?:start generation|batch)/
const ENVIRONMENT = /^\[(?:env|ENV)\] (?:start|generating|batch)/
const BAR = /\s(\d+)\/(\d+) \[.*\bloss=(-?[0-9.]+(?:e[+-]?\d+)?)\b/
const TRAINED = /^All train nodes finished\.$|^\[SKIP\] reward train skipped/

/** Null if the line shows no progress. `line` is plain. */
export function markOf(system: ReleasedSystem, line: string): LogMark | null {
  const step = STEP.exec(line)
  if (step) return { kind: 'step', step: Number(step[1]) }
  if (TRAINED.test(line)) return { kind: 'trained' }
  const results = parseResultsLine(system, line)
  if (results) return { kind: 'results', step: results.step }
  const policy = POLICY.exec(line)
  if (policy) {
    // Chunks count from 0 to the last one's number; steps of a chunk from 0 or 1.
    const [chunk, lastChunk, at, most] = policy.slice(1).map(Number) as [number, number, number, number]
    return { kind: 'phase', phase: 'rollout', done: chunk * most + at, total: Math.max(chunk + 1, lastChunk) * most }
  }
  const episodes = EPISODES.exec(line)
  if (episodes) return { kind: 'phase', phase: 'rollout', done: Number(episodes[1]), total: Number(episodes[2]) }
  if (REWARD.test(line)) return { kind: 'phase', phase: 'judge', done: 0, total: 0 }
  if (ENVIRONMENT.test(line)) return { kind: 'phase', phase: 'adapt', done: 0, total: 0 }
  const bar = BAR.exec(line)
  if (bar) return { kind: 'loss', loss: Number(bar[3]), done: Number(bar[1]), total: Number(bar[2]) }
  return null
}
