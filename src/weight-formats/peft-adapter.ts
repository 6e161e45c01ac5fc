/**
 * LoRA adapters as PEFT saves them: adapter_config.json and adapter_model.safetensors.
 *
 *     base_model.model.<module>.lora_A.weight   A, [rank, in]
 *     base_model.model.<module>.lora_B.weight   B, [out, rank]
 *
 *     W' = W + s · B A,   s = α / rank, or α / √rank with use_rslora
 *
 * <module> is the projection in Hugging Face's model: "model.layers.0.self_attn.q_proj".
 */
import * as v from 'valibot'
import {
  type FloatType,
  type NamedTensor,
  readSafetensors,
  writeSafetensors,
} from '../language-model/files/safetensors.ts'

export interface LoraMatrices {
  /** A, [rank, in] */
  down: NamedTensor
  /** B, [out, rank] */
  up: NamedTensor
}

export interface LoraAdapter {
  rank: number
  alpha: number
  /** Scales by α / √rank. */
  isRankStabilized: boolean
  /** By module: "model.layers.0.self_attn.q_proj". */
  modules: Map<string, LoraMatrices>
}

export class PeftError extends Error {
  override name = 'PeftError'
}

export const ADAPTER_CONFIG_FILE = 'adapter_config.json'
export const ADAPTER_WEIGHTS_FILE = 'adapter_model.safetensors'

const PREFIX = 'base_model.model.'
const DOWN = '.lora_A.weight'
const UP = '.lora_B.weight'

const patternSchema = v.optional(v.nullable(v.record(v.string(), v.number())))
const configSchema = v.looseObject({
  peft_type: v.string(),
  r: v.pipe(v.number(), v.integer(), v.minValue(1)),
  lora_alpha: v.pipe(v.number(), v.finite()),
  bias: v.optional(v.string(), 'none'),
  use_rslora: v.optional(v.boolean(), false),
  use_dora: v.optional(v.boolean(), false),
  fan_in_fan_out: v.optional(v.boolean(), false),
  modules_to_save: v.optional(v.nullable(v.array(v.string()))),
  rank_pattern: patternSchema,
  alpha_pattern: patternSchema,
})

export interface PeftExport {
  /** Name or address of the base model on the Hub, so that PEFT finds it; null leaves it open. */
  baseModel: string | null
  dtype?: FloatType
}

/** The two files by name. */
export function writePeft(
  adapter: LoraAdapter,
  { baseModel, dtype = 'F32' }: PeftExport,
): Record<typeof ADAPTER_CONFIG_FILE | typeof ADAPTER_WEIGHTS_FILE, Uint8Array<ArrayBuffer>> {
  const tensors = new Map<string, NamedTensor>()
  for (const [module, { down, up }] of adapter.modules) {
    checkShapes(module, adapter.rank, { down, up })
    tensors.set(PREFIX + module + DOWN, down)
    tensors.set(PREFIX + module + UP, up)
  }
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModel,
    r: adapter.rank,
    lora_alpha: adapter.alpha,
    lora_dropout: 0,
    target_modules: [...new Set([...adapter.modules.keys()].map((module) => module.split('.').at(-1)!))].sort(),
    bias: 'none',
    fan_in_fan_out: false,
    use_rslora: adapter.isRankStabilized,
    use_dora: false,
    modules_to_save: null,
    rank_pattern: {},
    alpha_pattern: {},
    init_lora_weights: true,
    inference_mode: true,
  }
  return {
    [ADAPTER_CONFIG_FILE]: new TextEncoder().encode(JSON.stringify(config, null, 2)),
    [ADAPTER_WEIGHTS_FILE]: writeSafetensors({ metadata: { format: 'pt' }, tensors }, dtype),
  }
}

/** Throws PeftError for what is not plain LoRA on linear layers, SafetensorsError for a damaged file. */
export function readPeft(configJson: unknown, weights: Uint8Array, source: string): LoraAdapter {
  const parsed = v.safeParse(configSchema, configJson)
  if (!parsed.success)
    throw new PeftError(
      `${ADAPTER_CONFIG_FILE} of "${source}" cannot be read: ${v.getDotPath(parsed.issues[0]) ?? 'the file'}: ${parsed.issues[0].message}. Save the adapter again with PEFT's save_pretrained.`,
    )
  const config = parsed.output
  const refuse = (what: string): never => {
    throw new PeftError(
      `Adapter "${source}" ${what}. Merge it in Python (merge_and_unload) and load the merged model instead.`,
    )
  }
  if (config.peft_type !== 'LORA') refuse(`is of type ${config.peft_type}, and only LORA is implemented`)
  if (config.use_dora) refuse('is a DoRA adapter, and only plain LoRA is implemented')
  if (config.fan_in_fan_out) refuse('has transposed matrices (fan_in_fan_out), which are not implemented')
  if (config.bias !== 'none') refuse(`trains biases (bias "${config.bias}"), which is not implemented`)
  if ((config.modules_to_save?.length ?? 0) > 0) refuse('replaces whole modules (modules_to_save)')
  for (const pattern of [config.rank_pattern, config.alpha_pattern])
    if (Object.keys(pattern ?? {}).length > 0) refuse('has ranks or alphas by module, which are not implemented')

  const { tensors } = readSafetensors(weights, `${source}/${ADAPTER_WEIGHTS_FILE}`)
  const halves = new Map<string, Partial<LoraMatrices>>()
  for (const [name, tensor] of tensors) {
    const side = name.endsWith(DOWN)
      ? 'down'
      : name.endsWith(UP)
        ? 'up'
        : refuse(`holds "${name}", which is not LoRA's`)
    const module = name.slice(name.startsWith(PREFIX) ? PREFIX.length : 0, side === 'down' ? -DOWN.length : -UP.length)
    halves.set(module, { ...halves.get(module), [side]: tensor })
  }
  const modules = new Map<string, LoraMatrices>()
  for (const [module, { down, up }] of halves) {
    if (down === undefined || up === undefined) return refuse(`has only one of the two matrices of ${module}`)
    checkShapes(module, config.r, { down, up })
    modules.set(module, { down, up })
  }
  if (modules.size === 0) refuse('has no matrices')
  return { rank: config.r, alpha: config.lora_alpha, isRankStabilized: config.use_rslora, modules }
}

export function loraScale({ alpha, rank, isRankStabilized }: LoraAdapter): number {
  return alpha / (isRankStabilized ? Math.sqrt(rank) : rank)
}

/**
 * The weights with the adapter merged in; what it does not touch is the same array as before. Sums are in 64 bits and rounded
 * once. Throws PeftError where a module is missing or of another shape.
 */
export function mergeLora(weights: ReadonlyMap<string, NamedTensor>, adapter: LoraAdapter): Map<string, NamedTensor> {
  const merged = new Map(weights)
  const scale = loraScale(adapter)
  for (const [module, { down, up }] of adapter.modules) {
    const name = `${module}.weight`
    const base = weights.get(name)
    const [rows, columns] = [up.shape[0]!, down.shape[1]!]
    if (base === undefined || base.shape.join() !== `${rows},${columns}`)
      throw new PeftError(
        `The adapter changes ${name} of shape [${rows}, ${columns}], and the model has ${base === undefined ? 'no such weight' : `it as [${base.shape.join(', ')}]`}. Load the adapter on the model that it was trained on.`,
      )
    const values = new Float32Array(base.values.length)
    const sum = new Float64Array(columns)
    for (let row = 0; row < rows; row++) {
      sum.fill(0)
      for (let k = 0; k < adapter.rank; k++) {
        const factor = up.values[row * adapter.rank + k]!
        const from = k * columns
        for (let column = 0; column < columns; column++) sum[column]! += factor * down.values[from + column]!
      }
      const at = row * columns
      for (let column = 0; column < columns; column++)
        values[at + column] = base.values[at + column]! + scale * sum[column]!
    }
    merged.set(name, { shape: base.shape, values })
  }
  return merged
}

function checkShapes(module: string, rank: number, { down, up }: LoraMatrices): void {
  if (down.shape.length === 2 && up.shape.length === 2 && down.shape[0] === rank && up.shape[1] === rank) return
  throw new PeftError(
    `The matrices of ${module} are [${down.shape.join(', ')}] and [${up.shape.join(', ')}], and rank ${rank} wants [${rank}, in] and [out, ${rank}]. Take both files from one adapter.`,
  )
}
