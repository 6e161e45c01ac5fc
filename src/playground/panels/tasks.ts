/** Task families: an original task and all that the author has made of it, with the accuracy that drove every change. */
import type { RewriteView, RunView, TaskView } from '../../method/fold.ts'

export interface FamilyPoint {
  iteration: number
  accuracy: number
  played: number
  /** Played to measure a rewrite that was not let in. */
  isRejected: boolean
}

export interface Family {
  rootId: string
  kind: string
  /** The task that is played now. */
  active: TaskView
  instruction: string
  accuracy: number | null
  points: FamilyPoint[]
  /** Oldest first. */
  rewrites: RewriteView[]
  accepted: number
  /** When something last happened to it. */
  lastIteration: number
}

/** Families in the order of what happened last; untouched ones keep their order at the end. */
export function families(view: RunView): Family[] {
  const members = new Map<string, TaskView[]>()
  for (const task of view.tasks.values()) {
    const list = members.get(task.task.rootId)
    if (list) list.push(task)
    else members.set(task.task.rootId, [task])
  }
  const result: Family[] = []
  for (const [rootId, tasks] of members) {
    const active = tasks.findLast((task) => task.status === 'active') ?? tasks[0]!
    const points = tasks
      .flatMap((task) =>
        task.history.map((h) => ({
          iteration: h.iteration,
          accuracy: h.won / h.played,
          played: h.played,
          isRejected: task.status === 'rejected',
        })),
      )
      .sort((a, b) => a.iteration - b.iteration)
    const rewrites = tasks
      .flatMap((task) => task.rewrites.map((rewrite) => ({ ...rewrite })))
      .sort((a, b) => a.iteration - b.iteration)
    const latest = active.history.at(-1)
    result.push({
      rootId,
      kind: active.task.kind,
      active,
      instruction: active.task.instruction,
      accuracy: latest ? latest.won / latest.played : null,
      points,
      rewrites,
      accepted: rewrites.filter((rewrite) => rewrite.resolution?.accepted).length,
      lastIteration: Math.max(0, ...rewrites.map((rewrite) => rewrite.iteration), points.at(-1)?.iteration ?? 0),
    })
  }
  return result.sort((a, b) => b.rewrites.length - a.rewrites.length || b.lastIteration - a.lastIteration)
}

export type RewriteState = 'accepted' | 'rejected' | 'refused' | 'waiting'

/** Refused: the author found nothing valid. Waiting: its rollouts come with the next iteration. */
export function rewriteState(rewrite: RewriteView): RewriteState {
  if (rewrite.resolution) return rewrite.resolution.accepted ? 'accepted' : 'rejected'
  return rewrite.proposal.candidate ? 'waiting' : 'refused'
}

export function familySentence(family: Family): string {
  if (family.rewrites.length === 0) return 'never rewritten'
  const proposals = family.rewrites.length === 1 ? '1 rewrite' : `${family.rewrites.length} rewrites`
  return `${proposals}, ${family.accepted} accepted`
}
