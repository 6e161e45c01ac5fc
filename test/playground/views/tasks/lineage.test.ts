import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../../src/method/events.ts'
import { foldRun, RunView } from '../../../../src/runs/fold.ts'
import { LineageIndex } from '../../../../src/playground/views/tasks/lineage-index.ts'
import {
  accuracies,
  lineageRows,
  lineageTree,
  nodeSentence,
  passingLanes,
  treeMove,
  type LineageNode,
} from '../../../../src/playground/views/tasks/lineage-tree.ts'
import { sceneChange } from '../../../../src/playground/worlds/household/lineage-scene.ts'
import { families, rewriteState } from '../../../../src/playground/run/tasks.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { applyRewrite } from '../../../../src/worlds/household/rewrites/apply.ts'
import { possibleRewrites } from '../../../../src/worlds/household/rewrites/candidates.ts'
import { formatRewrite } from '../../../../src/worlds/household/rewrites/language.ts'
import { taskOf, type HouseholdTask } from '../../../../src/worlds/household/task.ts'
import type { RewriteProposed } from '../../../../src/method/events.ts'
import { fakeRun } from '../../fake-run.ts'
import { recordedHousehold } from '../../recorded-household.ts'

const events: LoggedEvent[] = [...fakeRun({ iterations: 40, settings: { taskPoolSize: 6 } })].filter(isLogged)
const view = foldRun(events)
const trees = families(view).map((family) => ({ family, tree: lineageTree(family) }))
function all(node: LineageNode): LineageNode[] {
  return [node, ...node.children.flatMap(all)]
}

describe('the tree of a family', () => {
  it('has every rewrite once, below its original task', () => {
    const nodes = trees.flatMap(({ tree }) => all(tree))
    expect(nodes.filter(({ rewrite }) => rewrite === null)).toHaveLength(6)
    expect(nodes.flatMap(({ rewrite }) => rewrite?.proposal.proposalId ?? []).sort()).toEqual(
      [...view.rewrites.keys()].sort(),
    )
    for (const node of nodes)
      for (const child of node.children) {
        expect(child.rewrite!.proposal.taskId).toBe(node.task!.task.id)
        expect(child.state).toBe(rewriteState(child.rewrite!))
      }
  })

  it('marks the active task of each family', () => {
    for (const { family, tree } of trees) {
      const played = all(tree).filter(({ isPlayed }) => isPlayed)
      expect(played.map(({ task }) => task?.task.id)).toEqual([family.active.task.id])
    }
  })

  it('has active tasks in the first lane, and no branch that crosses a node', () => {
    let branches = 0
    for (const { tree } of trees) {
      const rows = lineageRows(tree)
      expect(rows).toHaveLength(all(tree).length)
      const lanes = passingLanes(rows)
      rows.forEach(({ node, lane, parent }, row) => {
        if (node.isPlayed) expect(lane).toBe(0)
        if (node.state === 'rejected' || node.state === 'invalid') branches++
        if (parent === null) return
        expect(parent).toBeLessThan(row)
        for (let between = parent + 1; between < row; between++)
          expect(rows[between]!.lane, 'a node on the line of another').not.toBe(rows[parent]!.lane)
        expect(lanes[row]!.map((passing) => passing.lane)).not.toContain(lane)
      })
    }
    expect(branches).toBeGreaterThan(5)
  })

  it('is ordered by time from top to bottom', () => {
    for (const { tree } of trees) {
      const iterations = lineageRows(tree).map(({ node }) => node.rewrite?.iteration ?? 0)
      expect(iterations).toEqual([...iterations].sort((a, b) => a - b))
    }
  })

  it('describes what happened to each node', () => {
    const accepted = trees.flatMap(({ tree }) => all(tree)).find(({ state }) => state === 'accepted')!
    expect(nodeSentence(accepted)).toMatch(/^Iteration \d+, (harder|easier): accuracy \d+ % → \d+ %, accepted/)
    expect(nodeSentence(trees[0]!.tree)).toMatch(/^Original: .*\d+ rewrites? tried on it$/)
  })

  it('has the accuracy that the rule compared, where a run measures it again', () => {
    const again = foldRun(
      events.map((event) => (event.type === 'rewrite-resolved' ? { ...event, accuracyBefore: 0.625 } : event)),
    )
    const nodes = families(again).flatMap((family) => all(lineageTree(family)))
    const resolved = nodes.filter(({ state }) => state === 'accepted' || state === 'rejected')
    expect(resolved.length).toBeGreaterThan(5)
    for (const node of resolved) expect(accuracies(node).before).toBe(0.625)
    const waiting = nodes.find(({ state }) => state === 'invalid')!
    expect(accuracies(waiting).before).toBe(waiting.rewrite!.proposal.accuracy)
  })
})

describe('the keys of the tree', () => {
  const { tree } = trees.reduce((most, each) => (all(each.tree).length > all(most.tree).length ? each : most))

  it('reach every node and stay inside', () => {
    const keys = fc.array(fc.constantFrom('ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'))
    fc.assert(
      fc.property(keys, (pressed) => {
        const collapsed = new Set<string>()
        let at = 0
        for (const key of pressed) {
          const move = treeMove(lineageRows(tree, collapsed), at, key)!
          if (move.toggled !== null && !collapsed.delete(move.toggled)) collapsed.add(move.toggled)
          at = move.to
          expect(lineageRows(tree, collapsed)[at]).toBeDefined()
        }
      }),
    )
  })

  it('collapse and expand a node, and move to the parent and the first child', () => {
    const open = lineageRows(tree)
    expect(treeMove(open, 0, 'ArrowLeft')).toEqual({ to: 0, toggled: tree.id })
    const closed = lineageRows(tree, new Set([tree.id]))
    expect(closed).toHaveLength(1)
    expect(treeMove(closed, 0, 'ArrowRight')).toEqual({ to: 0, toggled: tree.id })
    expect(treeMove(open, 0, 'ArrowRight')).toEqual({ to: 1, toggled: null })
    const leaf = open.findIndex(({ node }) => node.children.length === 0)
    expect(treeMove(open, leaf, 'ArrowLeft')).toEqual({ to: open[leaf]!.parent, toggled: null })
    expect(treeMove(open, 0, 'End')!.to).toBe(open.length - 1)
    expect(treeMove(open, 0, 'x')).toBeNull()
  })
})

describe('the index of families', () => {
  it('equals a complete reading after every event', () => {
    const index = new LineageIndex()
    const growing = new RunView()
    for (const [i, event] of events.entries()) {
      growing.apply(event)
      const list = index.read(growing)
      if (i % 97 !== 0 && event.type !== 'rewrite-resolved' && event.type !== 'rewrite-proposed') continue
      const expected = new Map(families(growing).map((family) => [family.rootId, family]))
      expect(list.all).toHaveLength(expected.size)
      for (const family of list.all) expect(family).toEqual(expected.get(family.rootId))
    }
  })

  it('rebuilds only families that were rolled out or rewritten', () => {
    const index = new LineageIndex()
    const growing = new RunView()
    const last = events.findLastIndex(({ type }) => type === 'iteration-started')
    for (const event of events.slice(0, last)) growing.apply(event)
    const before = index.read(growing)
    expect(index.read(growing)).toBe(before)
    for (const event of events.slice(last)) growing.apply(event)
    const after = index.read(growing)
    const { taskIds, pendingTaskIds } = growing.current!
    const rolledOut = new Set([...taskIds, ...pendingTaskIds].map((id) => growing.tasks.get(id)!.task.rootId))
    for (const family of after.all)
      expect(family === before.byRoot.get(family.rootId)).toBe(!rolledOut.has(family.rootId))
    expect(rolledOut.size).toBeLessThan(after.all.length)
  })

  it('discards traces of an interrupted iteration', () => {
    const index = new LineageIndex()
    const growing = new RunView()
    const numberOf = (type: LoggedEvent['type']) => events.findLastIndex((event) => event.type === type)
    const cut = numberOf('iteration-finished')
    for (const event of events.slice(0, cut)) growing.apply(event)
    index.read(growing)
    for (const event of events.slice(numberOf('iteration-started'), cut + 1)) growing.apply(event)
    expect(index.read(growing).all).toEqual(
      expect.arrayContaining(families(growing).map((family) => expect.objectContaining({ ...family }) as unknown)),
    )
    const other = growing.at(10)
    expect(index.read(other).all).toHaveLength(families(other).length)
    expect(index.read(other).byRoot.get('task-0')).toEqual(families(other).find(({ rootId }) => rootId === 'task-0'))
  })
})

describe('a room before and after', () => {
  const base = taskOf(generateGame({ seed: 11, split: 'train', sceneSize: 'compact' }))
  const asTask = (task: HouseholdTask, isWithRoom: boolean) => ({
    id: task.id,
    rootId: task.rootId,
    instruction: task.instruction,
    kind: task.goal.taskType,
    body: isWithRoom ? task : null,
  })
  const proposal = (text: string, candidate: HouseholdTask, isWithRoom: boolean) =>
    ({
      attempts: [
        { text: 'goal piano cup', message: 'There is no piano here.', ok: false },
        { text, message: 'Applied.', ok: true },
      ],
      candidate: asTask(candidate, isWithRoom),
    }) as unknown as RewriteProposed

  it('is described from the rooms for every possible rewrite, or else from the author’s line', () => {
    const rewrites = (['harder', 'easier'] as const).flatMap((direction) => possibleRewrites(base, direction))
    const kinds = new Set(rewrites.map(({ kind }) => kind))
    expect(kinds.size).toBeGreaterThan(3)
    for (const kind of kinds) {
      const rewrite = rewrites.find((each) => each.kind === kind)!
      const outcome = applyRewrite(base, rewrite, `${base.id}~1`)
      if (!outcome.ok) throw new Error(outcome.message)
      const line = formatRewrite(rewrite)
      const fromRooms = sceneChange(asTask(base, true), proposal(line, outcome.task, true), null)
      expect(fromRooms.from).toBe('log')
      const count = rewrite.kind === 'add-distractors' ? rewrite.count : 1
      expect(fromRooms.sentences.length, line).toBeGreaterThanOrEqual(count)
      const fromLine = sceneChange(asTask(base, false), proposal(line, outcome.task, false), null)
      expect(fromLine).toMatchObject({ from: 'words', sentences: [expect.any(String)] })
      if ('object' in rewrite && rewrite.kind !== 'change-goal') {
        expect(fromRooms.sentences.join(' '), line).toContain(rewrite.object)
        expect(fromLine.sentences.join(' '), line).toContain(rewrite.object)
      }
    }
  })

  it('is not described if the author’s line is invalid', () => {
    expect(sceneChange(asTask(base, false), proposal('make it fun', base, false), null).sentences).toEqual([])
  })

  it('is regenerated from the seed for rewrites of the recorded run, which contains no rooms, unless many precede', () => {
    const recorded = recordedHousehold()
    let count = 0
    for (const { proposal } of recorded.rewrites.values()) {
      if (!proposal.candidate) continue
      const { sentences, from } = sceneChange(recorded.tasks.get(proposal.taskId)!.task, proposal, recorded)
      const { text } = proposal.attempts.findLast(({ ok }) => ok)!
      const isLong = recorded.lineage(proposal.candidate.id).length > 5
      expect(from, text).toBe(isLong ? 'words' : 'seed')
      if (isLong) continue
      const [, added] = /^ add (\d+)/.exec(text) ?? []
      if (added !== undefined) {
        expect(sentences.filter((sentence) => / is added to /.test(sentence))).toHaveLength(Number(added))
        count++
      }
    }
    expect(count).toBeGreaterThan(3)
  })
})
