/** Makes a results file of the finished runs of a table. */
import { RESULTS_FORMAT, type MapCell, type ResultsFile, type ResultsRow } from '../../../results/results-file.ts'
import { claimsOf } from './claims.ts'
import { pairedDifference, summary } from '../../../results/paired-difference.ts'
import { SHIPPED, type MapPlace, type RowPlan, type TablePlan } from './plan.ts'
import { round, rounded } from '../../../results/round.ts'
import { evaluated, type RunRecord } from './run-record.ts'

/** Runs by arm and seed. */
export type TableRuns = ReadonlyMap<string, ReadonlyMap<number, RunRecord>>

export interface Provenance {
  command: string
  /** "2026-02-03" */
  date: string
  models: Readonly<Record<string, string>>
}

/** Throws Error if a run is missing. */
export function buildResults(plan: TablePlan, runs: TableRuns, from: Provenance): ResultsFile {
  const all = plan.arms.flatMap(({ id }) => plan.seeds.map((seed) => runOf(runs, id, seed)))
  const rows = plan.rows.map((row) => rowOf(plan, row, runs))
  return {
    format: RESULTS_FORMAT,
    version: 1,
    table: plan.table,
    title: plan.title,
    commits: distinct(all.map(({ commit }) => commit)),
    command: from.command,
    seeds: [...plan.seeds],
    backends: distinct(all.map(({ backend }) => backend)),
    models: { ...from.models },
    date: from.date,
    evaluationTasks: plan.evaluationTasks,
    ...(plan.startsEarly && { startsEarly: true as const }),
    measures: plan.measures.map(({ id, label, unit }) => ({ id, label, unit })),
    rows,
    claims: claimsOf(plan.claims, rows),
    ...(plan.curves && { curves: curvesOf(plan, plan.curves, runs) }),
    ...(plan.map && { map: plan.map.flatMap((place) => mapCells(plan, place, runs)) }),
  }
}

function runOf(runs: TableRuns, arm: string, seed: number): RunRecord {
  const run = runs.get(arm)?.get(seed)
  if (run === undefined) throw new Error(`The run of ${arm} with seed ${seed} is missing.`)
  return run
}

function rowOf(plan: TablePlan, row: RowPlan, runs: TableRuns): ResultsRow {
  const arm = plan.arms.find(({ id }) => id === row.arm)!
  const shown = plan.measures.filter(({ id }) => row.only?.includes(id) ?? true)
  const isStart = row.isStart === true
  return {
    id: row.id,
    label: row.label,
    preset: arm.preset,
    settings: arm.settings,
    iterations: isStart ? 0 : arm.iterations,
    isStart,
    ...(arm.start !== undefined && arm.start !== SHIPPED && { start: arm.start }),
    values: Object.fromEntries(
      shown.map((measure) => [
        measure.id,
        plan.seeds.map((seed) => {
          const run = runOf(runs, arm.id, seed)
          const peers = new Map(plan.arms.map(({ id }) => [id, runOf(runs, id, seed)]))
          return round(isStart ? (measure.atStart?.(run, peers) ?? null) : measure.of(run, peers))
        }),
      ]),
    ),
  }
}

/** Means over seeds at each evaluated iteration. */
function curvesOf(plan: TablePlan, curves: Readonly<Record<string, string>>, runs: TableRuns): ResultsFile['curves'] {
  return plan.rows
    .filter(({ isStart }) => isStart !== true)
    .flatMap((row) =>
      Object.entries(curves).map(([measure, metric]) => {
        const ofSeeds = plan.seeds.map((seed) => runOf(runs, row.arm, seed))
        const iterations = distinct(ofSeeds.flatMap(({ evaluations }) => evaluations.map(({ iteration }) => iteration)))
        const points = iterations
          .sort((a, b) => a - b)
          .flatMap((iteration) => {
            const at = (run: RunRecord) => run.evaluations.find((each) => each.iteration === iteration)
            const known = summary(ofSeeds.map((run) => at(run)?.values[metric] ?? null))
            return known?.n === plan.seeds.length ? [{ iteration, ...rounded(known) }] : []
          })
        return { row: row.id, measure, points }
      }),
    )
}

/** A judge has collapsed if its balanced accuracy on the fixed trajectories fell by more than this. */
const COLLAPSE = 0.05

function mapCells(plan: TablePlan, { voteFlips, start, lambda, full, over }: MapPlace, runs: TableRuns): MapCell[] {
  const accuracy = (arm: string) => plan.seeds.map((seed) => evaluated(runOf(runs, arm, seed), 'eval/id/acc', -1))
  const ofFull = plan.seeds.map((seed) => runOf(runs, full, seed))
  const marks = {
    collapsed: ofFull.filter(hasCollapsedJudge).length,
    pleased: ofFull.filter(pleasesJudge).length,
    seeds: plan.seeds.length,
  }
  return (['grpo', 'frozen-judge'] as const).map((base) => {
    const gain = pairedDifference(accuracy(full), accuracy(over[base]))
    return { row: full, voteFlips, start, lambda, over: base, gain: gain && rounded(gain), ...marks }
  })
}

function hasCollapsedJudge(run: RunRecord): boolean {
  const [first, last] = [evaluated(run, 'judge/balanced_acc', 0), evaluated(run, 'judge/balanced_acc', -1)]
  return first !== null && last !== null && last < first - COLLAPSE
}

/** The judge's mean score rose while the mean outcome of the same episodes fell. */
function pleasesJudge({ early, late }: RunRecord): boolean {
  const change = (metric: string) => (late[metric] ?? NaN) - (early[metric] ?? NaN)
  return change('policy/step_score/mean') > 0 && change('policy/outcome/mean') < 0
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}
