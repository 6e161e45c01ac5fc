import { afterEach, describe, expect, it } from 'vitest'
import { OpenAiModel } from '../../../src/engines/openai/openai-model.ts'
import { MARKED_PIECES } from '../../../src/engines/openai/marked-text.ts'
import { saysContextIsFull } from '../../../src/engines/remote/http-client.ts'
import { RemoteError } from '../../../src/engines/remote/remote-error.ts'
import { startGame } from '../../../src/worlds/desktop/engine/state.ts'
import { generateTask } from '../../../src/worlds/desktop/generator/generate-task.ts'
import { instructPolicy } from '../../../src/worlds/desktop/roles/instruct-roles.ts'
import { openingScreen } from '../../../src/worlds/desktop/scene/screen-text.ts'
import { standInServer, type Answer, type Asked } from '../remote/stand-in-server.ts'

interface Body {
  messages?: { content: string | { type: string; text?: string }[] }[]
}

/** Later than the check waits for, so that a failure is not retried. */
const LATER = { 'Retry-After': '60' }
const SAMPLING = { temperature: 1, topP: 1, maxTokens: 8 }
const open: { close(): void | Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const parts = ({ body }: Asked<Body>) => (body.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)) // prettier-ignore
const picturesOf = (asked: Asked<Body>) => parts(asked).filter(({ type }) => type === 'image_url').length
const wordsOf = (asked: Asked<Body>) => parts(asked).flatMap(({ text }) => text?.split(' ') ?? []).length // prettier-ignore

const answered = (promptTokens: number | null): Answer => ({
  json: {
    choices: [{ message: { content: 'Action: done' }, finish_reason: 'stop' }],
    ...(promptTokens !== null && { usage: { prompt_tokens: promptTokens } }),
  },
})

async function modelOn(answer: (asked: Asked<Body>) => Answer) {
  const server = await standInServer<Body>((asked) =>
    asked.path === '/v1/models' ? { json: { data: [{ id: 'tiny' }] } } : answer(asked),
  )
  const model = new OpenAiModel({
    source: { kind: 'openai', baseUrl: `${server.url}/v1`, model: 'tiny', concurrency: 4, timeoutSeconds: 60 },
    key: null,
    http: { backoff: { baseMs: 5, capMs: 20 }, patienceMs: 30_000 },
  })
  open.push(model, server)
  await model.load()
  const state = startGame(generateTask({ seed: 1, split: 'train' }))
  const [prompt] = await model.encode([
    instructPolicy(MARKED_PIECES, 'pixels').opening(openingScreen(state, state.game.instruction, 'pixels')),
  ])
  const play = () => model.generate([{ prompt: prompt!, count: 2, seed: 1 }], SAMPLING)
  const [words] = await model.encode([instructPolicy(MARKED_PIECES, 'text').opening('Desktop: Files.')])
  const read = () => model.generate([{ prompt: words!, count: 1, seed: 1 }], SAMPLING)
  return { server, play, read }
}

describe('a model that is sent pictures', () => {
  it('is asked once whether it sees as many as a request may have', async () => {
    const { server, play, read } = await modelOn((asked) => answered(wordsOf(asked) + 88 * picturesOf(asked)))
    const before = server.asked.length
    await read()
    await play()
    await play()
    expect(server.asked.slice(before).map(picturesOf)).toEqual([0, 0, 3, 1, 1, 1, 1])
  })

  it('may be on a server that does not count tokens', async () => {
    const { play } = await modelOn(() => answered(null))
    expect((await play())[0]).toHaveLength(2)
  })

  it('does not play blind on a server that leaves pictures out', async () => {
    const { server, play, read } = await modelOn((asked) => answered(wordsOf(asked) + 3 * picturesOf(asked)))
    await expect(play()).rejects.toThrow(
      /“tiny” does not see pictures\. Its server counts 13 tokens for a question with 3 pictures, and 4 for the question alone.*set the screen to marks or text/,
    )
    expect(server.asked.filter((asked) => wordsOf(asked) > 100)).toEqual([])
    expect((await read())[0]).toHaveLength(1)
  })

  it.each([
    [400, 'tiny is not a multimodal model'],
    [400, 'At most 1 image(s) may be provided in one prompt.'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  ])(
    'is reported if its server refuses them: %i, %s',
    async (status, message) => {
      const { play } = await modelOn((asked) => (picturesOf(asked) > 1 ? { status, json: { error: { message } }, headers: LATER } : answered(4))) // prettier-ignore
      const error: unknown = await play().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ kind: 'unsupported', status, what: '“tiny” was not shown 3 pictures.' })
      expect((error as RemoteError).message).toContain(message)
      expect((error as RemoteError).remedy).toMatch(/set the screen to marks or text.*accepts 3 in a request/)
    },
    30_000,
  )

  it('is reported if its context has no room for them', async () => {
    const message = 'request (3900 tokens) exceeds the available context size (2048 tokens), try increasing it'
    const { play } = await modelOn((asked) => (picturesOf(asked) > 1 ? { status: 400, json: { error: { message } } } : answered(4))) // prettier-ignore
    await expect(play()).rejects.toThrow(/3 pictures do not fit the context of “tiny”.*3900 tokens.*longer context/)
  })

  it('is asked again after a check that failed', async () => {
    let refuses = true
    const { play } = await modelOn((asked) =>
      refuses && picturesOf(asked) > 0 ? { status: 400, json: { error: 'no' } } : answered(4 + 88 * picturesOf(asked)),
    )
    await expect(play()).rejects.toThrow('no')
    refuses = false
    expect((await play())[0]).toHaveLength(2)
  })
})

it.each([
  'The decoder prompt (length 7000) is longer than the maximum model length of 4096.',
  'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
  'the request exceeds the available context size. try increasing the context size or enable context shift',
  'Requested tokens (2285) exceed context window of 2048',
])('a server says that a prompt fills the context: %s', (detail) => {
  const error = new RemoteError('refused', { what: '', why: '', remedy: '' }, { status: 400, detail })
  expect(saysContextIsFull(error)).toBe(true)
})
