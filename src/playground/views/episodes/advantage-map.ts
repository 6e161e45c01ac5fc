/**
 * A heat map that shows which advantages are compared. The household's map has one task, trajectories by step index, where a
 * step is compared down its column. The coding map has the batch, problems by programs or written tests, where a program is
 * compared along its row.
 */
import type { Outcome } from '../../../method/ports.ts'
import { isFlipped, type BatchGroup, type Rederived } from '../../../runs/batch.ts'
import { counted, signed } from '../../kit/format.ts'
import { commandOf, votesWords } from '../../run/step-words.ts'
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
  /** Text of the cell before its advantage is assigned; null afterwards. */
  awaited: string | null
  /** Position and content: the action, its votes, R and the advantage, as a title and for screen readers. */
  name: string
}

export interface MapRow {
  label: string
  /** The label in full. */
  title: string
  /** Null for rows of programs and for unfinished rollouts. */
  outcome: Outcome | null
  /** Share of correct programs, "5/8"; null for a rollout. */
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
  /** `failedAloneFrom` of the task's rollouts; null for programs and without advantages. */
  failedAloneFrom: number | null
}

/** Describes the map for screen readers. */
function rolloutsName(rows: readonly MapRow[]): string {
  const longest = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const solved = rows.filter(({ outcome }) => outcome === 1).length
  return `Rollouts of this task, step by step: ${counted(rows.length, 'rollout')} of up to ${counted(longest, 'step')}, ${solved} solved`
}

export function advantageMap(batch: readonly Rederived[], taskId: string, role: MapRole): AdvantageMap | null {
  const chosen = batch.find(({ group }) => group.taskId === taskId)
  if (!chosen) return null
  const isSteps = chosen.group.kind === 'steps'
  const labels = distinctEnds(batch.map(({ group }) => group.instruction))
  const rows = isSteps ? stepRows(chosen, role) : batch.map((group, row) => problemRow(group, role, labels[row]!))
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
    failedAloneFrom: isSteps ? failedAloneFrom(chosen.group) : null,
  }
}

/** The map of an iteration without advantages: cells show mean votes. */
export function awaitedMap({ taskId, trajectories, width }: GroupView): AdvantageMap {
  const rows = trajectories.map((trajectory, row): MapRow => {
    const cells = trajectory.steps.map((step, index): MapCell => {
      const awaited = step.meanScore === null ? '·' : signed(step.meanScore, 1)
      return { taskId, trajectory: row, step: index, parts: [], awaited, name: cellName(trajectory, step) }
    })
    const label = String(trajectory.rollout + 1)
    return { label, title: label, outcome: trajectory.outcome, solved: null, cells }
  })
  return {
    role: 'policy',
    name: rolloutsName(rows),
    rowNoun: 'Rollout',
    columnNoun: 'Step',
    direction: 'down its column',
    rows,
    width,
    failedAloneFrom: null,
  }
}

function stepRows({ group, before, now }: Rederived, role: MapRole): MapRow[] {
  const alone = failedAloneFrom(group) ?? Infinity
  return group.outcomes.map((outcome, trajectory) => ({
    label: String(trajectory + 1),
    title: String(trajectory + 1),
    outcome,
    solved: null,
    cells: group.scores[trajectory]!.map((votes, step) => {
      const parts =
        role === 'policy'
          ? [part(now.policy[trajectory]![step]!, before.policy[trajectory]![step]!)]
          : votes.map((_, vote) =>
              part(now.reward[trajectory]![step]![vote]!, before.reward[trajectory]![step]![vote]!),
            )
      const where = [
        `Rollout ${trajectory + 1}, step ${step + 1}`,
        commandOf(group, trajectory, step),
        `${votesWords(votes)}, R ${signed(now.feedback[trajectory]![step]!)}`,
        ...(step >= alone ? ['among failed rollouts alone'] : []),
      ]
      return cell(group.taskId, trajectory, step, parts, where.join(', '))
    }),
  }))
}

/**
 * Index of the first step that no solved rollout has: from there on failed rollouts are compared among themselves, so that the better of
 * them are encouraged although they failed. Null if none is solved, or no failed one is longer.
 */
export function failedAloneFrom({ outcomes, scores }: Pick<BatchGroup, 'outcomes' | 'scores'>): number | null {
  const solved = scores.filter((_, trajectory) => outcomes[trajectory] === 1).map(({ length }) => length)
  const longest = Math.max(...solved)
  return solved.length > 0 && scores.some(({ length }) => length > longest) ? longest : null
}

/** Texts without the beginning that they share with another, up to the end of a clause or else of a word. */
function distinctEnds(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const lengths = texts.map((other) => (other === text ? 0 : sharedLength(text, other)))
    const shared = text.slice(0, Math.max(...lengths))
    const beginning = /^.*[:,.] /s.exec(shared) ?? /^.* /s.exec(shared)
    return beginning ? `… ${text.slice(beginning[0].length)}` : text
  })
}

/** How many characters two texts have in common at their beginning. */
function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

function problemRow({ group, before, now }: Rederived, role: MapRole, label: string): MapRow {
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
    label,
    title: group.instruction,
    outcome: null,
    solved: `${right}/${group.outcomes.length}`,
    cells,
  }
}

function part(value: number | null, before: number | null): MapPart {
  return { value, before, isFlipped: isFlipped(before, value) }
}

function cell(taskId: string, trajectory: number, step: number, parts: MapPart[], where: string): MapCell {
  const name = `${where}, ${parts.map(partWords).join('; ') || 'not judged'}`
  return { taskId, trajectory, step, parts, awaited: null, name }
}

/** "advantage +1.20, was −0.40, its sign has flipped". */
function partWords({ value, before, isFlipped }: MapPart): string {
  const now = value === null ? 'does not train' : `advantage ${signed(value)}`
  const isSame = before === value || (before !== null && value !== null && signed(before) === signed(value))
  const was = isSame ? '' : before === null ? ', did not train' : `, was ${signed(before)}`
  return `${now}${was}${isFlipped ? ', its sign has flipped' : ''}`
}

/** Text of a cell: "+1.2" or "−0.4". Cells with several parts are too narrow for text. */
export function cellText({ parts, awaited }: MapCell): string {
  if (awaited !== null) return awaited
  if (parts.length > 1) return ''
  return parts.map(({ value }) => signed(value, 1)).join(' ')
}
