/** Models and hashes that scripts/reference/mlc_weights.py wrote with numpy. */
import { readFileSync } from 'node:fs'
import { parseModelConfig } from '../../src/language-model/files/config.ts'
import { weightsFor } from '../../src/language-model/files/model-folder.ts'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import type { MlcQuantization } from '../../src/weight-formats/mlc-encoding.ts'
import type { HuggingFaceModel } from '../../src/weight-formats/mlc-export.ts'
import type { TensorCache } from '../../src/weight-formats/tensor-cache.ts'

export const REFERENCE_MODELS = ['llama', 'qwen2', 'qwen3'] as const

export interface Expected {
  shardBytes: number
  caches: Record<MlcQuantization, { shards: TensorCache['records']; sha256: Record<string, string> }>
}

const file = (model: string, name: string) => readFileSync(new URL(`./fixtures/${model}/${name}`, import.meta.url))

export function referenceModel(name: (typeof REFERENCE_MODELS)[number]): HuggingFaceModel & { expected: Expected } {
  const configJson: unknown = JSON.parse(file(name, 'config.json').toString())
  const { tensors } = readSafetensors(file(name, 'model.safetensors'), name)
  return {
    name,
    configJson,
    tokenizerJson: { model: { type: 'BPE', vocab: {}, merges: [] } },
    weights: weightsFor(parseModelConfig(configJson, name), tensors, name),
    expected: JSON.parse(file(name, 'expected.json').toString()) as Expected,
  }
}
