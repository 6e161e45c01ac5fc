/** The numbers of one finished run, which every table is made of. Kept as JSON beside its log. */
import * as v from 'valibot'

const values = v.record(v.string(), v.number())

const current = v.strictObject({
  version: v.literal(1),
  key: v.string(),
  preset: v.string(),
  seed: v.number(),
  iterations: v.number(),
  backend: v.string(),
  /** One for each state of the code that made a part of the run. */
  commits: v.array(v.string()),
  /** Wall-clock time of all its parts. */
  seconds: v.number(),
  /** `MEASURES` (measure-run.ts) when its log was measured; earlier records lack it. */
  measures: v.optional(v.number()),
  /** One for each evaluation, the one before the first iteration first: `eval/*`, `judge/*` and `rollout/total`. */
  evaluations: v.array(v.strictObject({ iteration: v.number(), values })),
  /** Metrics of the last iteration. */
  last: values,
  /** Means of metrics over the first and the last fifth of the iterations, and over all. */
  early: values,
  late: values,
  mean: values,
  /** What the log shows beyond its metrics (log-checks.ts). */
  checks: values,
  /** An evaluation of the trained models in other worlds, by world. */
  elsewhere: v.optional(v.record(v.string(), values)),
})

/** As earlier versions wrote it. */
const withOneCommit = v.pipe(
  v.strictObject({ ...v.omit(current, ['commits']).entries, commit: v.string() }),
  v.transform(({ commit, ...rest }) => ({ ...rest, commits: [commit] })),
)

export type RunRecord = v.InferOutput<typeof current>
export const recordSchema: v.GenericSchema<unknown, RunRecord> = v.union([current, withOneCommit])

/** The value of a metric in an evaluation; null if it was not measured there. */
export function evaluated(run: RunRecord, metric: string, index: number): number | null {
  return run.evaluations.at(index)?.values[metric] ?? null
}

/**
 * A metric of evaluations when the run had made so many training rollouts, interpolated between evaluations. Null if the run
 * did not get that far, or does not report its rollouts.
 */
export function atRollouts(run: RunRecord, metric: string, rollouts: number): number | null {
  const points = run.evaluations.flatMap(({ iteration, values }) => {
    const x = iteration === 0 ? 0 : values['rollout/total']
    const y = values[metric]
    return x === undefined || y === undefined ? [] : [{ x, y }]
  })
  const after = points.findIndex(({ x }) => x >= rollouts)
  if (after < 0) return null
  const [left, right] = [points[Math.max(0, after - 1)]!, points[after]!]
  if (right.x === left.x) return right.x === rollouts ? right.y : null
  return left.y + ((right.y - left.y) * (rollouts - left.x)) / (right.x - left.x)
}
