/**
 * The standardisation as a heat map: what is compared with what. In the household one task is shown, trajectory by step
 * index, and a step is compared down its column. In the coding setting the whole batch is, problem by program or by written
 * test, and a program is compared along its row.
 */
import type { Outcome } from '../../../method/ports.ts'
import { isFlipped, type Rederived } from '../../run/batch.ts'
import { counted, decimal, signed } from '../../kit/format.ts'
import { cellName, type GroupView } from '../../run/trajectories.ts'

export type MapRole = 'policy' | 'reward'

/** One advantage; a step has one for the policy and m for the reward model. */
export interface MapPart {
  value: number | null
  before: number | null
  isFlipped: boolean
}

export interface MapCell {
  taskId: string
  trajectory: number
  step: number
  parts: MapPart[]
  /** What stands in it while its advantage has not been assigned; null once it has been. */
  awaited: string | null
  /** For screen readers and as a title: where it is and what is in it. */
  name: string
}

export interface MapRow {
  key: string
  label: string
  /** Null where the row has none of its own, or its rollout is not over. */
  outcome: Outcome | null
  /** How many programs of a problem are right, "5/8"; null of a rollout. */
  solved: string | null
  cells: MapCell[]
}

export interface AdvantageMap {
  role: MapRole
  /** For screen readers. */
  name: string
  rowNoun: string
  columnNoun: string
  /** "down its column" or "along its row". */
  direction: string
  rows: MapRow[]
  width: number
}

/** With what a person who does not see the map would count in it. */
function rolloutsName(rows: readonly MapRow[]): string {
  const longest = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const solved = rows.filter(({ outcome }) => outcome === 1).length
  return `Rollouts of this task, step by step: ${counted(rows.length, 'rollout')} of up to ${counted(longest, 'step')}, ${solved} solved`
}

export function advantageMap(batch: readonly Rederived[], taskId: string, role: MapRole): AdvantageMap | null {
  const chosen = batch.find(({ group }) => group.taskId === taskId)
  if (!chosen) return null
  const isSteps = chosen.group.kind === 'steps'
  const rows = isSteps ? stepRows(chosen, role) : batch.map((group) => problemRow(group, role))
  return {
    role,
    name: isSteps
      ? rolloutsName(rows)
      : `Advantages of this batch, problem by problem: ${counted(rows.length, 'problem')}`,
    rowNoun: isSteps ? 'Rollout' : 'Problem',
    columnNoun: isSteps ? 'Step' : role === 'policy' ? 'Program' : 'Test',
    direction: isSteps ? 'down its column' : 'along its row',
    rows,
    width: Math.max(0, ...rows.map(({ cells }) => cells.length)),
  }
}

/** Rollouts of which nothing is known yet but what was done, and how it was judged so far. */
export function awaitedMap({ taskId, trajectories, width }: GroupView): AdvantageMap {
  const rows = trajectories.map((trajectory, row): MapRow => {
    const cells = trajectory.steps.map((step, index): MapCell => {
      const awaited = step.meanScore === null ? '·' : signed(step.meanScore, 1)
      return { taskId, trajectory: row, step: index, parts: [], awaited, name: cellName(trajectory, step) }
    })
    const { episodeId, outcome } = trajectory
    return { key: episodeId, label: String(trajectory.rollout + 1), outcome, solved: null, cells }
  })
  return {
    role: 'policy',
    name: rolloutsName(rows),
    rowNoun: 'Rollout',
    columnNoun: 'Step',
    direction: 'down its column',
    rows,
    width,
  }
}

function stepRows({ group, before, now }: Rederived, role: MapRole): MapRow[] {
  return group.outcomes.map((outcome, trajectory) => ({
    key: group.episodes[trajectory]!.episode.episodeId,
    label: String(trajectory + 1),
    outcome,
    solved: null,
    cells: group.scores[trajectory]!.map((votes, step) => {
      const parts =
        role === 'policy'
          ? [part(now.policy[trajectory]![step]!, before.policy[trajectory]![step]!)]
          : votes.map((_, vote) =>
              part(now.reward[trajectory]![step]![vote]!, before.reward[trajectory]![step]![vote]!),
            )
      return cell(group.taskId, trajectory, step, parts, `Rollout ${trajectory + 1}, step ${step + 1}`)
    }),
  }))
}

function problemRow({ group, before, now }: Rederived, role: MapRole): MapRow {
  const cells =
    role === 'policy'
      ? group.outcomes.map((_, program) =>
          cell(
            group.taskId,
            program,
            0,
            [part(now.policy[program]![0]!, before.policy[program]![0]!)],
            `Program ${program + 1}`,
          ),
        )
      : (now.tests?.reward ?? []).map((reward, test) =>
          cell(group.taskId, 0, test, [part(reward, before.tests?.reward[test] ?? null)], `Test ${test + 1}`),
        )
  const right = group.outcomes.filter((outcome) => outcome === 1).length
  return {
    key: group.taskId,
    label: group.instruction,
    outcome: null,
    solved: `${right}/${group.outcomes.length}`,
    cells,
  }
}

function part(value: number | null, before: number | null): MapPart {
  return { value, before, isFlipped: isFlipped(before, value) }
}

function cell(taskId: string, trajectory: number, step: number, parts: MapPart[], where: string): MapCell {
  const name = `${where}, ${parts.map(partWords).join('; ') || 'nobody judged it'}`
  return { taskId, trajectory, step, parts, awaited: null, name }
}

/** "advantage +1.20, was −0.40, its sign has flipped". */
function partWords({ value, before, isFlipped }: MapPart): string {
  const now = value === null ? 'does not train' : `advantage ${signed(value)}`
  const isSame = before === value || (before !== null && value !== null && signed(before) === signed(value))
  const was = isSame ? '' : before === null ? ', did not train' : `, was ${signed(before)}`
  return `${now}${was}${isFlipped ? ', its sign has flipped' : ''}`
}

/** What is written in a cell: "1.2" or "−0.4"; nothing where there are several parts, which are too narrow for numbers. */
export function cellText({ parts, awaited }: MapCell): string {
  if (awaited !== null) return awaited
  if (parts.length > 1) return ''
  return parts.map(({ value }) => (value === null ? '–' : decimal(value, 1))).join(' ')
}

/** Ink for what is encouraged, red for what is discouraged; deeper with the size, full at 2. */
export function shade(value: number | null): string {
  if (value === null || value === 0) return 'var(--surface)'
  const weight = decimal(Math.min(1, Math.abs(value) / 2) * 46, 0)
  return `color-mix(in oklab, ${value < 0 ? 'var(--negative)' : 'var(--ink-3)'} ${weight}%, var(--surface))`
}
