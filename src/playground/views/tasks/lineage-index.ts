/**
 * The families of a running run. A view changes in place, so its iterations show which families have changed since the last
 * reading: those of the tasks that were rolled out or rewritten. Only these become new objects. Another view (a scrub, a branch, a
 * cut iteration) is read whole.
 */
import type { IterationView, RunView, TaskView } from '../../../runs/fold.ts'
import { familyOf, membersByRoot, type Family } from '../../run/tasks.ts'

export interface FamilyList {
  /** In the order of their originals. */
  all: readonly Family[]
  byRoot: ReadonlyMap<string, Family>
}

export class LineageIndex {
  #view: RunView | null = null
  #members = new Map<string, TaskView[]>()
  #families = new Map<string, Family>()
  #signatures = new Map<string, string>()
  #taskCount = 0
  /** The last iteration read; it may have grown since. */
  #seen: IterationView | null = null
  #list: FamilyList = { all: [], byRoot: new Map() }

  /** Returns the same list while nothing has changed. */
  read(view: RunView): FamilyList {
    const roots = view === this.#view ? this.#changedRoots(view) : null
    this.#view = view
    this.#seen = view.current
    let isChanged = false
    if (roots === null) {
      this.#members = membersByRoot(view.tasks)
      this.#taskCount = view.tasks.size
      this.#families.clear()
      this.#signatures.clear()
      isChanged = true
    }
    for (const root of roots ?? this.#members.keys()) if (this.#make(root)) isChanged = true
    if (isChanged) this.#list = { all: [...this.#families.values()], byRoot: new Map(this.#families) }
    return this.#list
  }

  /** Null if the view must be read whole. */
  #changedRoots(view: RunView): Set<string> | null {
    const { iterations } = view
    const from = this.#seen === null ? 0 : this.#seen.iteration - 1
    // A cut iteration is removed from the view, with its tasks.
    if (this.#seen !== null && iterations[from] !== this.#seen) return null
    const roots = new Set<string>()
    for (const { taskIds, pendingTaskIds, remeasuredTaskIds, proposed } of iterations.slice(from)) {
      for (const { candidate } of proposed) {
        const member = candidate && view.tasks.get(candidate.id)
        if (!member) continue
        const members = this.#members.get(candidate.rootId)
        if (!members) return null
        if (members.includes(member)) continue
        members.push(member)
        this.#taskCount++
      }
      for (const taskId of [...taskIds, ...pendingTaskIds, ...remeasuredTaskIds]) {
        const root = view.tasks.get(taskId)?.task.rootId
        if (root !== undefined) roots.add(root)
      }
      for (const { taskId } of proposed) roots.add(view.tasks.get(taskId)?.task.rootId ?? taskId)
    }
    return view.tasks.size === this.#taskCount ? roots : null
  }

  /** False if the family is unchanged. */
  #make(root: string): boolean {
    const members = this.#members.get(root)
    if (!members) return false
    const signature = signatureOf(members)
    if (this.#signatures.get(root) === signature) return false
    this.#signatures.set(root, signature)
    this.#families.set(root, familyOf(root, members))
    return true
  }
}

/** Changes with every member, episode, proposal and resolution of a family. */
function signatureOf(members: readonly TaskView[]): string {
  let played = 0
  let proposals = 0
  let resolutions = 0
  for (const { history, rewrites } of members) {
    for (const entry of history) played += entry.played
    proposals += rewrites.length
    for (const { resolution } of rewrites) if (resolution) resolutions++
  }
  return `${members.length}/${played}/${proposals}/${resolutions}`
}
