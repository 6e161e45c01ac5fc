import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/cli/arguments.ts'
import { parseLoopArguments } from '../../../src/cli/loop/arguments.ts'
import {
  DEFAULT_LORA,
  keysFrom,
  parseLora,
  parseRoleSource,
  RoleArgumentError,
} from '../../../src/cli/loop/role-arguments.ts'
import { PROJECTIONS } from '../../../src/language-model/weights/projection-names.ts'

const whole = { adapters: null, storage: 'float32', contextWindow: null, sampler: null }

describe('the model of a role, on the command line', () => {
  it.each([
    ['built-in', { kind: 'built-in' }],
    ['{"kind":"built-in-webllm"}', { kind: 'built-in-webllm' }],
    ['{"kind":"built-in-webllm","isHalf":true}', { kind: 'built-in-webllm', isHalf: true }],
    ['models/mine', { kind: 'checkpoint', location: 'models/mine', ...whole }],
    [
      'hf:HuggingFaceTB/SmolLM2-135M-Instruct',
      {
        kind: 'checkpoint',
        location: 'https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct/resolve/main',
        ...whole,
      },
    ],
    [
      'hf:Qwen/Qwen3-0.6B@refs/pr/1',
      { kind: 'checkpoint', location: 'https://huggingface.co/Qwen/Qwen3-0.6B/resolve/refs/pr/1', ...whole },
    ],
    [
      'openai:http://127.0.0.1:8000/v1/#Qwen/Qwen3-8B',
      {
        kind: 'openai',
        baseUrl: 'http://127.0.0.1:8000/v1',
        model: 'Qwen/Qwen3-8B',
        concurrency: 16,
        timeoutSeconds: 300,
      },
    ],
    [
      '{"kind":"checkpoint","location":"hf:a/b","storage":"float16","contextWindow":2048,"adapters":{"rank":4,"alpha":8}}',
      {
        kind: 'checkpoint',
        location: 'https://huggingface.co/a/b/resolve/main',
        adapters: { rank: 4, alpha: 8, dropout: 0, targets: PROJECTIONS },
        storage: 'float16',
        contextWindow: 2048,
        sampler: null,
      },
    ],
  ])('%s', (text, source) => {
    expect(parseRoleSource(text, null)).toEqual(source)
  })

  const tinker = {
    kind: 'tinker',
    baseUrl: 'http://127.0.0.1:8001',
    baseModel: 'Qwen/Qwen3-0.6B',
    tokenizer: 'https://huggingface.co/Qwen/Qwen3-0.6B/resolve/main',
    timeoutSeconds: 300,
  }
  const tinkerJson = { kind: tinker.kind, baseUrl: tinker.baseUrl, baseModel: tinker.baseModel }
  const shortTinker = `tinker:${tinker.baseUrl}#${tinker.baseModel}`

  it.each([shortTinker, JSON.stringify(tinkerJson)])('%s takes the rank of --lora', (text) => {
    expect(parseRoleSource(text, DEFAULT_LORA)).toEqual({ ...tinker, rank: DEFAULT_LORA.rank })
    expect(parseRoleSource(text, parseLora('rank=8'))).toEqual({ ...tinker, rank: 8 })
  })

  it.each(['none', 'rank=8,alpha=64', 'dropout=0.1', 'targets=q_proj'])(
    'on a Tinker server is refused with --lora %s, unless its source names the rank',
    (lora) => {
      for (const text of [shortTinker, JSON.stringify(tinkerJson)]) {
        const parse = () => parseRoleSource(text, parseLora(lora))
        expect(parse).toThrow(RoleArgumentError)
        expect(parse).toThrow(/takes only the rank of --lora; write --lora rank=N/)
      }
      const ranked = JSON.stringify({ ...tinkerJson, rank: 4 })
      expect(parseRoleSource(ranked, parseLora(lora))).toEqual({ ...tinker, rank: 4 })
    },
  )

  it.each([
    ['', /is empty/],
    ['hf:SmolLM2', /names no repository/],
    ['openai:http://127.0.0.1:8000/v1', /names no model/],
    ['openai:127.0.0.1:8000#m', /not an http\(s\) address/],
    ['openai:http://me:secret@host/v1#m', /OPENAI_API_KEY/],
    ['{"kind":"checkpoint"}', /location/],
    ['{"kind":"checkpoint","location":"x","storage":"float8"}', /storage/],
    ['{"kind":"openai","baseUrl":"http://h/v1","model":"m","key":"k"}', /key/],
    ['{', /is not JSON/],
  ])('is refused as %s', (text, why) => {
    expect(() => parseRoleSource(text, null)).toThrow(why)
  })

  it('trains the adapters of --lora, with an alpha of twice their rank by default', () => {
    expect(parseLora('rank=8')).toEqual({ ...DEFAULT_LORA, rank: 8, alpha: 16 })
    expect(parseLora('rank=8,alpha=8,dropout=0.1,targets=v_proj+q_proj')).toEqual({
      rank: 8,
      alpha: 8,
      dropout: 0.1,
      targets: ['q_proj', 'v_proj'],
    })
    expect(parseLora('none')).toBeNull()
    for (const wrong of ['rank=0', 'rank=', 'size=2', 'targets=lm_head', 'dropout=1', '']) {
      expect(() => parseLora(wrong)).toThrow()
    }
  })

  it('reads keys from the environment, each for the servers of its kind', () => {
    const sources = ['openai:http://a/v1#m', 'tinker:http://b#Q/m', 'openai:http://a/v1#n', 'here'].map((text) =>
      parseRoleSource(text, DEFAULT_LORA),
    )
    expect(keysFrom(sources, { OPENAI_API_KEY: 'o', TINKER_API_KEY: 't' })).toEqual({
      'http://a/v1': 'o',
      'http://b': 't',
    })
    expect(keysFrom(sources, { TINKER_API_KEY: '' })).toEqual({})
  })

  it('is an argument of the loop for each role, with adapters on folders by default', () => {
    const { roles, keys } = parseLoopArguments(
      ['--policy-model', 'a', '--author-model=openai:http://h/v1#m', '--lora', 'rank=2'],
      { OPENAI_API_KEY: 'secret' },
    )!
    expect(roles).toMatchObject({
      policy: { kind: 'checkpoint', location: 'a', adapters: { rank: 2, alpha: 4 } },
      author: { kind: 'openai', model: 'm' },
    })
    expect(roles.reward).toBeUndefined()
    expect(keys).toEqual({ 'http://h/v1': 'secret' })
    expect(JSON.stringify(roles)).not.toContain('secret')
    expect(parseLoopArguments(['--reward-model', 'a'])!.roles).toMatchObject({ reward: { adapters: DEFAULT_LORA } })
    expect(parseLoopArguments(['--reward-model', 'a', '--lora', 'none'])!.roles).toMatchObject({
      reward: { adapters: null },
    })
  })

  it.each([
    [['--lora', 'rank=2'], /--lora is for folders/],
    [['--policy-model', 'hf:x'], /--policy-model: .*names no repository/],
    [['--policy-model', 'a', '--lora', 'rank=x'], /--lora: rank must be a number/],
    [['--policy-model', 'tinker:http://h#m', '--lora', 'none'], /--policy-model: a Tinker server takes only the rank/],
  ])('%j is refused in one line', (args, why) => {
    expect(() => parseLoopArguments(args)).toThrow(ArgumentError)
    expect(() => parseLoopArguments(args)).toThrow(why)
  })
})
