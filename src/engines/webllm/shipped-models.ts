/**
 * The built-in models for WebLLM, without a download from anywhere: their weights, converted from the folders that the page ships,
 * and a library that was compiled for their shape (docs/webllm.md). Both are put into WebLLM's cache.
 */
import { urlReader } from '../../language-model/files/model-folder.ts'
import { ModelFileError } from '../../language-model/files/model-reader.ts'
import { exportMlc, huggingFaceModel } from '../../weight-formats/mlc-export.ts'
import type { GroupLimits } from './batched-sampler.ts'
import { featuresFor } from './catalogue.ts'
import { PROMPT_FILES } from '../transformer/model-files.ts'
import { keepMissing, type ModelFiles } from './model-files.ts'
import type { WebLlmSource } from './loaded-model.ts'

/** The number types for which libraries ship. */
export type ShippedQuantization = 'q0f32' | 'q0f16'

export interface ShippedSampler extends GroupLimits {
  /** Address of the model's folder; the libraries are in `../../webllm` from there. */
  location: string
  quantization: ShippedQuantization
}

/** File of the library for a model, from its config.json. As in scripts/build-webllm.mjs. */
export function libraryFile(configJson: unknown, quantization: ShippedQuantization): string {
  const { model_type, hidden_size, num_hidden_layers, num_key_value_heads } = configJson as Record<
    string,
    string | number
  >
  return `${model_type}-${hidden_size}x${num_hidden_layers}-kv${num_key_value_heads}-${quantization}.wasm.gz`
}

/** Replaces an earlier copy, whose weights may be those of another version of the page. Throws ModelFileError. */
export async function keepShippedModel(
  files: ModelFiles,
  { location, quantization, ...limits }: ShippedSampler,
  fetchFile: typeof fetch = fetch,
): Promise<WebLlmSource> {
  const model = await huggingFaceModel(urlReader(location, fetchFile))
  const name = location.split('/').filter(Boolean).at(-1)!
  const libraries = new URL('../../webllm/', `${location.replace(/\/+$/, '')}/`).href
  const id = `${name}-${quantization}`
  // The name under which float32 copies were kept before there were others.
  const folder = `${libraries}${quantization === 'q0f32' ? name : id}/resolve/main/`
  const library = await unpacked(libraries + libraryFile(model.configJson, quantization), fetchFile)
  for (const file of exportMlc(model, { quantization, contextWindow: limits.contextWindow })) {
    const scope = file.name === 'mlc-chat-config.json' ? 'webllm/config' : 'webllm/model'
    await files.write(scope, folder + file.name, file.bytes)
  }
  for (const name of PROMPT_FILES) await keepMissing(files, 'webllm/config', folder + name)
  await files.write('webllm/wasm', `${folder}model.wasm`, library)
  const record = {
    model_id: id,
    model: folder,
    model_lib: `${folder}model.wasm`,
    required_features: [...featuresFor(quantization)],
  }
  return { record, ...limits }
}

async function unpacked(address: string, fetchFile: typeof fetch): Promise<Uint8Array<ArrayBuffer>> {
  let response: Response
  try {
    response = await fetchFile(address)
  } catch (cause) {
    throw new ModelFileError(`${address} could not be reached. Check the connection and start the run again.`, {
      cause,
    })
  }
  if (!response.ok || response.body === null)
    throw new ModelFileError(`${address} answered ${response.status}. Reload the page.`, {
      isMissing: response.status === 404,
    })
  const bytes = new Uint8Array(await response.arrayBuffer())
  // A server may have unpacked it already, because of its name.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch (cause) {
    throw new ModelFileError(`${address} is damaged: it was cut while downloading. Reload the page.`, { cause })
  }
}
