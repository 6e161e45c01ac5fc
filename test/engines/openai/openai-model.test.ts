import { afterEach, describe, expect, it } from 'vitest'
import { OpenAiModel } from '../../../src/engines/openai/openai-model.ts'
import { openRole } from '../../../src/sessions/open-role.ts'
import type { OpenAiSource } from '../../../src/roles/source.ts'
import { opened } from '../../../src/worlds/instruct/conversation.ts'
import type { Completion, SamplingOptions } from '../../../src/method/ports.ts'
import { DEFAULTS } from '../../../src/method/settings.ts'
import { standInServer, type Answer, type Asked, type StandInServer } from '../remote/stand-in-server.ts'

const SAMPLING: SamplingOptions = { temperature: 0.7, topP: 0.9, maxTokens: 12 }
interface Body {
  model?: string
  prompt?: string | number[]
  messages?: { role: string; content: string }[]
  seed?: number
  n?: number
  logprobs?: boolean | number
  max_tokens?: number
  return_token_ids?: boolean
}

const lastMessage = ({ body }: Asked<Body>) => body.messages?.at(-1)?.content

function onlyOne(completions: readonly Completion[][]): Completion {
  expect(completions.map((group) => group.length)).toEqual([1])
  return completions[0]![0]!
}

const open: { close(): void | Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Features of known servers. */
interface Kind {
  list?: string[]
  chat?: boolean
  seed?: boolean
  logprobs?: boolean
  n?: boolean
  tokens?: boolean
  key?: string
  /** Delay of every completion. */
  delayMs?: number
  reply?: (asked: Asked<Body>) => string
  fault?: (asked: Asked<Body>, index: number) => Answer | null
}

function openAiLike(kind: Kind) {
  const { list = ['tiny'], chat = true, delayMs = 0, reply = () => 'Action: look' } = kind
  return (asked: Asked<Body>, index: number): Answer => {
    const fault = kind.fault?.(asked, index)
    if (fault) return fault
    if (kind.key && asked.headers.authorization !== `Bearer ${kind.key}`)
      return { status: 401, json: { error: 'Unauthorized' } }
    if (asked.path === '/v1/models') return { json: { data: list.map((id) => ({ id, max_model_len: 512 })) } }
    const { body } = asked
    if (asked.path === '/tokenize' && kind.tokens)
      return { json: { tokens: Array.from(body.prompt as string).map((c) => c.codePointAt(0)), count: 0 } }
    if (!list.includes(body.model ?? ''))
      return { status: 404, json: { error: { message: `The model ${body.model} does not exist.` } } }
    if (body.seed !== undefined && kind.seed === false)
      return { status: 422, json: { detail: 'Unexpected fields: seed' } }
    const count = kind.n === false ? 1 : (body.n ?? 1)
    const text = reply(asked)
    const given = [...text].map((token, i) => ({
      token,
      logprob: -(i + 1) / 8,
      bytes: [...new TextEncoder().encode(token)],
    }))
    const finish_reason = text.length > (body.max_tokens ?? 0) ? 'length' : 'stop'
    if (asked.path === '/v1/chat/completions' && chat) {
      const logprobs = body.logprobs && kind.logprobs !== false ? { content: given } : null
      return {
        delayMs,
        json: {
          choices: Array.from({ length: count }, () => ({
            message: { role: 'assistant', content: text },
            finish_reason,
            logprobs,
          })),
        },
      }
    }
    if (asked.path === '/v1/completions') {
      const token_ids = body.return_token_ids && kind.tokens ? [...text].map((c) => c.codePointAt(0)) : undefined
      const logprobs =
        kind.logprobs === false ? null : { tokens: [...text], token_logprobs: given.map(({ logprob }) => logprob) }
      return {
        delayMs,
        json: { choices: Array.from({ length: count }, () => ({ text, finish_reason, token_ids, logprobs })) },
      }
    }
    return { status: 404, json: { detail: 'Not Found' } }
  }
}

async function modelOf(kind: Kind, source: Partial<OpenAiSource> = {}, key: string | null = null) {
  const server: StandInServer<Body> = await standInServer<Body>(openAiLike(kind))
  const model = new OpenAiModel({
    source: {
      kind: 'openai',
      baseUrl: `${server.url}/v1`,
      model: 'tiny',
      concurrency: 4,
      timeoutSeconds: 60,
      ...source,
    },
    key,
    http: { backoff: { baseMs: 5, capMs: 20 }, patienceMs: 30_000 },
  })
  open.push(model, server)
  return { server, model }
}

async function promptFor(model: OpenAiModel, message: string) {
  const pieces = await model.chatPieces()
  const [prompt] = await model.encode([pieces ? opened(pieces, 'Be brief.', message) : message])
  return prompt!
}

it('a greedy completion has temperature 0 and no nucleus', async () => {
  const { server, model } = await modelOf({ reply: () => 'né' })
  await model.load()
  const prompt = await promptFor(model, 'Where is the mug?')
  await model.generate([{ prompt, count: 1, seed: 3 }], { ...SAMPLING, temperature: 0 })
  expect(server.asked.at(-1)!.body).toMatchObject({ temperature: 0, top_p: 1 })
})

describe('a server with chat completions', () => {
  it('gets messages, and returns tokens with log-probabilities', async () => {
    const { server, model } = await modelOf({ reply: () => 'né' })
    const info = await model.load()
    expect(info.capabilities).toMatchObject({ endpoint: 'chat', contextTokens: 512 })
    expect([...info.capabilities.fields].sort()).toEqual(['logprobs', 'n', 'seed'])
    const prompt = await promptFor(model, 'Where is the mug?')
    const completion = onlyOne(await model.generate([{ prompt, count: 1, seed: 3 }], SAMPLING))
    expect(server.asked.at(-1)!.body).toMatchObject({
      model: 'tiny',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Where is the mug?' },
      ],
      temperature: 0.7,
      top_p: 0.9,
      max_tokens: 12,
      logprobs: true,
    })
    expect(completion.text).toBe('né')
    expect(completion.finishReason).toBe('stop')
    // n, two bytes of é, and the end.
    expect(Array.from(completion.tokens)).toEqual([0x6e, 0xc3, 0xa9, 259])
    expect(Array.from(completion.logProbs)).toEqual([-0.125, -0.25, 0, 0])
  })

  it('draws each completion from its own reproducible seed, and respects the limit of concurrent requests', async () => {
    const { server, model } = await modelOf({ delayMs: 60 }, { concurrency: 2 })
    await model.load()
    const prompt = await promptFor(model, 'x')
    const seeds = async () => {
      const before = server.asked.length
      const completions = await model.generate(
        [
          { prompt, count: 5, seed: 9 },
          { prompt, count: 2, seed: 10 },
        ],
        SAMPLING,
      )
      expect(completions.map((group) => group.length)).toEqual([5, 2])
      return server.asked
        .slice(before)
        .map(({ body }) => body.seed!)
        .sort((a, b) => a - b)
    }
    const first = await seeds()
    expect(new Set(first).size).toBe(7)
    expect(first.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true)
    expect(await seeds()).toEqual(first)
    expect(server.mostAtOnce).toBe(2)
  })

  it('retries after a lost connection, without losing or doubling an answer', async () => {
    let faults = 0
    const { model } = await modelOf({
      reply: (asked) => `answer to ${lastMessage(asked)}`,
      fault: (_asked, index) => (index > 6 && faults++ < 3 ? { breaks: index % 2 ? 'midway' : 'before' } : null),
    })
    await model.load()
    const prompts = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((message) => promptFor(model, message)))
    const completions = await model.generate(
      prompts.map((prompt) => ({ prompt, count: 1, seed: 1 })),
      SAMPLING,
    )
    expect(faults).toBeGreaterThanOrEqual(3)
    expect(completions.map(([one]) => one!.text)).toEqual(['a', 'b', 'c', 'd', 'e'].map((x) => `answer to ${x}`))
  })

  it('reports a truncated response, and a prompt that fills the context', async () => {
    const { model } = await modelOf({
      reply: () => 'a very long answer that never ends',
      fault: (asked) =>
        lastMessage(asked) === 'long'
          ? { status: 400, json: { error: { message: "This model's maximum context length is 512 tokens." } } }
          : null,
    })
    await model.load()
    const prompts = [await promptFor(model, 'short'), await promptFor(model, 'long')]
    const [cut, full] = (
      await model.generate(
        prompts.map((prompt) => ({ prompt, count: 1, seed: 1 })),
        SAMPLING,
      )
    ).flat()
    expect(cut!.finishReason).toBe('length')
    expect(cut!.tokens).toHaveLength('a very long answer that never ends'.length)
    expect(full).toMatchObject({ finishReason: 'context', text: '' })
    expect(full!.tokens).toHaveLength(0)
  })

  it('asks for a shorter answer where the prompt leaves no room for a long one', async () => {
    const { server, model } = await modelOf({
      reply: () => 'short',
      fault: ({ body }) =>
        (body.max_tokens ?? 0) > 300
          ? { status: 400, json: { error: { message: "This model's maximum context length is 512 tokens." } } }
          : null,
    })
    await model.load()
    const request = { prompt: await promptFor(model, 'long'), count: 1, seed: 1 }
    const before = server.asked.length
    expect(onlyOne(await model.generate([request], { ...SAMPLING, maxTokens: 1000 })).text).toBe('short')
    expect(server.asked.slice(before).map(({ body }) => body.max_tokens)).toEqual([1000, 500, 250])
  })

  it('cancels all requests when one fails or the run stops', async () => {
    const { server, model } = await modelOf(
      { fault: ({ body }) => (body.max_tokens === 12 ? { status: 400, json: { detail: 'no' } } : null) },
      { concurrency: 1 },
    )
    await model.load()
    const prompt = await promptFor(model, 'x')
    const before = server.asked.length
    await expect(model.generate([{ prompt, count: 50, seed: 1 }], SAMPLING)).rejects.toThrow(/refused.*400: no/)
    expect(server.asked.length - before).toBeLessThan(4)
    const stop = AbortSignal.abort(new DOMException('stopped', 'AbortError'))
    await expect(model.generate([{ prompt, count: 1, seed: 1 }], SAMPLING, stop)).rejects.toThrow('stopped')
  })
})

describe('a server with fewer features', () => {
  it('gets no field that it refuses or ignores, which is reported', async () => {
    // Like `transformers serve`, which ignores logprobs and n.
    const { server, model } = await modelOf({ logprobs: false, n: false, seed: false })
    const info = await model.load()
    expect([...info.capabilities.fields]).toEqual([])
    expect(info.backendDescription).toMatch(/no seed.*no log-probabilities/)
    const prompt = await promptFor(model, 'x')
    const [group] = await model.generate([{ prompt, count: 3, seed: 1 }], SAMPLING)
    expect(group).toHaveLength(3)
    expect(Object.keys(server.asked.at(-1)!.body).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'temperature',
      'top_p',
    ])
    expect(Array.from(group![0]!.logProbs).every((one) => one === 0)).toBe(true)
  })

  it('gets text if it has no chat', async () => {
    const { server, model } = await modelOf({ chat: false })
    expect((await model.load()).capabilities.endpoint).toBe('text')
    expect(await model.chatPieces()).toBeNull()
    const prompt = await promptFor(model, 'Once upon')
    const completion = onlyOne(await model.generate([{ prompt, count: 1, seed: 1 }], SAMPLING))
    expect(server.asked.at(-1)).toMatchObject({ path: '/v1/completions', body: { prompt: 'Once upon' } })
    expect(completion.logProbs[1]).toBe(-0.25)
  })

  it('exchanges token ids if it has no chat but its tokenizer is known', async () => {
    const { server, model } = await modelOf({ chat: false, tokens: true, reply: () => 'go' })
    const info = await model.load()
    expect(info).toMatchObject({ maxPositions: 512, capabilities: { endpoint: 'tokens' } })
    const prompt = await promptFor(model, 'hi')
    expect(Array.from(prompt)).toEqual([104, 105])
    const completion = onlyOne(await model.generate([{ prompt, count: 1, seed: 1 }], SAMPLING))
    expect(server.asked.at(-1)!.body).toMatchObject({ prompt: [104, 105], return_token_ids: true })
    expect(Array.from(completion.tokens)).toEqual([103, 111])
    expect(Array.from(completion.logProbs)).toEqual([-0.125, -0.25])
  })
})

describe('loading reports a wrong', () => {
  it('key', async () => {
    const { model } = await modelOf({ key: 'right' }, {}, 'wrong')
    await expect(model.load()).rejects.toThrow(/does not accept the key.*401/)
    const { model: other } = await modelOf({ key: 'right' }, {}, 'right')
    await expect(other.load()).resolves.toBeDefined()
  })

  it('model, and lists the available ones', async () => {
    const { model } = await modelOf({ list: ['qwen', 'llama'] })
    await expect(model.load()).rejects.toThrow(/“tiny”.*qwen, llama.*Choose one/)
  })
})

it('cannot be trained, and saves nothing', async () => {
  const { model } = await modelOf({})
  await expect(model.update()).rejects.toThrow(/cannot be trained.*Tinker/)
  expect(await model.saveCheckpoint()).toHaveLength(0)
})

it('makes no more requests after it is closed', async () => {
  const busy = () => ({ status: 503, json: { error: 'Busy.' } })
  let isBusy = false
  const server = await standInServer<Body>(openAiLike({ fault: () => (isBusy ? busy() : null) }))
  open.push(server)
  const unused = () => {
    throw new Error('Nothing is computed on this machine.')
  }
  const role = openRole(
    'author',
    { kind: 'openai', baseUrl: `${server.url}/v1`, model: 'tiny', concurrency: 4, timeoutSeconds: 60 },
    {
      host: { shippedModel: unused, startModel: unused, startWebLlm: null },
      settings: DEFAULTS,
      backend: 'cpu',
      keys: {},
    },
  )
  await role.load()
  const [prompt] = await role.model.encode([opened((await role.model.chatPieces())!, 'Be brief.', 'Hi')])
  isBusy = true
  const answers = role.model.generate([{ prompt: prompt!, count: 1, seed: 1 }], SAMPLING)
  role.close()
  await expect(answers).rejects.toThrow(/closed/)
})
