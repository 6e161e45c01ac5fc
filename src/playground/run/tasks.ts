/** Task families: an original task and all its rewrites, with the accuracies that caused them. */
import type { RewriteView, RunView, TaskView } from '../../runs/fold.ts'

interface FamilyPoint {
  iteration: number
  accuracy: number
  played: number
  /** Measures a rewrite that was rejected. */
  isRejected: boolean
}

export interface Family {
  rootId: string
  kind: string
  /** The original and all candidates, in order of creation. */
  members: readonly TaskView[]
  /** The task that is played now. */
  active: TaskView
  instruction: string
  accuracy: number | null
  points: FamilyPoint[]
  /** Oldest first. */
  rewrites: RewriteView[]
  accepted: number
  /** The iteration in which it was last played or rewritten. */
  lastIteration: number
}

/** `members` share one root, include the original, and are in order of creation. */
export function familyOf(rootId: string, members: readonly TaskView[]): Family {
  const active = members.findLast((task) => task.status === 'active') ?? members[0]!
  // A candidate counts once all its rollouts have ended, as it does for the loop.
  const points = members
    .filter(({ status }) => status !== 'candidate')
    .flatMap((task) =>
      task.history.map((h) => ({
        iteration: h.iteration,
        accuracy: h.won / h.played,
        played: h.played,
        isRejected: task.status === 'rejected',
      })),
    )
    .sort((a, b) => a.iteration - b.iteration)
  const rewrites = members
    .flatMap((task) => task.rewrites.map((rewrite) => ({ ...rewrite })))
    .sort((a, b) => a.iteration - b.iteration)
  const latest = active.history.at(-1)
  return {
    rootId,
    kind: active.task.kind,
    members: [...members],
    active,
    instruction: active.task.instruction,
    accuracy: latest ? latest.won / latest.played : null,
    points,
    rewrites,
    accepted: rewrites.filter((rewrite) => rewrite.resolution?.accepted).length,
    lastIteration: Math.max(0, ...[rewrites, ...members.map(({ history }) => history)].map(lastOf)),
  }
}

const lastOf = (entries: readonly { iteration: number }[]) => entries.at(-1)?.iteration ?? 0

/** The tasks of a run by their root, both in order of creation. */
export function membersByRoot(tasks: RunView['tasks']): Map<string, TaskView[]> {
  const members = new Map<string, TaskView[]>()
  for (const task of tasks.values()) {
    const list = members.get(task.task.rootId)
    if (list) list.push(task)
    else members.set(task.task.rootId, [task])
  }
  return members
}

/** Families with the most rewrites first, then those that changed last. */
export function families(view: RunView): Family[] {
  return [...membersByRoot(view.tasks)].map(([rootId, tasks]) => familyOf(rootId, tasks)).sort(byRewrites)
}

const byRewrites = (a: Family, b: Family) => b.rewrites.length - a.rewrites.length || b.lastIteration - a.lastIteration

const rejections = (family: Family) => family.rewrites.filter((rewrite) => rewriteState(rewrite) === 'rejected').length

/** Orders of the list. Unknown values come last. */
export const FAMILY_ORDERS = {
  rewrites: { name: 'Most rewritten', compare: byRewrites },
  rejected: {
    name: 'Most rejected rewrites',
    compare: (a: Family, b: Family) =>
      rejections(b) - rejections(a) || b.lastIteration - a.lastIteration || byRewrites(a, b),
  },
  latest: { name: 'Last played', compare: (a: Family, b: Family) => b.lastIteration - a.lastIteration },
  hardest: {
    name: 'Hardest now',
    compare: (a: Family, b: Family) => (a.accuracy ?? Infinity) - (b.accuracy ?? Infinity) || 0,
  },
  easiest: { name: 'Easiest now', compare: (a: Family, b: Family) => (b.accuracy ?? -1) - (a.accuracy ?? -1) },
} as const
export type FamilyOrder = keyof typeof FAMILY_ORDERS

export type RewriteState = 'accepted' | 'rejected' | 'invalid' | 'waiting'

export const STATE_WORDS: Readonly<Record<RewriteState, string>> = {
  accepted: 'accepted',
  rejected: 'rejected',
  invalid: 'invalid',
  waiting: 'being measured',
}

/** Invalid: the author wrote no valid candidate. Waiting: the next iteration measures it. */
export function rewriteState(rewrite: RewriteView): RewriteState {
  if (rewrite.resolution) return rewrite.resolution.accepted ? 'accepted' : 'rejected'
  return rewrite.proposal.candidate ? 'waiting' : 'invalid'
}

/** acc(q) that the rewrite was compared with: measured again beside it if the run remeasures, else the one that caused it. */
export function accuracyBefore({ proposal, resolution }: RewriteView): number {
  return resolution?.accuracyBefore ?? proposal.accuracy
}

export function familySentence(family: Family): string {
  if (family.rewrites.length === 0) return 'never rewritten'
  const proposals = family.rewrites.length === 1 ? '1 rewrite' : `${family.rewrites.length} rewrites`
  return `${proposals}, ${family.accepted} accepted`
}
