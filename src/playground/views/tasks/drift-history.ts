/**
 * The pool over a run: how many rewrites were accepted after each finished iteration, and how far the pool was from the original
 * tasks. A finished iteration never changes, so each is folded once; scrubbing back returns a prefix of the rows.
 */
import type { RunStarted } from '../../../method/events.ts'
import type { RunView } from '../../../runs/fold.ts'
import type { Task } from '../../../method/ports.ts'
import { PoolDrift, type KindCount, type TaskDrift } from '../../run/task-drift.ts'

export interface DriftRow extends TaskDrift {
  /** 0 for the original pool. */
  iteration: number
  proposed: number
  /** Accepted so far, by direction. */
  harder: number
  easier: number
  /** In the order of `DriftHistory.kinds`; later kinds are missing. */
  counts: KindCount[]
}

export interface DriftRows {
  rows: readonly DriftRow[]
  kinds: readonly string[]
}

export const NO_HISTORY: DriftRows = { rows: [], kinds: [] }

export class DriftHistory {
  #run: RunStarted | null = null
  /** The view in which the originals were last counted, and its number of tasks then. */
  #counted: { view: RunView; size: number } | null = null
  #originals = 0
  #pool = new PoolDrift()
  #tasks = new Map<string, Task>()
  readonly #active = new Set<string>()
  /** Ids of the resolutions of each folded iteration: #resolved[i] is for iteration i + 1. */
  #resolved: string[] = []
  #rows: DriftRow[] = []
  #shown: DriftRows = NO_HISTORY

  /** Returns the same object until another iteration ends. */
  read(view: RunView): DriftRows {
    while (!this.advance(view, Infinity));
    const finished = finishedOf(view)
    const rows = this.#rows.slice(0, finished + 1)
    if (rows.length !== this.#shown.rows.length || rows.at(-1) !== this.#shown.rows.at(-1))
      this.#shown = { rows, kinds: [...this.#pool.kinds.keys()] }
    return this.#shown
  }

  /** Counts the original tasks or at most `limit` more iterations. Returns whether `read` then has nothing left to count. */
  advance(view: RunView, limit: number): boolean {
    const finished = finishedOf(view)
    if (!this.#knows(view, Math.min(finished, this.#resolved.length))) this.#start(view)
    else for (let i = this.#resolved.length, end = Math.min(finished, i + limit); i < end; i++) this.#fold(view, i)
    return this.#resolved.length >= finished
  }

  /** Whether the first `count` iterations of the view are the folded ones. */
  #knows(view: RunView, count: number): boolean {
    if (view.started !== this.#run) return false
    if (this.#counted?.view !== view || this.#counted.size !== view.tasks.size) {
      if (originalsOf(view).length !== this.#originals) return false
      this.#counted = { view, size: view.tasks.size }
    }
    return count === 0 || idsOf(view, count - 1) === this.#resolved[count - 1]
  }

  #start(view: RunView): void {
    this.#run = view.started
    this.#pool = new PoolDrift()
    this.#tasks = new Map()
    this.#active.clear()
    const originals = originalsOf(view)
    for (const task of originals) {
      this.#pool.draw(task)
      this.#pool.activate(task, null)
      this.#tasks.set(task.id, task)
      this.#active.add(task.id)
    }
    this.#originals = originals.length
    this.#resolved = []
    this.#rows = [this.#row(0, { proposed: 0, harder: 0, easier: 0 })]
  }

  #fold(view: RunView, index: number): void {
    const { iteration, proposed, resolved } = view.iterations[index]!
    const before = this.#rows.at(-1)!
    const counts = { proposed: before.proposed + proposed.length, harder: before.harder, easier: before.easier }
    for (const { candidate } of proposed) if (candidate) this.#tasks.set(candidate.id, candidate)
    for (const { accepted, direction, taskId, candidateId } of resolved) {
      const old = this.#tasks.get(taskId)
      const next = this.#tasks.get(candidateId)
      const root = next && this.#tasks.get(next.rootId)
      if (!accepted || !old || !next || !root) continue
      counts[direction]++
      // Another rewrite of the same task may have replaced it already.
      if (this.#active.delete(taskId)) this.#pool.replace(old, old.id === root.id ? null : root, next, root)
      else this.#pool.activate(next, root)
      this.#active.add(candidateId)
    }
    this.#resolved.push(idsOf(view, index))
    this.#rows.push(this.#row(iteration, counts))
  }

  #row(iteration: number, counts: Pick<DriftRow, 'proposed' | 'harder' | 'easier'>): DriftRow {
    return {
      iteration,
      ...counts,
      ...this.#pool.measure(),
      counts: [...this.#pool.kinds.values()].map((count) => ({ ...count })),
    }
  }
}

const finishedOf = (view: RunView) => view.iterations.length - (view.current?.isFinished === false ? 1 : 0)

function originalsOf(view: RunView): Task[] {
  return [...view.tasks.values()].flatMap(({ task, origin }) => (origin === null ? [task] : []))
}

const idsOf = (view: RunView, index: number) =>
  view.iterations[index]!.resolved.map(({ proposalId }) => proposalId).join(' ')
