/**
 * What a table of the paper runs, shows and claims.
 *
 *     arm      settings that run, once for each seed; tables share the runs of equal arms
 *     row      values of an arm, before the first iteration or after the last
 *     claim    a difference of two rows in one measure, paired by seed
 */
import type { TableName } from '../../../results/results-file.ts'
import type { Settings } from '../../../method/settings.ts'
import type { RunRecord } from './run-record.ts'

/** The start policy that ships with the page. */
export const SHIPPED = 'shipped'
/** What a results file calls a start policy among its models. */
export const startName = (start: string) => `start ${start}`

export interface ArmPlan {
  id: string
  /** "household+full" */
  preset: string
  settings: Partial<Settings>
  iterations: number
  /** Name of the start policy; absent for the shipped one. */
  start?: string
}

export interface MeasurePlan {
  id: string
  label: string
  unit: 'share' | 'number' | 'count'
  /** At the end of a run. `peers` are the runs of the same seed by arm, itself included. */
  of(run: RunRecord, peers: ReadonlyMap<string, RunRecord>): number | null
  /** Before the first iteration; absent if there is no such value. */
  atStart?(run: RunRecord, peers: ReadonlyMap<string, RunRecord>): number | null
  /** Whether it depends on `peers`. */
  comparesArms?: true
}

export interface RowPlan {
  id: string
  label: string
  arm: string
  isStart?: boolean
  /** Ids of the measures that it shows; absent for all. */
  only?: readonly string[]
}

export interface ClaimPlan {
  claim: string
  row: string
  than: string
  measure: string
  thanMeasure?: string
  /** See `verdictOf` (verdict.ts); 0 by default. */
  least?: number
}

export interface TablePlan {
  table: TableName
  title: string
  /** What is compared, in one or two sentences for docs/results.md. */
  about: string
  seeds: readonly number[]
  evaluationTasks: number
  /** Whether every arm starts with the early judge in place of the household's own (shipped-models.ts). */
  startsEarly?: true
  /**
   * Whether every arm starts with the models that worlds share (shipped-models.ts), and is measured at its end in the worlds of the
   * other arms, too.
   */
  startsShared?: true
  arms: readonly ArmPlan[]
  rows: readonly RowPlan[]
  measures: readonly MeasurePlan[]
  claims: readonly ClaimPlan[]
  /** Measures by id whose metric is also shown as a curve over iterations. */
  curves?: Readonly<Record<string, string>>
  /** Places of the arms of a map. */
  map?: readonly MapPlace[]
}

/** The plan with settings of the command line under those of its arms. */
export function withOverrides(plan: TablePlan, { evaluationTasks, ...overrides }: Partial<Settings>): TablePlan {
  return {
    ...plan,
    evaluationTasks: evaluationTasks ?? plan.evaluationTasks,
    arms: plan.arms.map((arm) => ({ ...arm, settings: { ...overrides, ...arm.settings } })),
  }
}

export interface MapPlace {
  voteFlips: number
  start: string
  lambda: number
  /** Ids of arms. */
  full: string
  over: Readonly<Record<'grpo' | 'frozen-judge', string>>
}
