/**
 * The tree of a family: the original task, below it the rewrites that were tried on it, and below an accepted one those tried on
 * that. Time runs down. Accepted rewrites stay in the lane of their task, the trunk; the others branch off by one lane.
 *
 *     lane 0   lane 1
 *       ●                 the original
 *       ├────────○        iteration 3, harder, rejected
 *       ●                 iteration 7, harder, accepted: played from here on
 *       └────────◌        iteration 9, easier, being measured
 */
import type { RewriteView, TaskView } from '../../../runs/fold.ts'
import { counted, percent } from '../../kit/format.ts'
import { accuracyBefore, rewriteState, STATE_WORDS, type Family, type RewriteState } from '../../run/tasks.ts'

export interface LineageNode {
  /** Id of the proposal, or of the task for the original. */
  id: string
  /** Null if the author wrote nothing valid. */
  task: TaskView | null
  /** Null for the original. */
  rewrite: RewriteView | null
  state: 'original' | RewriteState
  /** Whether it is the task in play. */
  isPlayed: boolean
  /** In order of time. */
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
  // A loop, because an easy task may be made harder hundreds of times.
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

/** The visible rows from the top, without those below a collapsed node. */
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

interface PassingLane {
  lane: number
  /** Whether it leads to the task in play. */
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

interface TreeMove {
  /** The row that gets the focus. */
  to: number
  /** A node to expand or collapse. */
  toggled: string | null
}

/** What a key does in a tree (WAI-ARIA Authoring Practices, tree view); null for other keys. */
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

/** acc(q) and acc(q′) as far as measured; for the original, its accuracy when last played. */
export function accuracies(node: LineageNode): { before: number | null; after: number | null } {
  if (node.rewrite === null) {
    const latest = node.task?.history.at(-1)
    return { before: null, after: latest ? latest.won / latest.played : null }
  }
  return { before: accuracyBefore(node.rewrite), after: node.rewrite.resolution?.accuracyAfter ?? null }
}

/** The node in one line, for screen readers. */
export function nodeSentence(node: LineageNode): string {
  const { before, after } = accuracies(node)
  if (node.rewrite === null) {
    const played = after === null ? 'not played yet' : `accuracy ${percent(after)} when last played`
    return `Original: ${played}${node.isPlayed ? ', played now' : ''}, ${counted(node.children.length, 'rewrite')} tried on it`
  }
  const change = after === null ? `accuracy ${percent(before)}` : `accuracy ${percent(before)} → ${percent(after)}`
  const { direction } = node.rewrite.proposal
  return `Iteration ${node.rewrite.iteration}, ${direction}: ${change}, ${STATE_WORDS[node.state as RewriteState]}${node.isPlayed ? ', played now' : ''}`
}
