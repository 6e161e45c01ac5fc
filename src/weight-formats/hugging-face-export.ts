/** A model as a Hugging Face folder: config.json, tokenizer.json and model.safetensors. */
import { type FloatType, type NamedTensor, writeSafetensors } from '../language-model/files/safetensors.ts'
import type { NamedFile } from './tensor-cache.ts'

const TORCH_TYPES: Record<FloatType, string> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }

export interface HuggingFaceExport {
  configJson: unknown
  tokenizerJson: unknown
  weights: ReadonlyMap<string, NamedTensor>
}

/** The files; `torch_dtype` of the config says which type the weights are in. */
export function writeHuggingFace(
  { configJson, tokenizerJson, weights }: HuggingFaceExport,
  dtype: FloatType,
): NamedFile[] {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value, null, 2))
  return [
    { name: 'config.json', bytes: json({ ...(configJson as object), torch_dtype: TORCH_TYPES[dtype] }) },
    { name: 'tokenizer.json', bytes: json(tokenizerJson) },
    {
      name: 'model.safetensors',
      bytes: writeSafetensors({ metadata: { format: 'pt' }, tensors: new Map(weights) }, dtype),
    },
  ]
}
