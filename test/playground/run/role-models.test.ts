import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CATALOGUE } from '../../../src/engines/webllm/catalogue.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { judgeCheckpoint } from '../../../src/engines/transformer/checkpoint-outlook.ts'
import {
  changeInWords,
  fieldsOf,
  useOf,
  verdictSentence,
} from '../../../src/playground/views/models/checkpoint-verdict.ts'
import {
  kindsFor,
  kindTitle,
  CHECKPOINTS,
  FIRST_FORM,
  KINDS,
  parseForms,
  repositoryAddress,
  samplersFor,
  sourceOf,
  trainedForm,
} from '../../../src/playground/run/role-models.ts'
import { experimentKey } from '../../../src/playground/run/ablations.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import type { RoleSource } from '../../../src/roles/source.ts'
import { PLAIN } from '../../language-model/tiny-model.ts'

const OWN = {
  hasOwnAddresses: true,
  ownName: 'm',
  ownWeights: 'https://a.test/m/',
  ownLibrary: 'https://a.test/m.wasm',
  ownIsHalf: true,
}
const recordOf = (id: string) => CATALOGUE.find((model) => model.id === id)!.record

describe('the form of a role', () => {
  it('opens what another run trained, with adapters only if that run trained adapters', () => {
    const source = (trained?: Parameters<typeof trainedForm>[1]) =>
      sourceOf({ ...FIRST_FORM, isSampled: true, ...trainedForm('run-1-4-policy', trained) }).source
    const folder = { kind: 'checkpoint', location: 'local:run-1-4-policy', storage: 'float32', sampler: null }
    expect(source()).toEqual({ ...folder, adapters: null, contextWindow: null })
    expect(source('https://a.test/old/')).toEqual({ ...folder, adapters: null, contextWindow: null })
    const adapters = { rank: 4, alpha: 8, dropout: 0.1, targets: ['k_proj' as const] }
    const trained = { kind: 'checkpoint', location: 'x', adapters, storage: 'four-bit', contextWindow: 512, sampler: null } as const // prettier-ignore
    expect(source(trained)).toEqual({ ...folder, adapters, contextWindow: 512 })
  })

  it('makes sources of every kind, without keys', () => {
    const record = { model_id: 'm', model: 'https://m', model_lib: 'https://m/l.wasm' }
    const form = { ...FIRST_FORM, record, model: 'm', tokenizer: 'https://t/' }
    for (const kind of KINDS) expect(sourceOf({ ...form, kind }).source?.kind).toBe(kind)
    expect(sourceOf({ ...form, kind: 'built-in-webllm', isHalf: true }).source).toMatchObject({ isHalf: true })
    expect(sourceOf({ ...form, isEarly: true }).source).toEqual({ kind: 'built-in', isEarly: true })
    expect(sourceOf(form).source).toEqual({ kind: 'built-in' })
    expect(sourceOf({ ...form, kind: 'checkpoint', contextWindow: 0 }).source).toMatchObject({
      contextWindow: null,
      adapters: { rank: 16, alpha: 32, dropout: 0, targets: ['q_proj', 'v_proj'] },
    })
  })

  it('makes the same source of WebLLM in float32 as before it had a precision, so that its seeds form one matrix', () => {
    const policy = sourceOf({ ...FIRST_FORM, kind: 'built-in-webllm' }).source!
    const ofModel = (source: RoleSource) =>
      experimentKey({
        settings: presetSettings(),
        changes: [],
        iterations: 5,
        models: { policy: source, reward: { kind: 'built-in' }, author: { kind: 'built-in' } },
      } as unknown as Parameters<typeof experimentKey>[0])
    expect(ofModel(policy)).not.toBeNull()
    expect(ofModel(policy)).toEqual(ofModel({ kind: 'built-in-webllm' }))
    expect(ofModel(policy)).not.toEqual(ofModel({ kind: 'built-in-webllm', isHalf: true }))
  })

  it.each([
    [{ kind: 'checkpoint', location: 'model' }, 'address'],
    [{ kind: 'checkpoint', rank: 0 }, 'rank'],
    [{ kind: 'checkpoint', targets: [] }, 'projection'],
    [{ kind: 'checkpoint', hasAdapters: false, storage: 'float16' }, 'float32'],
    [{ kind: 'webllm' }, 'Choose a WebLLM model'],
    [{ kind: 'webllm', hasOwnAddresses: true, ownName: 'm', ownWeights: 'weights' }, 'addresses of its weights'],
    [{ kind: 'webllm', ...OWN, ownName: 'Qwen3-0.6B-q0f16-MLC' }, 'another'],
    [{ kind: 'checkpoint', isSampled: true, contextWindow: 0 }, 'length of the context'],
    [{ kind: 'checkpoint', isSampled: true }, 'Choose a WebLLM model'],
    [{ kind: 'checkpoint', isSampled: true, record: recordOf('Qwen3-0.6B-q0f16-MLC') }, 'the trained model'],
    [{ kind: 'checkpoint', isSampled: true, record: recordOf('SmolLM2-360M-Instruct-q4f16_1-MLC') }, 'q0f16 or q0f32'],
    [{ kind: 'checkpoint', isSampled: true, ...OWN, sequences: 0 }, 'one sequence'],
    [{ kind: 'openai', model: '' }, 'Enter the name'],
    [{ kind: 'openai', model: 'm', baseUrl: 'https://me:key@host' }, 'key from the address'],
    [{ kind: 'tinker', model: 'm' }, 'tokenizer'],
  ] as const)('explains what is wrong with %o', (fields, word) => {
    const { source, problem } = sourceOf({ ...FIRST_FORM, ...fields } as typeof FIRST_FORM)
    expect(source).toBeNull()
    expect(problem).toContain(word)
  })

  it('accepts as sampler the same model from the list, from addresses or from a folder', () => {
    const form = { ...FIRST_FORM, kind: 'checkpoint' as const, isSampled: true, sequences: 4 }
    const record = recordOf('SmolLM2-135M-Instruct-q0f16-MLC')
    expect(sourceOf({ ...form, record }).source).toMatchObject({
      sampler: { record, contextWindow: 2048, sequences: 4 },
    })
    expect(sourceOf({ ...form, record, isSampled: false }).source).toMatchObject({ sampler: null })
    expect(sourceOf({ ...form, record, ...OWN }).source).toMatchObject({
      sampler: { record: { model_id: 'm', model_lib: OWN.ownLibrary, required_features: ['shader-f16'] } },
    })
    // Your own folder is in no list.
    const ofFolder = {
      model_id: 'mine',
      model: 'https://site.test/local-models/mine/',
      model_lib: 'https://site.test/l',
    }
    expect(sourceOf({ ...form, location: 'local:mine', record: ofFolder }).problem).toBeNull()
  })

  it('offers samplers for the checkpoints that WebLLM has with replaceable weights', () => {
    const offered = CHECKPOINTS.map(({ repository }) => samplersFor(repositoryAddress(repository)).map(({ id }) => id))
    expect(offered[0]).toEqual(['SmolLM2-135M-Instruct-q0f16-MLC', 'SmolLM2-135M-Instruct-q0f32-MLC'])
    expect(offered.flat().some((id) => id.includes('q4'))).toBe(false)
    expect(offered.filter((ids) => ids.length > 0)).toHaveLength(5)
  })

  it('names the change that makes a checkpoint fit, and applies it', () => {
    const config = parseModelConfig({ ...PLAIN, vocab_size: 50_000, max_position_embeddings: 8192 }, 'm')
    const outlook = { name: 'm', config, parameters: 1, fileBytes: 1 }
    const form = { ...FIRST_FORM, kind: 'checkpoint' as const, contextWindow: 8192, hasAdapters: false }
    const use = useOf(form, true)
    const limits = { backend: 'webgpu', maxStorageBufferBindingSize: 1e9 } as const
    const roomy = judgeCheckpoint(config, use, { ...limits, budgetBytes: 1e12 })
    expect(verdictSentence(outlook, roomy)).toMatch(/^Needs about .* of memory \(weights .*, learning .*\) of/)
    const budgetBytes = roomy.estimate.total - 1
    const verdict = judgeCheckpoint(config, use, { ...limits, budgetBytes })
    expect(changeInWords(use, verdict.change!)).toBe('a context of 4096 tokens')
    const changed = { ...form, ...fieldsOf(verdict.change!) }
    expect(judgeCheckpoint(config, useOf(changed, true), { ...limits, budgetBytes }).fits).toBe(true)
    const hopeless = judgeCheckpoint(config, use, { ...limits, budgetBytes: 1 })
    expect(verdictSentence(outlook, hopeless)).toContain('Choose a smaller model')
    const adapters = { ...use, adapters: { rank: 2, alpha: 4, dropout: 0, targets: ['q_proj'] as const } }
    expect(
      useOf({ ...form, ...fieldsOf({ ...adapters, adapters: { ...adapters.adapters, targets: ['q_proj'] } }) }, true),
    ).toEqual(adapters)
  })

  it('is read from any stored text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(null)), (text) => {
        for (const form of Object.values(parseForms(text))) expect(() => sourceOf(form)).not.toThrow()
      }),
    )
    const kept = { policy: { kind: 'openai', model: 'm', rank: 'x', record: 5, targets: ['other'], other: 1 } }
    expect(parseForms(JSON.stringify(kept)).policy).toEqual({ ...FIRST_FORM, kind: 'openai', model: 'm' })
  })
})

it('in a world of your own the built-in model is that of the world, and WebLLM offers none', () => {
  expect(kindsFor('own', 'built-in')).not.toContain('built-in-webllm')
  expect(kindsFor('own', 'built-in-webllm')).toContain('built-in-webllm')
  expect(kindsFor('household', 'built-in')).toContain('built-in-webllm')
  expect(kindTitle('built-in', 'own')).toBe('Model of your world')
  expect(kindTitle('built-in', 'household')).toBe('Built-in model')
})
