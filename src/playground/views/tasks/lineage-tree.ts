/**
 * The tree of a family: the original task, below it every rewrite that was tried on it, below an accepted one those that were
 * tried on that. Time runs down. What a task became stays in its lane, as the trunk; what was not let in branches off by one.
 *
 *     lane 0   lane 1
 *       ●                 the original
 *       ├────────○        iteration 3, harder, not accepted
 *       ●                 iteration 7, harder, accepted: from here on this is played
 *       └────────◌        iteration 9, easier, being measured
 */
import type { RewriteView, TaskView } from '../../../runs/fold.ts'
import { counted, percent } from '../../kit/format.ts'
import { rewriteState, STATE_WORDS, type Family, type RewriteState } from '../../run/tasks.ts'

export interface LineageNode {
  /** Of the proposal; of the task for the original. */
  id: string
  /** Null where the author found nothing valid. */
  task: TaskView | null
  /** Null for the original. */
  rewrite: RewriteView | null
  state: 'original' | RewriteState
  /** The task that is played now. */
  isPlayed: boolean
  /** In the order of time. */
  children: LineageNode[]
}

export interface LineageRow {
  node: LineageNode
  lane: number
  /** Row of the parent; null for the original. */
  parent: number | null
  /** From 1. */
  level: number
  position: number
  siblings: number
  isExpanded: boolean
}

export function lineageTree(family: Family): LineageNode {
  const tasks = new Map(family.members.map((member) => [member.task.id, member]))
  const root = tasks.get(family.rootId) ?? family.members[0]!
  const original: LineageNode = {
    id: root.task.id,
    task: root,
    rewrite: null,
    state: 'original',
    isPlayed: root === family.active,
    children: [],
  }
  // Without recursion: an easy task may be made harder hundreds of times.
  const open = [original]
  for (let node = open.pop(); node; node = open.pop()) {
    for (const rewrite of node.task?.rewrites ?? []) {
      const { candidate, proposalId } = rewrite.proposal
      const task = candidate ? (tasks.get(candidate.id) ?? null) : null
      const child: LineageNode = {
        id: proposalId,
        task,
        rewrite,
        state: rewriteState(rewrite),
        isPlayed: task !== null && task === family.active,
        children: [],
      }
      node.children.push(child)
      open.push(child)
    }
  }
  return original
}

/** The rows that are drawn, from the top; nothing below a collapsed node. */
export function lineageRows(root: LineageNode, collapsed: ReadonlySet<string> = new Set()): LineageRow[] {
  const rows: LineageRow[] = []
  const open: Omit<LineageRow, 'isExpanded'>[] = [
    { node: root, lane: 0, parent: null, level: 1, position: 1, siblings: 1 },
  ]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, lane, level } = next
    const parent = rows.length
    const isExpanded = !collapsed.has(node.id)
    rows.push({ ...next, isExpanded })
    if (!isExpanded) continue
    const trunk = node.children.findLast(({ state }) => state === 'accepted')
    // The first child is taken from the stack first. The trunk comes below its siblings, whose branches would cross it.
    const ordered = [...node.children.filter((child) => child !== trunk), ...(trunk ? [trunk] : [])]
    ordered.toReversed().forEach((child, i) =>
      open.push({
        node: child,
        lane: child === trunk ? lane : lane + 1,
        parent,
        level: level + 1,
        position: ordered.length - i,
        siblings: ordered.length,
      }),
    )
  }
  return rows
}

export interface PassingLane {
  lane: number
  /** It leads to what the task became. */
  isTrunk: boolean
}

/** Which lanes pass through a row without having a node there: `passing[row]`. */
export function passingLanes(rows: readonly LineageRow[]): PassingLane[][] {
  const passing = rows.map(() => new Map<number, PassingLane>())
  rows.forEach(({ parent, lane: own }, row) => {
    if (parent === null) return
    const { lane } = rows[parent]!
    for (let between = parent + 1; between < row; between++)
      passing[between]!.set(lane, { lane, isTrunk: own === lane || (passing[between]!.get(lane)?.isTrunk ?? false) })
  })
  return passing.map((lanes) => [...lanes.values()])
}

export interface TreeMove {
  /** The row that gets the focus. */
  to: number
  /** A node to open or to close. */
  toggled: string | null
}

/** What a key does in a tree (WAI-ARIA Authoring Practices, tree view); null for a key that means nothing there. */
export function treeMove(rows: readonly LineageRow[], at: number, key: string): TreeMove | null {
  const row = rows[at]
  if (!row) return null
  const hasChildren = row.node.children.length > 0
  switch (key) {
    case 'ArrowUp':
      return { to: Math.max(0, at - 1), toggled: null }
    case 'ArrowDown':
      return { to: Math.min(rows.length - 1, at + 1), toggled: null }
    case 'Home':
      return { to: 0, toggled: null }
    case 'End':
      return { to: rows.length - 1, toggled: null }
    case 'ArrowRight':
      if (!hasChildren) return { to: at, toggled: null }
      return row.isExpanded ? { to: at + 1, toggled: null } : { to: at, toggled: row.node.id }
    case 'ArrowLeft':
      if (hasChildren && row.isExpanded) return { to: at, toggled: row.node.id }
      return { to: row.parent ?? at, toggled: null }
    default:
      return null
  }
}

/** acc(q) and acc(q′), as far as they were measured: of the original what it was when it was last played. */
export function accuracies(node: LineageNode): { before: number | null; after: number | null } {
  if (node.rewrite === null) {
    const latest = node.task?.history.at(-1)
    return { before: null, after: latest ? latest.won / latest.played : null }
  }
  return { before: node.rewrite.proposal.accuracy, after: node.rewrite.resolution?.accuracyAfter ?? null }
}

/** The node in one line, for those who hear it. */
export function nodeSentence(node: LineageNode): string {
  const { before, after } = accuracies(node)
  if (node.rewrite === null) {
    const played = after === null ? 'not played yet' : `accuracy ${percent(after)} when last played`
    return `As it was drawn: ${played}${node.isPlayed ? ', played now' : ''}, ${counted(node.children.length, 'rewrite')} tried on it`
  }
  const change = after === null ? `accuracy ${percent(before)}` : `accuracy ${percent(before)} → ${percent(after)}`
  const { direction } = node.rewrite.proposal
  return `Iteration ${node.rewrite.iteration}, ${direction}: ${change}, ${STATE_WORDS[node.state as RewriteState]}${node.isPlayed ? ', played now' : ''}`
}
