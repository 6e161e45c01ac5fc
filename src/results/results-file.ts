/**
 * A published table of results, `public/results/<table>.json`: what `npm run experiments -- paper` measured, over seeds.
 *
 *     rows[r].values[measure][s]     the value of seed seeds[s]; null where nothing was measured
 *     claims                         differences of two rows, paired by seed, and what follows for a claim
 *     curves, map                    only in tables that have them; map cells follow from the rows
 *
 * Files appear only by running the command. `index.json` beside them lists the tables that exist.
 */
import * as v from 'valibot'
import type { ShippedWorld } from '../method/settings.ts'

export const TABLES = [
  'household',
  'coding',
  'desktop',
  'longer',
  'unfiltered',
  'large-pool',
  'weighed',
  'early-judge',
  'signals',
  'tasks',
  'lambda',
  'lambda-coding',
  'lambda-desktop',
  'alpha',
  'votes',
  'map',
  'checks',
  'across',
] as const
export type TableName = (typeof TABLES)[number]

/** The table that sweeps λ in a world. */
export const LAMBDA_TABLES: Readonly<Record<ShippedWorld, TableName>> = {
  household: 'lambda',
  coding: 'lambda-coding',
  desktop: 'lambda-desktop',
}

export const RESULTS_FORMAT = 'rlanything-results'
/** Bytes of a file at most, because the page loads all of them. */
export const MOST_RESULTS_BYTES = 50_000

const finite = v.pipe(v.number(), v.finite())
const known = v.nullable(finite)
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.pipe(v.string(), v.minLength(1))
const scalar = v.union([v.string(), finite, v.boolean()])

const measure = v.strictObject({ id: text, label: text, unit: v.picklist(['share', 'number', 'count']) })

const row = v.strictObject({
  id: text,
  label: text,
  /** What runs these settings: `presetSettings(preset)` with `settings` over it. */
  preset: text,
  settings: v.record(v.string(), scalar),
  iterations: count,
  /** Whether the values are those before the first iteration. */
  isStart: v.boolean(),
  /** Name of its start policy, if that does not ship with the page. */
  start: v.optional(text),
  /** A run of it that ships with the page, `public/runs/<recording>.jsonl.gz`. */
  recording: v.optional(v.pipe(v.string(), v.regex(/^[\w.-]+$/))),
  /** Present if that run ended otherwise than the row says of its seed: other code made it. */
  recordingDiffers: v.optional(v.literal(true)),
  values: v.record(v.string(), v.array(known)),
})

/** Bounds are null for a single seed. */
const interval = { mean: finite, low: known, high: known, n: count }

export const VERDICTS = ['holds', 'does not hold', 'not decided', 'not measured'] as const
export type Verdict = (typeof VERDICTS)[number]

const claim = v.strictObject({
  claim: text,
  /** Ids of rows and measures: the difference is `row` − `than`. */
  row: text,
  than: text,
  measure: text,
  thanMeasure: v.optional(text),
  /** The mean that the claim states at least; 0 for a claim about order. */
  least: finite,
  verdict: v.picklist(VERDICTS),
  /** Null if no seed has both values. */
  difference: v.nullable(v.strictObject(interval)),
})

const curve = v.strictObject({
  row: text,
  measure: text,
  points: v.array(v.strictObject({ iteration: count, ...interval })),
})

const mapCell = v.strictObject({
  /** Ids of the rows that are compared: of the full loop, and of what it is compared with. */
  row: text,
  than: text,
  /** ε */
  voteFlips: finite,
  start: text,
  /** Held-out accuracy of the start policy, in distribution, at temperature 0. */
  startAccuracy: known,
  lambda: finite,
  over: v.picklist(['grpo', 'frozen-judge']),
  gain: v.nullable(v.strictObject(interval)),
  /** Seeds that have each mark (`MARK_WORDS`, map-grids.ts), of `seeds`. */
  collapsed: count,
  pleased: count,
  seeds: count,
})

export const resultsSchema = v.pipe(
  v.strictObject({
    format: v.literal(RESULTS_FORMAT),
    version: v.literal(1),
    table: v.picklist(TABLES),
    title: text,
    /** One for each state of the code that the runs were made with. */
    commits: v.pipe(v.array(text), v.minLength(1)),
    command: text,
    seeds: v.pipe(v.array(count), v.minLength(1)),
    backends: v.pipe(v.array(text), v.minLength(1)),
    /** SHA-256 of the start models' weights, by name. */
    models: v.record(v.string(), text),
    date: v.pipe(v.string(), v.isoDate()),
    /** Held-out tasks of each split. */
    evaluationTasks: count,
    /** Whether the early judge plays for the household's own (shipped-models.ts). */
    startsEarly: v.optional(v.literal(true)),
    measures: v.array(measure),
    rows: v.array(row),
    claims: v.array(claim),
    curves: v.optional(v.array(curve)),
    map: v.optional(v.array(mapCell)),
  }),
  v.check(
    ({ rows, seeds }) =>
      rows.every(({ values }) => Object.values(values).every((each) => each.length === seeds.length)),
    'every row needs one value for each seed.',
  ),
  v.check(({ rows, claims, measures }) => {
    const ids = new Set(rows.map(({ id }) => id))
    const measured = new Set(measures.map(({ id }) => id))
    return claims.every(
      (each) =>
        ids.has(each.row) &&
        ids.has(each.than) &&
        measured.has(each.measure) &&
        measured.has(each.thanMeasure ?? each.measure),
    )
  }, 'every claim must compare rows and measures of the table.'),
)
export type ResultsFile = v.InferOutput<typeof resultsSchema>
export type ResultsRow = ResultsFile['rows'][number]
export type ResultsMeasure = ResultsFile['measures'][number]
export type ResultsClaim = ResultsFile['claims'][number]
export type MapCell = NonNullable<ResultsFile['map']>[number]

/** The names of the published tables, `public/results/index.json`. */
const indexSchema = v.strictObject({ tables: v.array(v.picklist(TABLES)) })

/** Content that is not a results file; the message names the first field that is wrong. */
export class ResultsError extends Error {
  override readonly name = 'ResultsError'
}

/** Throws ResultsError. */
export function parseResults(content: unknown): ResultsFile {
  return parsed(resultsSchema, content, 'a results file')
}

/** Throws ResultsError. */
export function parseResultsIndex(content: unknown): readonly TableName[] {
  return parsed(indexSchema, content, 'the list of results').tables
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, content: unknown, what: string): v.InferOutput<Schema> {
  const result = v.safeParse(schema, content)
  if (result.success) return result.output
  const issue = result.issues[0]
  throw new ResultsError(`This is not ${what}: ${v.getDotPath(issue) ?? 'the object'}: ${issue.message}`)
}
