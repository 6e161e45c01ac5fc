/**
 * How far the pool has moved from the tasks that were drawn, P then and Q now:
 *
 *     mix         = 1/2 Σ_kind |Q(kind) - P(kind)|                      total variation, in [0, 1]
 *     words       = mean over rewritten tasks of 1 - |W ∩ W'| / |W ∪ W'|   Jaccard distance of the sets of words (Jaccard 1912)
 *     divergence  = 1/2 KL(P ‖ M) + 1/2 KL(Q ‖ M),  M = (P + Q) / 2     Jensen-Shannon divergence in bits, in [0, 1] (Lin 1991)
 *
 * over the words of tasks, where every task has the same weight whatever its length. All three measure
 * words, not meaning: a paraphrase counts as a move. `PoolDrift` updates task by task; an update takes time in the words of
 * the changed task, not in the size of the pool.
 */
import { wordDistance, wordsOf } from './word-distance.ts'
import type { TaskView } from '../../runs/fold.ts'
import type { Task } from '../../method/ports.ts'

export interface TaskDrift {
  active: number
  rewritten: number
  mix: number
  words: number
  divergence: number
}

/** The pool has drifted if it exceeds either. These thresholds are ours, as for all alarms (alarms.ts). */
export const DRIFTED_MIX = 0.25
export const DRIFTED_WORDS = 0.5

export function hasDrifted({ mix, words }: Pick<TaskDrift, 'mix' | 'words'>): boolean {
  return mix > DRIFTED_MIX || words > DRIFTED_WORDS
}

/** Tasks of one kind: originally drawn, active now, and how many of the active ones are rewrites. */
export interface KindCount {
  then: number
  now: number
  rewritten: number
}

export class PoolDrift {
  readonly #kinds = new Map<string, KindCount>()
  #originals = 0
  #active = 0
  #rewritten = 0
  /** Sum of the Jaccard distances. */
  #distance = 0
  readonly #then = new Map<string, number>()
  readonly #now = new Map<string, number>()
  /** Tasks with at least one word. */
  #thenMass = 0
  #nowMass = 0
  /** Sum of every word's share of the divergence; NaN if the size of the pool has changed since. */
  #divergence = NaN

  /** Counts of all kinds so far, in the order in which they appeared. */
  get kinds(): ReadonlyMap<string, Readonly<KindCount>> {
    return this.#kinds
  }

  draw(task: Task): void {
    this.#kindOf(task).then++
    this.#originals++
    this.#thenMass += spread(this.#then, task, 1)
    this.#divergence = NaN
  }

  /** `root` is null for an original task. */
  activate(task: Task, root: Task | null): void {
    this.#count(task, root, 1)
    this.#nowMass += spread(this.#now, task, 1)
    this.#divergence = NaN
  }

  /** Replaces a task by its rewrite. */
  replace(old: Task, oldRoot: Task | null, next: Task, root: Task): void {
    this.#count(old, oldRoot, -1)
    this.#count(next, root, 1)
    const words = new Set([...bagOf(old).keys(), ...bagOf(next).keys()])
    const before = this.#nowMass
    const was = this.#share(words)
    this.#nowMass += spread(this.#now, old, -1) + spread(this.#now, next, 1)
    this.#divergence = this.#nowMass === before ? this.#divergence - was + this.#share(words) : NaN
  }

  measure(): TaskDrift {
    if (Number.isNaN(this.#divergence))
      this.#divergence = this.#share(new Set([...this.#then.keys(), ...this.#now.keys()]))
    let mix = 0
    for (const { then, now } of this.#kinds.values())
      mix += Math.abs(now / Math.max(1, this.#active) - then / Math.max(1, this.#originals)) / 2
    return {
      active: this.#active,
      rewritten: this.#rewritten,
      mix,
      words: this.#rewritten === 0 ? 0 : Math.max(0, this.#distance / this.#rewritten),
      divergence: Math.min(1, Math.max(0, this.#divergence)),
    }
  }

  #count(task: Task, root: Task | null, sign: 1 | -1): void {
    const kind = this.#kindOf(task)
    kind.now += sign
    this.#active += sign
    if (root === null) return
    kind.rewritten += sign
    this.#rewritten += sign
    this.#distance += sign * wordDistance(root.instruction, task.instruction)
  }

  #kindOf({ kind }: Task): KindCount {
    let count = this.#kinds.get(kind)
    if (!count) this.#kinds.set(kind, (count = { then: 0, now: 0, rewritten: 0 }))
    return count
  }

  /** The words' share of the divergence. */
  #share(words: Iterable<string>): number {
    let sum = 0
    for (const word of words) {
      const p = (this.#then.get(word) ?? 0) / Math.max(1, this.#thenMass)
      // Sums that return to zero leave rounding errors.
      const q = Math.max(0, this.#now.get(word) ?? 0) / Math.max(1, this.#nowMass)
      if (p > 0) sum += (p * Math.log2((2 * p) / (p + q))) / 2
      if (q > 0) sum += (q * Math.log2((2 * q) / (p + q))) / 2
    }
    return sum
  }
}

export function taskDrift(tasks: ReadonlyMap<string, TaskView>): TaskDrift {
  const pool = new PoolDrift()
  for (const { task, status, origin } of tasks.values()) {
    if (origin === null) pool.draw(task)
    if (status === 'active') pool.activate(task, origin === null ? null : (tasks.get(task.rootId)?.task ?? null))
  }
  return pool.measure()
}

const bags = new WeakMap<Task, ReadonlyMap<string, number>>()

/** The share of each word in a task. Shares sum to 1 unless there are no words. */
function bagOf(task: Task): ReadonlyMap<string, number> {
  let bag = bags.get(task)
  if (!bag) {
    const words = wordsOf(task.instruction)
    const shares = new Map<string, number>()
    for (const word of words) shares.set(word, (shares.get(word) ?? 0) + 1 / words.length)
    bags.set(task, (bag = shares))
  }
  return bag
}

/** Adds a task's words to a distribution or removes them. Returns the change of its mass. */
function spread(mass: Map<string, number>, task: Task, sign: 1 | -1): number {
  const bag = bagOf(task)
  for (const [word, share] of bag) mass.set(word, (mass.get(word) ?? 0) + sign * share)
  return bag.size === 0 ? 0 : sign
}
