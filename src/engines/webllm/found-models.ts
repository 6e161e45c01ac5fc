/**
 * Models in WebLLM's cache without a known record: from local folders, and from addresses that are no longer in a form. Their
 * descriptions are read from the files beside the weights.
 */
import { featuresFor } from './catalogue.ts'
import { modelFolder, type ModelFiles } from './model-files.ts'
import type { ModelRecord } from '../../roles/source.ts'
import { MLC_QUANTIZATIONS, type MlcQuantization } from '../../weight-formats/mlc-encoding.ts'

const CONFIG = 'mlc-chat-config.json'

/** `model_lib` is '' if the library is elsewhere: such a model can be deleted but not run. */
export async function foundRecords(files: ModelFiles, known: readonly ModelRecord[]): Promise<ModelRecord[]> {
  const folders = new Set(known.map(({ model }) => modelFolder(model)))
  const names = new Set(known.map(({ model_id }) => model_id))
  const libraries = (await files.list('webllm/wasm')).map(({ address }) => address)
  const found: ModelRecord[] = []
  for (const { address } of await files.list('webllm/config')) {
    const folder = address.slice(0, -CONFIG.length)
    if (folder + CONFIG !== address || folders.has(folder)) continue
    const name = decodeURIComponent(/([^/]+)\/resolve\/[^/]+\/$/.exec(folder)?.[1] ?? folder)
    const quantization = quantizationIn(await files.read('webllm/config', address))
    found.push({
      model_id: names.has(name) ? folder : name,
      model: folder,
      model_lib: libraries.find((library) => library.startsWith(folder)) ?? '',
      required_features: quantization ? featuresFor(quantization) : [],
    })
  }
  return found
}

/** Undefined if the description does not say, or is damaged. */
function quantizationIn(config: Uint8Array): MlcQuantization | undefined {
  try {
    const { quantization } = JSON.parse(new TextDecoder().decode(config)) as { quantization?: unknown }
    return MLC_QUANTIZATIONS.find((known) => known === quantization)
  } catch {
    return undefined
  }
}
