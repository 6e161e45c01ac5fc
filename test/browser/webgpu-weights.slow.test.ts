/** Checks that WebGPU gives the same results with matrices in half precision and in four bits as with floats. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import { type NamedTensor, readSafetensors, writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import { isFourBitShape, type WeightStorage } from '../../src/language-model/weights/weight-storage.ts'
import type { GenerateRequest } from '../../src/method/ports.ts'
import { type RemoteModel, useLanguageModels } from './language-models.ts'
import {
  adapterOf,
  CONFIG,
  EXAMPLES,
  largestDifference,
  LORA,
  momentsOf,
  opening,
  relativeError,
  requestsOf,
  SIZES,
  throughFourBits,
  UPDATE,
} from './tiny-checkpoint.ts'

/** Wide enough that matrices are stored in half precision. */
const WIDE = { hidden_size: 64, intermediate_size: 96, head_dim: 16, vocab_size: 128 }

describe('a checkpoint with small weights on webgpu', () => {
  const open = useLanguageModels(SOFTWARE_ADAPTER_FLAGS)
  let missing: string | null = null
  let model: RemoteModel

  beforeAll(async () => {
    const { page, on } = await open()
    missing = (await adapterOf(page)).missing
    if (missing !== null) return
    model = on('webgpu')
    await model.select('webgpu')
  })

  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''))

  it('can keep matrices only in half precision, with the same results', async () => {
    await model.open({ ...CONFIG, ...WIDE }, 2, SIZES)
    const { 'model.safetensors': full, ...small } = await model.saveFolder()
    const { tensors, metadata } = readSafetensors(full!, 'full')
    // Numbers that half precision represents exactly.
    const files = { ...small, 'model.safetensors': writeSafetensors({ metadata, tensors }, 'F16') }
    const requests = requestsOf([opening, [7, 55]])
    const [single, half] = [await trained(files, 'float32', requests), await trained(files, 'float16', requests)]
    expect(half.programs).toContain('gather rows vec4<f32>, half')
    expect(half.programs.filter((name) => /^(product|dot).*half/.test(name)).length).toBeGreaterThan(2)
    expect(half.programs).not.toContain('unpack half')
    expect(single.programs.some((name) => name.includes('half'))).toBe(false)
    const large = [...tensors.values()].filter(({ values, shape }) => shape.length === 2 && values.length >= 4096)
    const numbers = large.reduce((sum, { values }) => sum + values.length, 0)
    expect(large.length).toBe(2 * 5 + 1)
    expect(single.bytes - half.bytes).toBe(2 * numbers)
    expect(half.completions.flat().map(({ tokens }) => tokens)).toEqual(
      single.completions.flat().map(({ tokens }) => tokens),
    )
    expectSameTraining(single, half)
  })

  it('computes the same with four-bit matrices as with their float copies, in 0.16 of the memory', async () => {
    // The vocabulary is not divisible by four.
    await model.open({ ...CONFIG, ...WIDE, vocab_size: 131 }, 2, SIZES)
    const { 'model.safetensors': full, ...small } = await model.saveFolder()
    const { tensors, metadata } = readSafetensors(full!, 'full')
    const isFourBit = ({ shape }: NamedTensor) => isFourBitShape(shape)
    const rounded = new Map(
      Array.from(tensors, ([name, tensor]) => [name, isFourBit(tensor) ? throughFourBits(tensor) : tensor] as const),
    )
    const floatFiles = { ...small, 'model.safetensors': writeSafetensors({ metadata, tensors: rounded }) }
    const long = Array.from({ length: 40 }, (_, i) => 2 + ((i * 37) % 120))
    const requests = requestsOf([opening, long])
    const [floats, fourBit] = [
      await trained(floatFiles, 'float32', requests),
      await trained({ ...small, 'model.safetensors': full! }, 'four-bit', requests),
    ]
    expect(fourBit.programs).toContain('gather rows vec4<f32>, four bits')
    for (const kind of [/^product.*rows, rows.*four bits/, /^product.*rows, columns.*four bits/, /^dot.*four bits/])
      expect(
        fourBit.programs.some((name) => kind.test(name)),
        String(kind),
      ).toBe(true)
    expect(fourBit.programs).not.toContain('unpack four bits')
    expect(floats.programs.some((name) => name.includes('four bits'))).toBe(false)
    const large = [...tensors.values()].filter((tensor) => isFourBit(tensor) && tensor.values.length >= 4096)
    const numbers = large.reduce((sum, { values }) => sum + values.length, 0)
    expect(large.length).toBe(2 * 5 + 1)
    // 5 bits instead of 32 each.
    expect(floats.bytes - fourBit.bytes).toBe((4 - 5 / 8) * numbers)
    for (const [i, [completion]] of floats.completions.entries()) {
      expect(fourBit.completions[i]![0]!.tokens).toEqual(completion!.tokens)
      expect(largestDifference(completion!.logProbs, fourBit.completions[i]![0]!.logProbs)).toBeLessThanOrEqual(1e-4)
    }
    expectSameTraining(floats, fourBit)
  })

  it('causes no device errors in all that', async () => {
    expect(await model.deviceErrors()).toEqual([])
  })

  async function trained(files: Record<string, Uint8Array>, storage: WeightStorage, requests: GenerateRequest[]) {
    await model.openFiles(files, { ...SIZES, storage })
    const completions = await model.generate(requests, { temperature: 1, topP: 1, maxTokens: 4 })
    const bytes = await model.deviceBytes()
    await model.attachAdapters(LORA, 1)
    for (let step = 0; step < 2; step++) await model.update(EXAMPLES, UPDATE)
    const working = await model.programsOf(requests, EXAMPLES, UPDATE)
    const gradients = momentsOf(await model.saveCheckpoint())
    const saved = readSafetensors((await model.saveFolder())['model.safetensors']!, 'saved').tensors
    const after = await model.programsOf(requests, EXAMPLES, UPDATE)
    return { bytes, completions, gradients, saved, programs: [...working, ...after] }
  }
})

interface Training {
  gradients: Map<string, Float32Array>
  saved: Map<string, NamedTensor>
}

function expectSameTraining(one: Training, other: Training): void {
  for (const [name, gradient] of one.gradients)
    expect(relativeError(gradient, other.gradients.get(name)!), name).toBeLessThanOrEqual(1e-3)
  for (const [name, { values }] of one.saved)
    expect(largestDifference(values, other.saved.get(name)!.values), name).toBeLessThan(1e-4)
}
