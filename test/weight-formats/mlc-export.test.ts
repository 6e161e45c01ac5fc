import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseModelConfig } from '../../src/language-model/files/config.ts'
import { dequantizeGroups, quantizeGroups } from '../../src/language-model/weights/group-quantization.ts'
import { encodeParameter, MLC_QUANTIZATIONS } from '../../src/weight-formats/mlc-encoding.ts'
import { architectureOf, exportMlc, mlcTensors } from '../../src/weight-formats/mlc-export.ts'
import { fuse, mlcParameters } from '../../src/weight-formats/mlc-parameters.ts'
import { parseTensorCache, tensorBytes, writeTensorCache } from '../../src/weight-formats/tensor-cache.ts'
import { decodeFloats, encodedBytes, unfuse } from './decode.ts'
import { REFERENCE_MODELS, referenceModel } from './reference-models.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.each(REFERENCE_MODELS)('the MLC export of %s', (name) => {
  const model = referenceModel(name)

  it.each(MLC_QUANTIZATIONS)('in %s equals numpy’s byte for byte', (quantization) => {
    const tensors = [...mlcTensors(model, quantization)]
    const expected = model.expected.caches[quantization]
    expect(Object.fromEntries(tensors.map((tensor) => [tensor.name, sha256(tensor.bytes)]))).toEqual(expected.sha256)

    const files = [...exportMlc(model, { quantization, shardBytes: model.expected.shardBytes })]
    const json = files.find((file) => file.name === 'tensor-cache.json')!
    const cache = parseTensorCache(JSON.parse(new TextDecoder().decode(json.bytes)), name)
    expect(cache.records).toEqual(expected.shards)
    const shards = new Map(files.map((file) => [file.name, file.bytes]))
    for (const shard of cache.records)
      for (const record of shard.records)
        expect(sha256(tensorBytes(shards.get(shard.dataPath)!, record))).toBe(expected.sha256[record.name])

    const parameters = mlcParameters(parseModelConfig(model.configJson, name), architectureOf(model.configJson, name))
    expect(encodedBytes(parameters, quantization)).toBe(cache.metadata.ParamBytes)
  })

  it('splits into the parts that it was fused from', () => {
    const parameters = mlcParameters(parseModelConfig(model.configJson, name), architectureOf(model.configJson, name))
    const parts = new Map(parameters.flatMap((parameter) => unfuse(parameter, fuse(parameter, model.weights, name))))
    expect([...parts.keys()].sort()).toEqual([...model.weights.keys()].sort())
    for (const [part, values] of model.weights) expect(parts.get(part)).toEqual(values)
  })
})

describe('four-bit groups', () => {
  it('are off by at most half a step, and exact if a group has no scale', () => {
    const column = fc.float({ min: -8, max: 8, noNaN: true })
    fc.assert(
      fc.property(fc.array(column, { minLength: 1, maxLength: 80 }), (row) => {
        const weights = Float32Array.from(row)
        const quantized = quantizeGroups(weights, 1, row.length, 'float32')
        const back = dequantizeGroups(quantized, row.length)
        for (let i = 0; i < row.length; i++) {
          const step = quantized.scales[Math.floor(i / 32)]!
          // A scale below float32's normal numbers is itself only a few bits.
          const slack = step < 1e-36 ? 1e-36 : 1e-5 * step
          expect(Math.abs(back[i]! - weights[i]!)).toBeLessThanOrEqual(step / 2 + slack)
        }
      }),
    )
    expect(dequantizeGroups(quantizeGroups(new Float32Array(40), 1, 40, 'float16'), 40)).toEqual(new Float32Array(40))
  })
})

describe('what MLC cannot hold', () => {
  const parameter = { name: 'model.norm.weight', shape: [2], parts: [] }

  it('is refused by name: NaN and numbers beyond float16', () => {
    expect(() => encodeParameter(parameter, Float32Array.of(1, 70000), 'q0f16')).toThrow(/model\.norm.*70000.*float16/)
    expect(() => encodeParameter(parameter, Float32Array.of(1, NaN), 'q0f32')).toThrow(/diverged/)
    const matrix = { name: 'lm_head.weight', shape: [1, 2], parts: [] }
    expect(() => encodeParameter(matrix, Float32Array.of(1, 70000), 'q4f16_1')).toThrow(/float16 cannot represent/)
  })

  it('is refused before anything is written: other architectures, and unsupported biases', () => {
    expect(() => architectureOf({ model_type: 'gpt2' }, 'x')).toThrow(/"gpt2".*llama, qwen2 and qwen3/)
    const { configJson } = referenceModel('llama')
    const biased = parseModelConfig({ ...(configJson as object), attention_bias: true }, 'x')
    expect(() => mlcParameters(biased, 'llama')).toThrow(/attention_bias/)
  })

  it('reports weights that are missing or truncated', () => {
    const model = referenceModel('qwen2')
    const weights = new Map(model.weights)
    weights.delete('model.layers.1.self_attn.k_proj.bias')
    expect(() => [...mlcTensors({ ...model, weights }, 'q0f32')]).toThrow(
      /no model\.layers\.1\.self_attn\.k_proj\.bias/,
    )
    const [shard] = [...writeTensorCache(mlcTensors(model, 'q0f32'))]
    const record = {
      name: 'w',
      shape: [2],
      dtype: 'float32',
      format: 'raw',
      nbytes: 8,
      byteOffset: shard!.bytes.length - 4,
    }
    expect(() => tensorBytes(shard!.bytes, record)).toThrow(/4 bytes short/)
    expect(() => parseTensorCache({ records: [{ dataPath: 3 }] }, 'a model')).toThrow(/records\.0\.dataPath/)
  })

  it('reads back what it wrote', () => {
    const [tensor] = encodeParameter(parameter, Float32Array.of(0.5, -3), 'q0f16')
    expect([...decodeFloats(tensor!.bytes, tensor!.dtype)]).toEqual([0.5, -3])
  })
})
