/** Options of a set of low-rank adapters, and their form in PEFT's `adapter_config.json`. Unsupported adapters are refused here. */
import * as v from 'valibot'
import { PROJECTIONS, type ProjectionName } from '../weights/projection-names.ts'

export interface LoraOptions {
  /** r, at least 1. */
  rank: number
  /** An adapter's output is scaled by alpha / rank. */
  alpha: number
  /** Probability of dropping a feature of an adapter's input in training, in [0, 1). */
  dropout: number
  /** The projections that have an adapter, in every layer. */
  targets: readonly ProjectionName[]
}

export class LoraError extends Error {
  override name = 'LoraError'
}

const adapterConfigSchema = v.looseObject({
  peft_type: v.string(),
  r: v.pipe(v.number(), v.integer(), v.minValue(1)),
  lora_alpha: v.pipe(v.number(), v.finite()),
  lora_dropout: v.optional(v.pipe(v.number(), v.minValue(0), v.ltValue(1)), 0),
  target_modules: v.nullish(v.union([v.string(), v.array(v.string())])),
  bias: v.optional(v.string(), 'none'),
  use_rslora: v.optional(v.boolean(), false),
  use_dora: v.optional(v.boolean(), false),
  lora_bias: v.optional(v.boolean(), false),
  fan_in_fan_out: v.optional(v.boolean(), false),
  modules_to_save: v.nullish(v.array(v.string())),
  layers_to_transform: v.nullish(v.union([v.number(), v.array(v.number())])),
  rank_pattern: v.optional(v.record(v.string(), v.number()), {}),
  alpha_pattern: v.optional(v.record(v.string(), v.number()), {}),
})

/** Throws LoraError for invalid options. */
export function checkLoraOptions({ rank, alpha, dropout, targets }: LoraOptions): void {
  const refuse = (what: string): never => {
    throw new LoraError(`A low-rank adapter ${what}.`)
  }
  if (!Number.isInteger(rank) || rank < 1) refuse(`cannot have rank ${rank}. Choose a whole number from 1 on`)
  if (!Number.isFinite(alpha)) refuse(`cannot have alpha ${alpha}. Choose a finite number; twice the rank is usual`)
  if (!(dropout >= 0 && dropout < 1)) refuse(`cannot have a dropout of ${dropout}. Choose a number from 0 to below 1`)
  if (targets.length === 0) refuse('needs a projection to change. Choose one or more')
}

/** Reads adapter_config.json's object; `source` names the adapter in errors. Throws LoraError. */
export function parseAdapterConfig(json: unknown, source: string): LoraOptions {
  const parsed = v.safeParse(adapterConfigSchema, json)
  if (!parsed.success) {
    const issue = parsed.issues[0]
    throw new LoraError(
      `adapter_config.json of "${source}" cannot be read: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}. Take the file that PEFT wrote beside the adapter.`,
    )
  }
  const raw = parsed.output
  const refuse = (what: string): never => {
    throw new LoraError(`Adapter "${source}" ${what}. Save a plain LoRA adapter of linear layers.`)
  }
  if (raw.peft_type !== 'LORA') refuse(`is of type ${raw.peft_type}, but only LORA is implemented`)
  if (raw.use_dora) refuse('is a DoRA adapter, which is not implemented')
  if (raw.bias !== 'none' || raw.lora_bias) refuse('trains biases, which is not implemented')
  if (raw.fan_in_fan_out) refuse('has transposed matrices')
  if (raw.modules_to_save?.length) refuse(`comes with whole layers (${raw.modules_to_save.join(', ')})`)
  if ((raw.layers_to_transform ?? null) !== null) refuse('changes only some of the layers')
  if (Object.keys({ ...raw.rank_pattern, ...raw.alpha_pattern }).length > 0)
    refuse('has different ranks in different layers')
  const named = typeof raw.target_modules === 'string' ? [raw.target_modules] : (raw.target_modules ?? [])
  const targets =
    named.length === 1 && named[0] === 'all-linear' ? PROJECTIONS : PROJECTIONS.filter((name) => named.includes(name))
  const unknown = named.find((name) => name !== 'all-linear' && !PROJECTIONS.some((known) => known === name))
  if (unknown !== undefined) refuse(`changes "${unknown}", which is not one of ${PROJECTIONS.join(', ')}`)
  const rank = raw.r
  // Rank-stabilised LoRA differs only by its scale alpha / √r, expressed here as another alpha.
  const alpha = raw.use_rslora ? raw.lora_alpha * Math.sqrt(rank) : raw.lora_alpha
  const options = { rank, alpha, dropout: raw.lora_dropout, targets }
  checkLoraOptions(options)
  return options
}

/** An adapter_config.json object that PEFT reads. */
export function adapterConfigJson({ rank, alpha, dropout, targets }: LoraOptions): object {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: null,
    r: rank,
    lora_alpha: alpha,
    lora_dropout: dropout,
    target_modules: [...targets],
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
  }
}
