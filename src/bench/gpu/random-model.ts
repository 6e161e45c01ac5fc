/**
 * A model folder of any shape with random weights, made while it is read: a model of half a billion parameters needs neither a
 * download nor memory for its file. Weights are float16 and repeat a block of random numbers, as only their speed matters.
 */
import { parseModelConfig } from '../../language-model/files/config.ts'
import type { ModelReader } from '../../language-model/files/model-folder.ts'
import { normalStream, randomStream } from '../../language-model/sampling/random-stream.ts'
import { float16FromFloat32 } from '../../language-model/weights/half-precision.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'

/** Numbers of the block; no multiple of a matrix's width, so rows differ. */
const BLOCK = 65_521

/** `deviation` is the standard deviation of the matrices. The tokenizer may have fewer words than the model. */
export function randomModel(
  configJson: Readonly<Record<string, unknown>>,
  tokenizerJson: Uint8Array,
  deviation = 0.02,
): ModelReader {
  const config = parseModelConfig(configJson, 'a random model')
  const normal = normalStream(randomStream(1, 0))
  const block = new Uint8Array(
    float16FromFloat32(Float32Array.from({ length: BLOCK }, () => deviation * normal())).buffer,
  )
  const ones = new Uint8Array(float16FromFloat32(new Float32Array(BLOCK).fill(1)).buffer)
  const shapes = parameterShapes(config)
  const bytesOf = (shape: readonly number[]) => 2 * shape.reduce((product, side) => product * side, 1)
  const read = (file: string): Uint8Array => {
    if (file === 'config.json') return new TextEncoder().encode(JSON.stringify(configJson))
    if (file === 'tokenizer.json') return tokenizerJson
    throw new RangeError(`A random model has no ${file}.`)
  }
  return {
    name: 'random',
    async read(file) {
      return read(file)
    },
    async *stream(file) {
      if (file !== 'model.safetensors') {
        yield read(file)
        return
      }
      yield headerOf(shapes.map(({ name, shape }) => ({ name, shape, bytes: bytesOf(shape) })))
      for (const { name, shape } of shapes) {
        const from = name.endsWith('norm.weight') ? ones : block
        for (let left = bytesOf(shape); left > 0; left -= from.length) yield from.subarray(0, left)
      }
    },
  }
}

function headerOf(tensors: readonly { name: string; shape: readonly number[]; bytes: number }[]): Uint8Array {
  let at = 0
  const entries = tensors.map(({ name, shape, bytes }) => {
    const start = at
    at += bytes
    return [name, { dtype: 'F16', shape, data_offsets: [start, at] }] as const
  })
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)))
  const header = new Uint8Array(8 + json.length)
  new DataView(header.buffer).setBigUint64(0, BigInt(json.length), true)
  header.set(json, 8)
  return header
}
