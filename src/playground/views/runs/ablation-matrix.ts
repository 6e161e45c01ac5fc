/**
 * The results of ablations: for every row and column the mean over seeds with its 95 % interval, and the difference from
 * the full loop, computed from the metric rows of kept runs.
 *
 * Only complete runs count. Held-out values come from a run's last evaluation. Training values are means over its last
 * tenth of iterations, since one iteration has only a few episodes. Accepted tasks count the whole run.
 */
import { heldOutMetric } from '../../../runs/held-out.ts'
import type { MetricRow } from '../../../runs/metric-rows.ts'
import type { RunSummary } from '../../../runs/run-store.ts'
import { ABLATION_IDS, ablationLabel, ablationOf, experimentKey, type AblationId } from '../../run/ablations.ts'
import { decimal, percent, signed } from '../../kit/format.ts'
import { experimentName } from '../../run/run-names.ts'
import { seedDifference, verdictOf, type BySeed, type SeedDifference, type Verdict } from './seed-difference.ts'
import { mean } from '../../../results/moments.ts'
import { meanInterval } from '../../../results/student-t.ts'
import { LEAST_SEEDS } from '../../run/seed-interval.ts'
import type { World } from '../../../method/settings.ts'

type Measure = 'last' | 'last-tenth' | 'total'

interface ColumnKind {
  label: string
  metric: string
  measure: Measure
  unit: 'share' | 'count'
}

const COLUMNS = {
  id: { label: 'In distribution', metric: 'eval/id/acc', measure: 'last', unit: 'share' },
  ood: { label: 'Out of distribution', metric: 'eval/ood/acc', measure: 'last', unit: 'share' },
  judge: { label: 'Reward model, balanced', metric: 'judge/balanced_acc', measure: 'last', unit: 'share' },
  judgeUt: { label: 'UT, fixed programs', metric: 'judge/ut', measure: 'last', unit: 'share' },
  judgeDetect: { label: 'Detect, fixed programs', metric: 'judge/detect', measure: 'last', unit: 'share' },
  reward: { label: 'Training steps, process', metric: 'reward/process_acc', measure: 'last-tenth', unit: 'share' },
  truth: { label: 'Training, true tests', metric: 'reward/test_truth', measure: 'last-tenth', unit: 'share' },
  ut: { label: 'UT', metric: 'eval/id/ut', measure: 'last', unit: 'share' },
  detect: { label: 'Detect', metric: 'eval/id/detect', measure: 'last', unit: 'share' },
  accepted: { label: 'Accepted tasks', metric: 'env/accepted', measure: 'total', unit: 'count' },
  rollouts: { label: 'Rollouts', metric: 'rollout/total', measure: 'last', unit: 'count' },
} as const satisfies Record<string, ColumnKind>
type ColumnId = keyof typeof COLUMNS
const COLUMN_IDS = Object.keys(COLUMNS) as ColumnId[]

/** The results of a run, without those that were never measured. */
export type Outcome = Partial<Record<ColumnId, number>>

export function runOutcome(rows: readonly MetricRow[]): Outcome {
  // Skip evaluations before training.
  return outcomeOf(rows.filter(({ iteration }) => iteration > 0))
}

function outcomeOf(rows: readonly MetricRow[]): Outcome {
  const outcome: Outcome = {}
  for (const id of COLUMN_IDS) {
    const { metric: asked, measure } = COLUMNS[id]
    const metric = heldOutMetric(asked, (name) => rows.some(({ values }) => name in values))
    const values = rows.flatMap(({ iteration, values: all }) =>
      all[metric] === undefined ? [] : [{ iteration, value: all[metric] }],
    )
    if (values.length > 0) outcome[id] = measured(values, measure)
  }
  return outcome
}

/** The results of its models before training. */
export function startOutcome(rows: readonly MetricRow[]): Outcome {
  const { accepted: _, ...outcome } = outcomeOf(rows.filter(({ iteration }) => iteration === 0))
  return outcome
}

function measured(values: readonly { iteration: number; value: number }[], measure: Measure): number {
  const last = values.at(-1)!
  if (measure === 'last') return last.value
  const sum = (of: typeof values) => of.reduce((total, { value }) => total + value, 0)
  if (measure === 'total') return sum(values)
  const tenth = values.filter(
    ({ iteration }) => iteration > last.iteration - Math.max(1, Math.ceil(last.iteration / 10)),
  )
  return sum(tenth) / tenth.length
}

export interface Experiment {
  key: string
  name: string
  world: World
  /** Newest first. */
  runs: readonly RunSummary[]
}

export function isComplete(run: Pick<RunSummary, 'finishedIterations' | 'iterations'>): boolean {
  return run.finishedIterations >= run.iterations
}

/** Groups of kept runs that form a matrix of at least two rows, newest first. Votes alone, without filters, join every group. */
export function experimentsOf(runs: readonly RunSummary[]): Experiment[] {
  const keyed = [...runs]
    .sort((a, b) => b.createdAt - a.createdAt)
    .flatMap((run) => {
      const key = experimentKey(run)
      return key === null ? [] : [{ run, ...key }]
    })
  const filtersOf = (settings: string) => {
    const known = keyed.flatMap((each) => (each.settings === settings && each.filters !== null ? [each.filters] : []))
    return known.length > 0 ? known : ['']
  }
  const groups = new Map<string, { run: RunSummary; filters: string | null }[]>()
  for (const each of keyed) {
    for (const filters of each.filters === null ? new Set(filtersOf(each.settings)) : [each.filters]) {
      const key = each.settings + filters
      const group = groups.get(key)
      if (group) group.push(each)
      else groups.set(key, [each])
    }
  }
  return [...groups].flatMap(([key, members]) => {
    if (new Set(members.map(({ run }) => ablationOf(run.settings))).size < 2) return []
    const { run: first } = members.find(({ filters }) => filters !== null) ?? members[0]!
    const all = members.map(({ run }) => run)
    return [{ key, name: experimentName(first), world: first.settings.world, runs: all }]
  })
}

export interface MatrixCell {
  /** Seeds that have a value. */
  n: number
  mean: number
  /** Half the width of the interval; null for fewer than three seeds. */
  half: number | null
  /** Difference from the full loop; null in its own row and where it has no value. */
  difference: (SeedDifference & { verdict: Verdict }) | null
}

export interface MatrixRow {
  /** Null for the models before training. */
  ablation: AblationId | null
  label: string
  /** Seeds of complete runs, in order. */
  seeds: number[]
  /** Complete runs, in the order of their seeds. */
  runIds: string[]
  /** Running, stopped or failed runs of seeds without a complete run. They do not count. */
  incomplete: number
  cells: (MatrixCell | null)[]
}

export interface AblationMatrix {
  columns: { id: ColumnId; label: string }[]
  rows: MatrixRow[]
}

interface Measured {
  start: Outcome
  end: Outcome
}

/** `measuredOf` returns the results of a complete run, or null while they are unread. */
export function ablationMatrix(
  { runs, world }: Pick<Experiment, 'runs' | 'world'>,
  measuredOf: (runId: string) => Measured | null,
): AblationMatrix {
  const bySeed = new Map(ABLATION_IDS.map((id) => [id, completeBySeed(runs.filter((run) => isRowOf(run, id)))]))
  const first = {
    ablation: null,
    label: 'Before training',
    runs: startRuns([...bySeed.values()]),
    at: 'start' as const,
  }
  const lines = ABLATION_IDS.filter((id) => runs.some((run) => isRowOf(run, id))).map((id) => {
    return { ablation: id, label: ablationLabel(id, world), runs: bySeed.get(id)!, at: 'end' as const }
  })
  const values = (line: (typeof lines)[number] | typeof first, column: ColumnId): BySeed =>
    new Map(
      [...line.runs].flatMap(([seed, { runId }]): [number, number][] => {
        const value = measuredOf(runId)?.[line.at][column]
        return value === undefined ? [] : [[seed, value]]
      }),
    )
  const full = lines.find(({ ablation }) => ablation === 'full')
  const ids = COLUMN_IDS.filter((id) => lines.some((line) => values(line, id).size > 0))
  const all = ids.some((id) => values(first, id).size > 0) ? [first, ...lines] : lines
  return {
    columns: ids.map((id) => ({ id, label: COLUMNS[id].label })),
    rows: all.map((line) => {
      const { ablation, label } = line
      const seeds = [...line.runs.keys()].sort((a, b) => a - b)
      const others = runs.filter(
        (run) => ablation !== null && isRowOf(run, ablation) && !line.runs.has(run.settings.seed),
      )
      return {
        ...{ ablation, label, seeds },
        runIds: ablation === null ? [] : seeds.map((seed) => line.runs.get(seed)!.runId),
        incomplete: others.length,
        cells: ids.map((id) => cellOf(values(line, id), full && full !== line ? values(full, id) : null)),
      }
    }),
  }
}

function isRowOf({ settings }: RunSummary, id: AblationId): boolean {
  return ablationOf(settings) === id
}

/** The newest complete run of each seed: repeating a seed repeats the run and adds no sample. */
function completeBySeed(runs: readonly RunSummary[]): Map<number, RunSummary> {
  const complete = runs.filter(isComplete).sort((a, b) => a.createdAt - b.createdAt)
  return new Map(complete.map((run) => [run.settings.seed, run]))
}

/** One run of each seed: all runs of a seed start alike. */
function startRuns(rows: readonly Map<number, RunSummary>[]): Map<number, RunSummary> {
  return new Map(rows.flatMap((row) => [...row]))
}

function cellOf(values: BySeed, full: BySeed | null): MatrixCell | null {
  if (values.size === 0) return null
  const all = [...values.values()]
  const interval = all.length < LEAST_SEEDS ? null : meanInterval(all)
  const difference = full && seedDifference(values, full)
  return {
    n: all.length,
    mean: mean(all),
    half: interval && interval.high - interval.mean,
    difference: difference && { ...difference, verdict: verdictOf(difference) },
  }
}

/** "43.8 % ± 5.2", "12.0 ± 3.1". */
export function writeMean({ mean, half }: Pick<MatrixCell, 'mean' | 'half'>, column: ColumnId): string {
  const isShare = COLUMNS[column].unit === 'share'
  const text = isShare ? percent(mean, 1) : decimal(mean, 1)
  return half === null ? text : `${text} ± ${decimal(isShare ? 100 * half : half, 1)}`
}

/** "−4.1 ± 5.0", in percentage points for shares. */
export function writeDifference({ mean, half }: SeedDifference, column: ColumnId): string {
  const scale = COLUMNS[column].unit === 'share' ? 100 : 1
  const text = signed(scale * mean, 1)
  return half === null ? text : `${text} ± ${decimal(scale * half, 1)}`
}

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  above: 'above the full loop',
  below: 'below the full loop',
  'spans-zero': 'interval spans 0',
  equal: 'equal to the full loop',
  'no-spread': 'no interval: the same for all seeds',
  'no-interval': 'no interval: fewer than three seeds',
}
