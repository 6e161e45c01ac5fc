/** Checks a model's files before WebLLM reads them, and says why WebLLM could not load a model. */
import { ModelFileError } from '../../language-model/files/model-reader.ts'
import type { ModelRecord } from '../../roles/source.ts'
import type { TensorCache } from '../../weight-formats/tensor-cache.ts'
import { readAndKeep, type ModelFiles } from './model-files.ts'
import { PINNED_VERSION } from './version.ts'
import { errorText } from '../../threads/error-text.ts'

/** WebLLM could not load a model. */
export class ModelLoadError extends Error {
  override readonly name = 'ModelLoadError'
}

/** From the cache, or downloaded and kept there. Throws ModelFileError if it is not a whole WebAssembly module. */
export async function readLibrary(files: ModelFiles, { model_id, model_lib }: ModelRecord): Promise<Blob> {
  const bytes = await readAndKeep(files, 'webllm/wasm', model_lib, (read) => {
    if (!WebAssembly.validate(read))
      throw new ModelFileError(
        `The compiled library of "${model_id}", ${model_lib}, is not a whole WebAssembly module: it was cut while downloading or the address is wrong. Delete the model under Models and load it again.`,
      )
  })
  return new Blob([bytes], { type: 'application/wasm' })
}

/** Throws ModelLoadError if WebLLM will not be allowed to read the library at its address in this thread. */
export async function checkReadable(modelId: string, address: string): Promise<void> {
  try {
    await (await fetch(address)).body?.cancel()
  } catch (cause) {
    throw new ModelLoadError(
      `WebLLM could not load "${modelId}" because the Content-Security-Policy of this page's host forbids it to read the compiled library. The policy has to say connect-src 'self' blob:.`,
      { cause },
    )
  }
}

/** Throws ModelFileError for a weight file in the cache that is cut, which WebLLM would load as it is. */
export async function checkShards(files: ModelFiles, folder: string, { records }: TensorCache): Promise<void> {
  const stored = new Map((await files.list('webllm/model')).map(({ address, bytes }) => [address, bytes]))
  for (const { dataPath, nbytes } of records) {
    const bytes = stored.get(folder + dataPath)
    if (bytes === undefined || bytes === nbytes) continue
    // A server's content-length may be that of packed bytes.
    const { length } = await files.read('webllm/model', folder + dataPath)
    if (length === nbytes) continue
    throw new ModelFileError(
      `${folder}${dataPath} has ${length} bytes instead of ${nbytes}: it was cut while downloading. Delete the model under Models and load it again.`,
    )
  }
}

/** The cause of a failed load in words. */
export function loadError(modelId: string, cause: unknown): ModelLoadError {
  const message = errorText(cause)
  const name = cause instanceof Error ? cause.name : ''
  const say = (text: string) => new ModelLoadError(text, { cause })
  if (
    name === 'WebGPUNotAvailableError' ||
    name === 'WebGPUNotFoundError' ||
    /requestAdapter|compatible GPU/i.test(message)
  )
    return say(
      `WebLLM could not load "${modelId}" because this browser has no graphics adapter for WebGPU. Use a browser with WebGPU, or choose a model that runs on the CPU.`,
    )
  if (name === 'ShaderF16SupportError' || /shader-f16/.test(message))
    return say(
      `WebLLM could not load "${modelId}" because its kernels use half precision and this graphics adapter lacks shader-f16. Choose the same model in float32: with f32 in its name, or without Half precision.`,
    )
  if (/LinkError|Import #|function import requires a callable/i.test(`${name} ${message}`))
    return say(
      `WebLLM could not load "${modelId}" because its library was compiled for another version of WebLLM than ${PINNED_VERSION} (${message}). Use a library for v0_2_86, or compile one with npm run build:webllm.`,
    )
  return say(
    `WebLLM could not load "${modelId}" (${message}). If graphics memory is the reason, choose a smaller model or a shorter context; else delete the model under Models and load it again.`,
  )
}
