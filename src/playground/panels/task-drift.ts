/**
 * How far the pool has moved from the tasks that were drawn:
 *
 *     mix    = 1/2 Σ_kind |share now - share then|                        total variation, in [0, 1]
 *     words  = mean over rewritten tasks of 1 - |W ∩ W'| / |W ∪ W'|       Jaccard distance of the sets of words
 */
import type { TaskView } from '../../method/fold.ts'

export interface TaskDrift {
  active: number
  rewritten: number
  mix: number
  words: number
}

export function taskDrift(tasks: ReadonlyMap<string, TaskView>): TaskDrift {
  const then = new Map<string, number>()
  const now = new Map<string, number>()
  const count = (counts: Map<string, number>, kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1)
  let originals = 0
  let active = 0
  const distances: number[] = []
  for (const { task, status, origin } of tasks.values()) {
    if (origin === null) {
      originals++
      count(then, task.kind)
    }
    if (status !== 'active') continue
    active++
    count(now, task.kind)
    if (origin === null) continue
    const root = tasks.get(task.rootId)
    if (root) distances.push(wordDistance(root.task.instruction, task.instruction))
  }
  let mix = 0
  for (const kind of new Set([...then.keys(), ...now.keys()])) {
    mix += Math.abs((now.get(kind) ?? 0) / Math.max(1, active) - (then.get(kind) ?? 0) / Math.max(1, originals)) / 2
  }
  return {
    active,
    rewritten: distances.length,
    mix,
    words: distances.length === 0 ? 0 : distances.reduce((sum, distance) => sum + distance, 0) / distances.length,
  }
}

/** 0 for the same words, 1 for none in common. */
export function wordDistance(a: string, b: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  const left = words(a)
  const right = words(b)
  const shared = [...left].filter((word) => right.has(word)).length
  const all = left.size + right.size - shared
  return all === 0 ? 0 : 1 - shared / all
}
