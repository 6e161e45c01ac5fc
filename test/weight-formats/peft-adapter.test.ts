import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { writeHuggingFace } from '../../src/weight-formats/hugging-face-export.ts'
import { loraScale, mergeLora, readPeft, writePeft, type LoraAdapter } from '../../src/weight-formats/peft-adapter.ts'

const file = (name: string) => readFileSync(new URL(`./fixtures/peft/${name}`, import.meta.url))
const tensorsOf = (name: string) => readSafetensors(file(name), name).tensors
const config = JSON.parse(file('adapter_config.json').toString()) as Record<string, unknown>
const weights = file('adapter_model.safetensors')
const adapter = readPeft(config, weights, 'a fixture')

describe('an adapter that PEFT saved', () => {
  it('is read whole', () => {
    expect(adapter).toMatchObject({ rank: 4, alpha: 6, isRankStabilized: false })
    expect(adapter.modules.size).toBe(6)
    const { down, up } = adapter.modules.get('model.layers.1.mlp.down_proj')!
    expect([down.shape, up.shape]).toEqual([
      [4, 24],
      [16, 4],
    ])
  })

  it('merges to what PEFT merges', () => {
    const merged = mergeLora(tensorsOf('base.safetensors'), adapter)
    const expected = tensorsOf('merged.safetensors')
    expect([...merged.keys()].sort()).toEqual([...expected.keys()].sort())
    let changed = 0
    for (const [name, { values }] of expected) {
      const ours = merged.get(name)!.values
      const before = tensorsOf('base.safetensors').get(name)!.values
      for (let i = 0; i < values.length; i++) {
        expect(Math.abs(ours[i]! - values[i]!)).toBeLessThan(3e-7)
        changed = Math.max(changed, Math.abs(values[i]! - before[i]!))
      }
    }
    expect(changed).toBeGreaterThan(1e-2)
  })

  it('is the same after having been written by us', () => {
    const files = writePeft(adapter, { baseModel: null })
    const written = JSON.parse(new TextDecoder().decode(files['adapter_config.json'])) as Record<string, unknown>
    expect(written).toMatchObject({ peft_type: 'LORA', r: 4, lora_alpha: 6, task_type: 'CAUSAL_LM' })
    expect((written.target_modules as string[]).sort()).toEqual((config.target_modules as string[]).sort())
    expect(readPeft(written, files['adapter_model.safetensors'], 'ours')).toEqual(adapter)
    const names = [...readSafetensors(files['adapter_model.safetensors'], 'ours').tensors.keys()].sort()
    expect(names).toEqual([...tensorsOf('adapter_model.safetensors').keys()].sort())
  })

  it('is scaled by the root of its rank where it is rank-stabilised', () => {
    const stabilized: LoraAdapter = { ...adapter, isRankStabilized: true }
    expect([loraScale(adapter), loraScale(stabilized)]).toEqual([1.5, 3])
    const files = writePeft(stabilized, { baseModel: 'someone/a-model', dtype: 'F16' })
    const written = JSON.parse(new TextDecoder().decode(files['adapter_config.json'])) as Record<string, unknown>
    expect(written).toMatchObject({ use_rslora: true, base_model_name_or_path: 'someone/a-model' })
    expect(readPeft(written, files['adapter_model.safetensors'], 'ours').isRankStabilized).toBe(true)
  })
})

describe('an adapter that is not plain LoRA', () => {
  it.each([
    [{ use_dora: true }, /DoRA/],
    [{ peft_type: 'IA3' }, /IA3/],
    [{ bias: 'all' }, /biases/],
    [{ fan_in_fan_out: true }, /transposed/],
    [{ modules_to_save: ['lm_head'] }, /modules_to_save/],
    [{ rank_pattern: { q_proj: 8 } }, /by module/],
    [{ r: 8 }, /rank 8/],
    [{ r: 'four' }, /adapter_config\.json.*r:/],
  ])('is refused with the reason: %j', (change, message) => {
    expect(() => readPeft({ ...config, ...change }, weights, 'x')).toThrow(message)
  })

  it('is refused on a model of another shape', () => {
    const base = tensorsOf('base.safetensors')
    base.set('model.layers.0.self_attn.q_proj.weight', { shape: [8, 16], values: new Float32Array(128) })
    expect(() => mergeLora(base, adapter)).toThrow(/q_proj\.weight of shape \[16, 16\].*\[8, 16\]/)
    base.delete('model.layers.0.self_attn.q_proj.weight')
    expect(() => mergeLora(base, adapter)).toThrow(/no such weight/)
  })
})

describe('a Hugging Face folder', () => {
  it('says in its config which type its weights have', () => {
    const base = tensorsOf('base.safetensors')
    const files = writeHuggingFace({ configJson: { model_type: 'llama' }, tokenizerJson: {}, weights: base }, 'BF16')
    expect(files.map(({ name }) => name)).toEqual(['config.json', 'tokenizer.json', 'model.safetensors'])
    expect(JSON.parse(new TextDecoder().decode(files[0]!.bytes))).toEqual({
      model_type: 'llama',
      torch_dtype: 'bfloat16',
    })
    const back = readSafetensors(files[2]!.bytes, 'ours').tensors
    for (const [name, { values, shape }] of base) {
      expect(back.get(name)!.shape).toEqual(shape)
      back
        .get(name)!
        .values.forEach((value, i) =>
          expect(Math.abs(value - values[i]!)).toBeLessThanOrEqual(2 ** -8 * Math.abs(values[i]!)),
        )
    }
  })
})
