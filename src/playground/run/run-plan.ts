/**
 * A queue of runs: ablations × seeds of one configuration. Plain data that the browser keeps until the last run is done.
 */
import * as v from 'valibot'
import type { RoleSource } from '../../roles/source.ts'
import { settingsSchema, type Settings } from '../../method/settings.ts'
import { completeSettings } from '../../runs/older-logs.ts'
import type { StartRequest } from '../../sessions/loop-service.ts'
import { MOST_ITERATIONS, type Configuration } from './configuration.ts'
import { ABLATION_IDS, ablated, type AblationId } from './ablations.ts'

const text = v.pipe(v.string(), v.minLength(1))
const whole = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high))

/** Opening a source checks its content, as for links and files. */
const sourceSchema = v.custom<RoleSource>(
  (input) =>
    typeof input === 'object' &&
    input !== null &&
    'kind' in input &&
    ['built-in', 'built-in-webllm', 'checkpoint', 'webllm', 'openai', 'tinker'].includes(String(input.kind)),
)

const itemSchema = v.object({
  /** Null for the unchanged settings. */
  ablation: v.nullable(v.picklist(ABLATION_IDS)),
  seed: whole(0, 2 ** 31 - 1),
  /** Its run; null before it starts. */
  runId: v.nullable(text),
  state: v.picklist(['waiting', 'done', 'left-out']),
})

const planSchema = v.object({
  version: v.literal(1),
  id: text,
  /** Milliseconds since 1970. */
  createdAt: v.number(),
  base: v.object({
    preset: text,
    settings: v.pipe(
      v.record(v.string(), v.unknown()),
      // A setting that came after the plan was made has its default.
      v.transform((settings) => completeSettings(settings as unknown as Settings)),
      settingsSchema,
    ),
    iterations: whole(1, MOST_ITERATIONS),
    backend: v.picklist(['auto', 'cpu', 'webgpu']),
    worldFile: v.optional(v.object({ name: text, file: text, script: text, hash: text })),
    models: v.optional(
      v.object({
        policy: v.optional(sourceSchema),
        reward: v.optional(sourceSchema),
        author: v.optional(sourceSchema),
      }),
    ),
  }),
  items: v.pipe(v.array(itemSchema), v.minLength(1)),
})

export type RunPlan = v.InferOutput<typeof planSchema>
export type PlanItem = RunPlan['items'][number]

/** As long as the recorded runs. */
export const PLAN_ITERATIONS = 40
export const MOST_SEEDS = 50

/** `count` seeds from `first`, wrapping around after the largest. */
export function seedsFrom(first: number, count: number): number[] {
  const last = 2 ** 31 - 1
  return Array.from({ length: count }, (_, i) => (first + i) % (last + 1))
}

/**
 * Orders all rows of the first seed before the second, so that an unfinished plan lacks seeds, not rows. Without rows, the
 * settings stay unchanged.
 */
export function planItems(rows: readonly AblationId[], seeds: readonly number[]): PlanItem[] {
  const ablations = rows.length > 0 ? ABLATION_IDS.filter((id) => rows.includes(id)) : [null]
  return seeds.flatMap((seed) =>
    ablations.map((ablation): PlanItem => ({ ablation, seed, runId: null, state: 'waiting' })),
  )
}

export function newPlan(
  content: Configuration & Pick<RunPlan['base'], 'models' | 'worldFile'>,
  rows: readonly AblationId[],
  seeds: readonly number[],
  { id, createdAt }: Pick<RunPlan, 'id' | 'createdAt'>,
): RunPlan {
  const { preset, settings, iterations, backend, models, worldFile } = content
  const base = { preset, settings, iterations, backend, ...(models && { models }), ...(worldFile && { worldFile }) }
  return { version: 1, id, createdAt, base, items: planItems(rows, seeds) }
}

/** The request of an item, without server keys, which no plan contains. */
/** What runs of this length do not measure; null if they measure more than their start. */
export function unmeasuredSentence(
  { evaluateEvery, evaluationTasks }: Pick<Settings, 'evaluateEvery' | 'evaluationTasks'>,
  iterations: number,
): string | null {
  if (evaluateEvery === 0 || evaluationTasks === 0) return 'Nothing is measured on held-out tasks: evaluation is off.'
  if (evaluateEvery <= iterations) return null
  return `Only the start is measured on held-out tasks: the next evaluation would be after iteration ${evaluateEvery}.`
}

export function requestOf({ base }: RunPlan, { ablation, seed }: PlanItem, runId: string): StartRequest {
  const { preset, settings, iterations, backend } = ablation === null ? base : ablated(base, ablation)
  const { models, worldFile } = base
  return {
    runId,
    preset,
    settings: { ...settings, seed },
    iterations,
    backend,
    ...(models && { models: definedSources(models) }),
    ...(worldFile && { worldFile }),
  }
}

function definedSources(models: NonNullable<RunPlan['base']['models']>): NonNullable<StartRequest['models']> {
  return Object.fromEntries(Object.entries(models).filter(([, source]) => source !== undefined))
}

/** The next pending item; null if none is left. */
export function nextItem(plan: RunPlan): PlanItem | null {
  return plan.items.find(({ state }) => state === 'waiting') ?? null
}

export function withItem(plan: RunPlan, item: PlanItem, change: Partial<PlanItem>): RunPlan {
  return { ...plan, items: plan.items.map((each) => (each === item ? { ...each, ...change } : each)) }
}

/** Null for an invalid plan, such as one with settings of another version. */
export function parsePlan(json: string): RunPlan | null {
  try {
    const result = v.safeParse(planSchema, JSON.parse(json))
    return result.success ? result.output : null
  } catch {
    return null
  }
}
