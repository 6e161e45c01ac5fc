/**
 * Models in WebLLM's cache that no record is known of: from folders of one's own, and from addresses that no form holds any more.
 * What there is to know of one lies beside its weights.
 */
import { featuresFor } from './catalogue.ts'
import { modelFolder, type ModelFiles } from './model-files.ts'
import type { ModelRecord } from '../../roles/source.ts'
import { MLC_QUANTIZATIONS } from '../../weight-formats/mlc-encoding.ts'

const CONFIG = 'mlc-chat-config.json'

/** `model_lib` is '' where the library lies elsewhere: such a model can be deleted and not be run. */
export async function foundRecords(files: ModelFiles, known: readonly ModelRecord[]): Promise<ModelRecord[]> {
  const folders = new Set(known.map(({ model }) => modelFolder(model)))
  const names = new Set(known.map(({ model_id }) => model_id))
  const libraries = (await files.list('webllm/wasm')).map(({ address }) => address)
  const found: ModelRecord[] = []
  for (const { address } of await files.list('webllm/config')) {
    const folder = address.slice(0, -CONFIG.length)
    if (folder + CONFIG !== address || folders.has(folder)) continue
    const name = decodeURIComponent(/([^/]+)\/resolve\/[^/]+\/$/.exec(folder)?.[1] ?? folder)
    const json = new TextDecoder().decode(await files.read('webllm/config', address))
    const told = (JSON.parse(json) as { quantization?: unknown }).quantization
    const quantization = MLC_QUANTIZATIONS.find((known) => known === told)
    found.push({
      model_id: names.has(name) ? folder : name,
      model: folder,
      model_lib: libraries.find((library) => library.startsWith(folder)) ?? '',
      required_features: quantization ? featuresFor(quantization) : [],
    })
  }
  return found
}
