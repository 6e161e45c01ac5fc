import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FIRST_FORM, KINDS, parseForms, sourceOf } from '../../src/playground/panels/role-models.ts'

describe('the form of a role', () => {
  it('makes a source without a key of every kind', () => {
    const record = { model_id: 'm', model: 'https://m', model_lib: 'https://m/l.wasm' }
    const form = { ...FIRST_FORM, record, model: 'm', tokenizer: 'https://t/' }
    for (const kind of KINDS) expect(sourceOf({ ...form, kind }).source?.kind).toBe(kind)
    expect(sourceOf({ ...form, kind: 'checkpoint', contextWindow: 0 }).source).toMatchObject({
      contextWindow: null,
      adapters: { rank: 16, alpha: 32, dropout: 0, targets: ['q_proj', 'v_proj'] },
    })
  })

  it.each([
    [{ kind: 'checkpoint', location: 'model' }, 'address'],
    [{ kind: 'checkpoint', rank: 0 }, 'rank'],
    [{ kind: 'checkpoint', targets: [] }, 'projection'],
    [{ kind: 'checkpoint', hasAdapters: false, storage: 'float16' }, 'float32'],
    [{ kind: 'webllm' }, 'Choose a model'],
    [{ kind: 'openai', model: '' }, 'Name the model'],
    [{ kind: 'openai', model: 'm', baseUrl: 'https://me:key@host' }, 'key out of the address'],
    [{ kind: 'tinker', model: 'm' }, 'tokenizer'],
  ] as const)('says what is wrong with %o', (fields, word) => {
    const { source, problem } = sourceOf({ ...FIRST_FORM, ...fields } as typeof FIRST_FORM)
    expect(source).toBeNull()
    expect(problem).toContain(word)
  })

  it('is read from whatever storage holds, and is always one that can be checked', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(null)), (text) => {
        for (const form of Object.values(parseForms(text))) expect(() => sourceOf(form)).not.toThrow()
      }),
    )
    const kept = { policy: { kind: 'openai', model: 'm', rank: 'x', other: 1 } }
    expect(parseForms(JSON.stringify(kept)).policy).toEqual({ ...FIRST_FORM, kind: 'openai', model: 'm' })
  })
})
