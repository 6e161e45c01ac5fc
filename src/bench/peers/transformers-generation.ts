/**
 * Greedy decoding with the `generate` of transformers.js, on ONNX Runtime's WebAssembly backend with our weights in an ONNX file. The
 * session takes the file's bytes instead of an address, so nothing needs to be served.
 */
import type * as OnnxRuntime from 'onnxruntime-web'
import type { BenchModel } from '../bench-model.ts'
import { type GenerationSubject, type Open, PeerUnavailableError } from '../subjects.ts'
import { llamaToOnnx } from './onnx/llama.ts'

type Runtime = typeof OnnxRuntime
type Transformers = typeof import('@huggingface/transformers')
type Model = InstanceType<Transformers['LlamaForCausalLM']>

export interface TransformersOptions {
  /** Loads ONNX Runtime and locates its files. */
  loadRuntime: () => Promise<Runtime>
  threads: number
}

/** Its attention kernel requires heads of a multiple of this. */
const ROTATED_FEATURES = 16

/** Where transformers.js looks for a loaded runtime before loading its own. */
const RUNTIME = Symbol.for('onnxruntime')

export function transformersGeneration({ loadRuntime, threads }: TransformersOptions): Open<GenerationSubject> {
  return async (model) => {
    const { headDim } = model.config
    if (headDim % ROTATED_FEATURES !== 0)
      throw new PeerUnavailableError(
        `ONNX Runtime rotates heads of a multiple of ${ROTATED_FEATURES} features, but this model's have ${headDim}.`,
      )
    const runtime = await loadRuntime()
    runtime.env.wasm.numThreads = threads
    Object.assign(globalThis, { [RUNTIME]: runtime })
    const transformers = await import('@huggingface/transformers')
    const session = await runtime.InferenceSession.create(llamaToOnnx(model), { executionProviders: ['wasm'] })
    const config = await transformers.AutoConfig.from_pretrained('benchmark', {
      config: model.configJson as unknown as InstanceType<Transformers['PretrainedConfig']>,
    })
    const llama = new transformers.LlamaForCausalLM(config, { model: Object.assign(session, { config: {} }) }, {})
    const note = `@huggingface/transformers ${transformers.env.version}, ONNX Runtime ${runtime.env.versions.web ?? ''}, ${threads === 1 ? 'one thread' : `${threads} threads`}`
    return new TransformersGeneration(transformers, llama, model, note)
  }
}

class TransformersGeneration implements GenerationSubject {
  readonly name = 'transformers.js wasm'
  readonly note: string
  readonly #transformers: Transformers
  readonly #llama: Model
  readonly #vocabularySize: number

  constructor(transformers: Transformers, llama: Model, { config }: BenchModel, note: string) {
    this.#transformers = transformers
    this.#llama = llama
    this.#vocabularySize = config.vocabularySize
    this.note = note
  }

  async logits(prompts: readonly Int32Array[]): Promise<Float32Array> {
    const { logits } = (await this.#llama(this.#inputs(prompts))) as { logits: { data: Float32Array } }
    if (logits.data.length !== prompts.length * this.#vocabularySize)
      throw new Error(`Logits have ${logits.data.length} numbers for ${prompts.length} prompts.`)
    return logits.data
  }

  async generate(prompts: readonly Int32Array[], count: number): Promise<Int32Array[]> {
    const sequences = (await this.#llama.generate({
      ...this.#inputs(prompts),
      max_new_tokens: count,
      do_sample: false,
    })) as { data: BigInt64Array; dims: number[] }
    const length = sequences.dims[1]!
    return prompts.map((_, row) =>
      Int32Array.from(sequences.data.slice((row + 1) * length - count, (row + 1) * length), Number),
    )
  }

  dispose(): void {
    void this.#llama.dispose()
  }

  #inputs(prompts: readonly Int32Array[]) {
    const { Tensor } = this.#transformers
    const shape = [prompts.length, prompts[0]!.length]
    const ids = BigInt64Array.from(
      prompts.flatMap((prompt) => Array.from(prompt)),
      BigInt,
    )
    return {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    }
  }
}
