import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addedTokensOf, readChatTemplate } from '../../../src/language-model/tokens/chat-template-files.ts'
import {
  type ChatMessage,
  chatPiecesOf,
  type ChatRenderer,
  chatRenderer,
  ChatTemplateError,
  WITHOUT_REASONING,
} from '../../../src/language-model/tokens/chat-template.ts'
import { folderReader } from '../../../src/language-model/files/folder-reader.ts'
import { memoryReader, ModelFileError } from '../../../src/language-model/files/model-reader.ts'
import { Tokenizer } from '../../../src/language-model/tokens/tokenizer.ts'

const MODELS = ['smollm2', 'qwen2', 'qwen3', 'llama3'] as const
type Model = (typeof MODELS)[number]

/** Results of Python's transformers and tokenizers, written by scripts/reference/make_chat_fixtures.py. */
interface Reference {
  texts: { text: string; ids: number[]; decoded: string }[]
  cuts: { ids: number[]; decoded: string }[]
  conversations: { messages: ChatMessage[]; hasCue: boolean; variables: Record<string, unknown>; text: string }[]
}

const folderOf = (model: Model) => join(import.meta.dirname, '../fixtures/chat', model)
const readFixture = (model: Model, file: string) => JSON.parse(readFileSync(join(folderOf(model), file), 'utf8')) as unknown // prettier-ignore
const referenceOf = (model: Model) => readFixture(model, 'reference.json') as Reference
const tokenizerJsonOf = (model: Model) => readFixture(model, 'tokenizer.json')

async function templateOf(model: Model) {
  const template = await readChatTemplate(folderReader(folderOf(model)))
  if (!template) throw new Error(`Fixture ${model} has no chat template.`)
  return template
}

const rendererOf = async (model: Model, variables?: Record<string, unknown>) =>
  chatRenderer(await templateOf(model), model, variables)

async function piecesOf(model: Model) {
  return chatPiecesOf(await rendererOf(model), addedTokensOf(tokenizerJsonOf(model)), model)
}

describe.each(MODELS)('the tokenizer of a model like %s', (model) => {
  const tokenizer = new Tokenizer(tokenizerJsonOf(model), model)
  const { texts, cuts } = referenceOf(model)

  test.each(texts)('has the ids of Python for $text', ({ text, ids, decoded }) => {
    expect(Array.from(tokenizer.encode(text))).toEqual(ids)
    expect(tokenizer.decode(Int32Array.from(ids))).toBe(decoded)
  })

  test('decodes tokens that begin or end within a character as Python does', () => {
    expect(cuts.some(({ decoded }) => decoded.includes('\uFFFD'))).toBe(true)
    for (const { ids, decoded } of cuts) expect(tokenizer.decode(Int32Array.from(ids))).toBe(decoded)
  })
})

describe.each(MODELS)('the chat template of a model like %s', (model) => {
  test('renders conversations as Python does', async () => {
    const { conversations } = referenceOf(model)
    expect(conversations.length).toBeGreaterThan(10)
    for (const { messages, hasCue, variables, text } of conversations) {
      const render = await rendererOf(model, variables)
      expect(render(messages, hasCue)).toBe(text)
    }
  })

  test('begins a conversation from its pieces as Python renders it', async () => {
    const { start, systemEnd, responseCue } = await piecesOf(model)
    const opened = referenceOf(model).conversations.filter(
      ({ messages, hasCue, variables }) =>
        hasCue && 'enable_thinking' in variables && messages.length === 2 && messages[0]!.role === 'system',
    )
    expect(opened).toHaveLength(1)
    const [system, user] = opened[0]!.messages.map(({ content }) => (model === 'llama3' ? content.trim() : content))
    expect(start + system + systemEnd + user + responseCue).toBe(opened[0]!.text)
  })

  test('continues from its pieces as it renders any whole conversation', async () => {
    const render = await rendererOf(model)
    const { start, systemEnd, responseCue, responseEnd, nextUser } = await piecesOf(model)
    const forgotten = '<think>\n\n</think>\n\n'
    const turn = fc.tuple(content, content)
    fc.assert(
      fc.property(content, content, fc.array(turn, { maxLength: 5 }), (system, user, turns) => {
        const messages: ChatMessage[] = [
          { role: 'system', content: system },
          { role: 'user', content: user },
          ...turns.flatMap(([response, next]): ChatMessage[] => [
            { role: 'assistant', content: response },
            { role: 'user', content: next },
          ]),
        ]
        const transcript = turns.reduce(
          (text, [response, next]) => text + response + responseEnd + nextUser + next + responseCue,
          start + system + systemEnd + user + responseCue,
        )
        // The only difference between a transcript and a conversation rendered whole.
        const expected = model === 'qwen3' ? transcript.replaceAll(forgotten, '') + forgotten : transcript
        expect(expected).toBe(render(messages, true))
      }),
      { numRuns: 200 },
    )
  })

  test('lists every spelling that its tokenizer reads as one token', async () => {
    const tokenizer = new Tokenizer(tokenizerJsonOf(model), model)
    const { reserved, responseEnd } = await piecesOf(model)
    expect(reserved).toContain(responseEnd)
    for (const spelling of reserved)
      expect(Array.from(tokenizer.encode(`a${spelling}b`))).toContain(tokenizer.tokenId(spelling))
    const lengths = reserved.map(({ length }) => length)
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a))
  })
})

/** Templates may trim a message, and reasoning models look for their mark. */
const content = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc
      .array(fc.constantFrom('go to', '\n', '  ', '{{ x }}', '{% if %}', "'", '"', '\\n', '<b>', '😀', '語', '```js\n'))
      .map((parts) => parts.join('')), // prettier-ignore
  )
  .map((text) => `.${text}.`)
  .filter((text) => !text.includes('think>'))

// Python prints the current date; a resumed run must not.
test('a template that asks for the time always gets the same time', async () => {
  const template = { source: '{{ bos_token }}{{ strftime_now("%d %b %Y") }} {{ messages|length }}', specialTokens: { bos_token: '<s>' } } // prettier-ignore
  expect((await chatRenderer(template, 'm'))([], true)).toBe('<s>26 Jul 2024 0')
})

// Python passes None for both, which templates tell from a variable that is not defined.
test('a template finds that there are no tools and no documents', async () => {
  const source = '{% if tools is not none or documents is not none %}tools{% else %}none{% endif %}'
  expect((await chatRenderer({ source, specialTokens: {} }, 'm'))([], true)).toBe('none')
})

// ------------------------------------------------------------------------------------------------- refusals

const CHATML = `{% for m in messages %}{{ '<a>' + m.role + ':' + m.content + '<z>' }}{% endfor %}{% if add_generation_prompt %}{{ '<a>assistant:' }}{% endif %}`
const RESERVED = ['<a>', '<z>', '<a>assistant:']

const pieces = async (source: string, variables?: Record<string, unknown>) =>
  chatPiecesOf(await chatRenderer({ source, specialTokens: {} }, 'm', variables), RESERVED, 'm')

describe('pieces of a template', () => {
  test('are the text around contents', async () => {
    expect(await pieces(CHATML)).toEqual({
      start: '<a>system:',
      systemEnd: '<z><a>user:',
      responseCue: '<z><a>assistant:',
      responseEnd: '<z>',
      nextUser: '<a>user:',
      reserved: ['<a>assistant:', '<a>', '<z>'],
    })
  })

  test.each([
    ['refuses them', `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${CHATML}`],
    ['omits them', CHATML.replace('{{ ', `{% if m.role != 'system' %}{{ `).replace('{% endfor', '{% endif %}{% endfor')], // prettier-ignore
    ['puts them before the last message', `{% for m in messages %}{% if m.role == 'system' %}{% set before = m.content %}{% elif m.role == 'user' %}{{ '<a>user:' }}{% if loop.last and messages[0].role == 'system' %}{{ messages[0].content + ' ' }}{% endif %}{{ m.content + '<z>' }}{% else %}{{ '<a>assistant:' + m.content + '<z>' }}{% endif %}{% endfor %}{{ '<a>assistant:' }}`], // prettier-ignore
  ])('put system messages into the first user message if the template %s', async (_, source) => {
    const found = await pieces(source)
    expect(found).toMatchObject({ start: '<a>user:', systemEnd: '\n\n', responseCue: '<z><a>assistant:' })
    const { start, systemEnd, responseCue, responseEnd, nextUser } = found
    const render = await chatRenderer({ source, specialTokens: {} }, 'm')
    const whole = render(
      [
        { role: 'user', content: 'S\n\nU' },
        { role: 'assistant', content: 'R' },
        { role: 'user', content: 'V' },
      ],
      true,
    )
    expect(`${start}S${systemEnd}U${responseCue}R${responseEnd}${nextUser}V${responseCue}`).toBe(whole)
  })

  test('keep the empty reasoning of a cue, which the template removes later', async () => {
    const { responseCue } = await piecesOf('qwen3')
    expect(responseCue.endsWith('<|im_start|>assistant\n<think>\n\n</think>\n\n')).toBe(true)
  })

  test.each([
    ['a syntax error', '{% for', 'cannot be rendered'],
    ['an exception of its own for every conversation', `{{ raise_exception('never') }}`, 'cannot be rendered (never)'],
    ['changed messages', CHATML.replace('m.content', 'm.content|upper'), 'omits, repeats or changes a message'],
    ['repeated messages', CHATML.replace('m.content', 'm.content + m.content'), 'omits, repeats or changes'],
    ['omitted responses', CHATML.replace('{{ ', `{% if m.role != 'assistant' %}{{ `).replace('{% endfor', '{% endif %}{% endfor'), 'omits, repeats'], // prettier-ignore
    ['a count of messages at the front', `{{ messages|length }}${CHATML}`, 'changes a message once others follow'], // prettier-ignore
    ['another cue at the second turn', CHATML.replace(`'<a>assistant:' }}{% endif %}`, `('<a>assistant:' if messages|length < 3 else '<a>again:') }}{% endif %}`), 'changes a message once'], // prettier-ignore
    ['a cue that vanishes', CHATML.replace(`'<a>assistant:' }}`, `'<a>assistant:hm' }}`), `changes the beginning of a response once it has ended`], // prettier-ignore
    ['responses without a token at their end', CHATML.replaceAll('<z>', '\n'), 'ends a response with "\\n<a>user:'],
    ['a memory of the last three messages', CHATML.replace('in messages', 'in (messages if messages|length < 5 else messages[-3:])'), 'renders 3 turns differently from 2 turns'], // prettier-ignore
    ['forgotten reasoning', CHATML.replace('m.content', `m.content.split('</think>')[-1]`), 'removes the reasoning from earlier responses'], // prettier-ignore
  ])('are refused for %s', async (_, source, message) => {
    const found = pieces(source)
    await expect(found).rejects.toThrow(ChatTemplateError)
    await expect(found).rejects.toThrow(message)
    await expect(found).rejects.toThrow(/"m".*(Take tokenizer_config.json|choose an instruct model)/)
  })

  test('are refused for a model that reasons', async () => {
    const reasoning: ChatRenderer = await rendererOf('qwen3', {})
    expect(() => chatPiecesOf(reasoning, addedTokensOf(tokenizerJsonOf('qwen3')), 'qwen3')).toThrow(
      'removes the reasoning from earlier responses',
    )
    expect(WITHOUT_REASONING).toEqual({ enable_thinking: false })
  })
})

// ---------------------------------------------------------------------------------------------------- files

describe('the chat template of a folder', () => {
  const folder = (files: Record<string, unknown>) =>
    memoryReader('m', Object.fromEntries(Object.entries(files).map(([name, value]) => [name, new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))]))) // prettier-ignore

  test('is a separate file, which takes precedence over tokenizer_config.json', async () => {
    const config = { chat_template: 'field', bos_token: { content: '<s>', lstrip: false }, eos_token: null, add_bos_token: true } // prettier-ignore
    const map = { bos_token: 'old', eos_token: '</s>', additional_special_tokens: ['<x>'] }
    const files = { 'tokenizer_config.json': config, 'special_tokens_map.json': map }
    expect(await readChatTemplate(folder(files))).toEqual({
      source: 'field',
      specialTokens: { bos_token: '<s>', eos_token: '</s>' },
    })
    expect((await readChatTemplate(folder({ ...files, 'chat_template.jinja': 'file' })))?.source).toBe('file')
    expect(await readChatTemplate(folder({ 'chat_template.jinja': 'file' }))).toEqual({
      source: 'file',
      specialTokens: {},
    })
  })

  test('is the default of several', async () => {
    const named = (name: string) => ({ name, template: `of ${name}` })
    const read = (names: string[]) => readChatTemplate(folder({ 'tokenizer_config.json': { chat_template: names.map(named) } })) // prettier-ignore
    expect((await read(['tool_use', 'default']))?.source).toBe('of default')
    expect(await read(['tool_use'])).toBeNull()
  })

  test('is null if no file has one, or a server answers with a page instead', async () => {
    expect(await readChatTemplate(folder({}))).toBeNull()
    expect(await readChatTemplate(folder({ 'tokenizer_config.json': { bos_token: '<s>' } }))).toBeNull()
    expect(await readChatTemplate(folder({ 'chat_template.jinja': '\n<!DOCTYPE html><html></html>' }))).toBeNull()
  })

  test('is refused if its file is damaged or cannot be read', async () => {
    await expect(readChatTemplate(folder({ 'tokenizer_config.json': '{' }))).rejects.toThrow(
      'tokenizer_config.json of "m" is not JSON',
    )
    await expect(readChatTemplate(folder({ 'tokenizer_config.json': { chat_template: 7 } }))).rejects.toThrow(
      'chat_template is neither a string nor a list of named templates',
    )
    const withdrawn = new ModelFileError('access was withdrawn')
    const reader = { ...folder({}), read: () => Promise.reject(withdrawn) }
    await expect(readChatTemplate(reader)).rejects.toBe(withdrawn)
  })
})
