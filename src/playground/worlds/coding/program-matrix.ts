/**
 * Programs × tests: all programs of a problem in an iteration, on the hidden tests of the problem and on those that the
 * reward model wrote. Turns the verdicts of the log into rows, columns and marks of tests.
 */
import type { GeneratedTest, StepHappened } from '../../../method/events.ts'
import type { EpisodeView, IterationView, TestsView } from '../../../runs/fold.ts'
import type { Outcome, Score, TestResult, WrittenTest } from '../../../method/ports.ts'
import type { Settings } from '../../../method/settings.ts'
import { capital, decimal, signed } from '../../kit/format.ts'
import type { ShownProblem } from './shown-problem.ts'

/** What a cell shows. Each kind has its own sign, so that none depends on colour alone. */
export const CELL_SIGNS = {
  passed: '✓',
  'wrong answer': '✗',
  'runtime error': 'E',
  'syntax error': 'S',
  'time limit': 'T',
  'memory limit': 'M',
  'output limit': 'O',
  'checker failed': 'C',
  failed: 'F',
  unreadable: '?',
  unknown: '·',
} as const
export type CellKind = keyof typeof CELL_SIGNS
/** 0: counts neither for nor against the program, because the test was not run or its verdict is void. */
export function scoreOf({ kind }: MatrixCell): Score {
  if (kind === 'passed') return 1
  return kind === 'unreadable' || kind === 'unknown' || kind === 'checker failed' ? 0 : -1
}

export interface MatrixCell {
  kind: CellKind
  /** The judge's verdict, and its detail. */
  verdict: string
  detail: string
}

export type TestMark = 'lies' | 'unreadable' | 'detects' | 'passes everything'

export const MARK_MEANINGS: Readonly<Record<TestMark, string>> = {
  lies: 'The reference solution does not pass it: it expects what is not right.',
  unreadable: 'No test can be read from what the reward model wrote; it is not run.',
  detects: 'The reference solution passes it and every wrong program fails it.',
  'passes everything': 'Every program passes it, wrong ones too: it tells nothing apart.',
}

export interface MatrixColumn {
  index: number
  kind: 'hidden' | 'generated'
  /** "hidden test 1", "written test 3". */
  name: string
  /** Null if unknown or unreadable. */
  test: WrittenTest | null
  /** What the reward model wrote; null for hidden tests. */
  generated: GeneratedTest | null
  marks: TestMark[]
  /** Null until assigned, and for hidden tests. */
  feedback: number | null
  /** Undefined until assigned, and for hidden tests; null if it does not train. */
  advantage: number | null | undefined
  passed: number
  run: number
}

export interface MatrixRow {
  index: number
  episodeId: string
  rollout: number
  /** Null while being judged. */
  outcome: Outcome | null
  thought: string
  program: string
  observation: string
  /** Results on hidden tests; null while being judged. */
  hidden: { passed: number; count: number } | null
  /** Results on the written tests that could be run. */
  written: { passed: number; count: number } | null
  feedback: number | null
  advantage: number | null | undefined
  /** One per column. */
  cells: MatrixCell[]
}

export interface ProgramMatrix {
  rows: MatrixRow[]
  columns: MatrixColumn[]
  hiddenCount: number
}

const UNKNOWN: MatrixCell = { kind: 'unknown', verdict: 'not run', detail: '' }
const UNREADABLE: MatrixCell = { kind: 'unreadable', verdict: 'unreadable', detail: 'The test cannot be read.' }

export interface MatrixSource {
  iteration: IterationView
  taskId: string
  problem: ShownProblem | null
  /** Null until written. */
  tests: TestsView | null
  /** Programs that are written but not logged yet, by episode. */
  live?: ReadonlyMap<string, readonly StepHappened[]>
}

export function programMatrix({ iteration, taskId, problem, tests, live = new Map() }: MatrixSource): ProgramMatrix {
  const episodes = iteration.episodes
    .filter(({ episode }) => episode.taskId === taskId)
    .sort((a, b) => a.episode.rollout - b.episode.rollout)
  const hiddenCount = Math.max(
    problem?.tests.length ?? 0,
    ...episodes.map(({ episode }) => episode.steps[0]?.tests?.length ?? 0),
  )
  const written = tests?.written.tests ?? []
  const resultRow = new Map(tests?.written.episodeIds.map((id, row) => [id, row]))

  const rows = episodes.map((view, index) => finishedRow(view, index, hiddenCount, written, tests, resultRow))
  const known = new Set(rows.map((row) => row.episodeId))
  for (const [episodeId, steps] of live) {
    const step = steps.at(-1)
    if (step?.taskId !== taskId || known.has(episodeId)) continue
    rows.push(livingRow(step, rows.length, hiddenCount + written.length))
  }
  const columns = [
    ...Array.from({ length: hiddenCount }, (_, index) => hiddenColumn(index, rows, problem)),
    ...written.map((generated, j) => generatedColumn(generated, j, hiddenCount + j, rows, tests)),
  ]
  return { rows, columns, hiddenCount }
}

function finishedRow(
  { episode, feedback, policyAdvantages }: EpisodeView,
  index: number,
  hiddenCount: number,
  written: readonly GeneratedTest[],
  tests: TestsView | null,
  resultRow: ReadonlyMap<string, number>,
): MatrixRow {
  const step = episode.steps[0]
  const hidden = step?.tests ?? []
  const row = resultRow.get(episode.episodeId)
  const results = row === undefined ? undefined : tests?.written.results[row]
  const generatedCells = written.map((test, j) => {
    if (test.test === null) return UNREADABLE
    if (!results) return UNKNOWN
    // A test that its form cannot parse is not run either.
    return results[j] ? cellOf(results[j]) : UNREADABLE
  })
  const run = generatedCells.filter((cell) => scoreOf(cell) !== 0)
  return {
    index,
    episodeId: episode.episodeId,
    rollout: episode.rollout,
    outcome: episode.outcome,
    thought: step?.thought ?? '',
    program: step?.command || step?.response || '',
    observation: step?.observation ?? '',
    hidden: {
      passed: hidden.filter((result) => result.passed).length,
      count: hidden.filter((result) => !result.isVoid).length,
    },
    written: results ? { passed: run.filter(({ kind }) => kind === 'passed').length, count: run.length } : null,
    feedback: feedback?.[0] ?? null,
    advantage: policyAdvantages?.[0],
    cells: [
      ...Array.from({ length: hiddenCount }, (_, t) => (hidden[t] ? cellOf(hidden[t]) : UNKNOWN)),
      ...generatedCells,
    ],
  }
}

function livingRow(step: StepHappened, index: number, width: number): MatrixRow {
  return {
    index,
    episodeId: step.episodeId,
    rollout: index,
    outcome: null,
    thought: '',
    program: step.response.trim(),
    observation: step.observation,
    hidden: null,
    written: null,
    feedback: null,
    advantage: undefined,
    cells: Array.from({ length: width }, () => UNKNOWN),
  }
}

export function cellOf({ passed, verdict, detail }: TestResult): MatrixCell {
  if (passed) return { kind: 'passed', verdict: verdict || 'passed', detail }
  const kind = Object.hasOwn(CELL_SIGNS, verdict) && verdict !== 'passed' ? (verdict as CellKind) : 'failed'
  return { kind, verdict: verdict || 'failed', detail }
}

function hiddenColumn(index: number, rows: readonly MatrixRow[], problem: ShownProblem | null): MatrixColumn {
  const cells = rows.map((row) => row.cells[index]!).filter((cell) => !isUnsaid(cell))
  return {
    index,
    kind: 'hidden',
    name: `hidden test ${index + 1}`,
    test: problem?.tests[index] ?? null,
    generated: null,
    marks: [],
    feedback: null,
    advantage: undefined,
    passed: cells.filter(({ kind }) => kind === 'passed').length,
    run: cells.length,
  }
}

/** Not run, or void. */
function isUnsaid({ kind }: MatrixCell): boolean {
  return kind === 'unknown' || kind === 'checker failed'
}

function generatedColumn(
  generated: GeneratedTest,
  j: number,
  index: number,
  rows: readonly MatrixRow[],
  tests: TestsView | null,
): MatrixColumn {
  const judged = rows.filter((row) => row.outcome !== null && !isUnsaid(row.cells[index]!))
  const isPassed = (row: MatrixRow) => row.cells[index]!.kind === 'passed'
  const wrong = judged.filter((row) => row.outcome === -1)
  const marks: TestMark[] = []
  const isUnreadable = generated.test === null || judged.some((row) => row.cells[index]!.kind === 'unreadable')
  if (isUnreadable) marks.push('unreadable')
  else {
    if (generated.isTrue === false) marks.push('lies')
    if (generated.isTrue === true && wrong.length > 0 && !wrong.some(isPassed)) marks.push('detects')
    if (judged.length > 0 && judged.every(isPassed) && wrong.length > 0) marks.push('passes everything')
  }
  return {
    index,
    kind: 'generated',
    name: `written test ${j + 1}`,
    test: generated.test,
    generated,
    marks,
    feedback: tests?.feedback?.[j] ?? null,
    advantage: tests?.advantages?.[j],
    passed: judged.filter(isPassed).length,
    run: isUnreadable ? 0 : judged.length,
  }
}

/** The tests that count against a program. */
export function failures(
  { columns }: ProgramMatrix,
  { cells }: MatrixRow,
): (MatrixCell & Pick<MatrixColumn, 'index' | 'name'>)[] {
  return columns.flatMap(({ index, name }) =>
    scoreOf(cells[index]!) === -1 ? [{ index, name, ...cells[index]! }] : [],
  )
}

/** What a false test expects, and what the programs that solve the problem answer instead. */
export function lieSentence(matrix: ProgramMatrix, column: MatrixColumn): string | null {
  if (!column.marks.includes('lies') || !column.test) return null
  const witness = matrix.rows.find((row) => row.outcome === 1 && row.cells[column.index]!.kind === 'wrong answer')
  const expected = `It expects ${column.test.output.trim()}.`
  if (!witness) return `${expected} The reference solution answers something else.`
  const detail = witness.cells[column.index]!.detail
  return `${expected} The reference solution answers something else; so does program ${witness.rollout + 1}, which passes all hidden tests${detail ? `: ${detail}` : ''}.`
}

/** A cell in one sentence, for a title and for screen readers. */
export function cellSentence(row: MatrixRow, column: MatrixColumn): string {
  const { verdict, detail } = row.cells[column.index]!
  return `Program ${row.rollout + 1}, ${column.name}: ${verdict}${detail ? `, ${detail}` : ''}`
}

export function rowSentence(row: MatrixRow): string {
  const parts = [`Program ${row.rollout + 1}`]
  parts.push(row.outcome === null ? 'being judged' : row.outcome === 1 ? 'right' : 'wrong')
  if (row.hidden) parts.push(`passes ${row.hidden.passed} of ${row.hidden.count} hidden tests`)
  if (row.written) parts.push(`${row.written.passed} of ${row.written.count} written tests`)
  if (row.feedback !== null) parts.push(`R ${signed(row.feedback)}`)
  if (row.advantage !== undefined)
    parts.push(row.advantage === null ? 'no advantage' : `advantage ${signed(row.advantage)}`)
  return parts.join(', ')
}

export function columnSentence(column: MatrixColumn): string {
  const parts = [capital(column.name)]
  if (column.test) parts.push(`input ${column.test.input.trim()}`, `output ${column.test.output.trim()}`)
  parts.push(...column.marks)
  if (column.run > 0) parts.push(`${column.passed} of ${column.run} programs pass`)
  if (column.feedback !== null) parts.push(`feedback ${signed(column.feedback)}`)
  if (column.advantage !== undefined)
    parts.push(column.advantage === null ? 'no advantage' : `advantage ${signed(column.advantage)}`)
  return parts.join(', ')
}

/** R of a program with the numbers of the log, in the notation of kit/math/formula.ts; null until assigned. */
export function programArithmetic(
  matrix: ProgramMatrix,
  row: MatrixRow,
  { lambda, signal, profile }: Pick<Settings, 'lambda' | 'signal' | 'profile'>,
): string | null {
  if (row.feedback === null || row.outcome === null) return null
  const r = signed(row.feedback)
  // The released code trains the policy on the hidden tests alone (method/test-writing/advantages.ts).
  if (profile === 'reference') {
    return row.hidden ? `R = "hidden tests passed" = {${row.hidden.passed}}/{${row.hidden.count}} = "${r}"` : null
  }
  if (signal === 'outcome') return `R = O = "${r}"`
  const scores = matrix.columns
    .filter((column) => column.kind === 'generated')
    .map((column) => scoreOf(row.cells[column.index]!))
  const counted = scores.filter((score) => score !== 0).length
  const passed = scores.filter((score) => score === 1).length
  const failed = scores.filter((score) => score === -1).length
  const mean = counted === 0 ? '0 "(no test could be read)"' : `{${passed} passed − ${failed} failed}/{${counted}}`
  if (signal === 'step') return `R = {Σ S}/{m} = ${mean} = "${r}"`
  return `R = O + λ {Σ S}/{m} = "${signed(row.outcome, 0)}" + ${decimal(lambda, lambda % 1 === 0 ? 0 : 2)} · ${mean} = "${r}"`
}
