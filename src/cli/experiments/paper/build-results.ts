/** Makes a results file of the finished runs of a table. */
import { RESULTS_FORMAT, type ResultsFile, type ResultsRow } from '../../../results/results-file.ts'
import { claimsOf } from './claims.ts'
import { cellPlaces, mapCells } from './map-cells.ts'
import { summary } from '../../../results/paired-difference.ts'
import { SHIPPED, type RowPlan, type TablePlan } from './plan.ts'
import { round, rounded } from '../../../results/round.ts'
import type { RunRecord } from './run-record.ts'

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
    commits: distinct(all.flatMap(({ commits }) => commits)),
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
    ...(plan.map && { map: mapCells(cellPlaces(plan.map), rows) }),
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

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}
