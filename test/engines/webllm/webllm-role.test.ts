import { describe, expect, it } from 'vitest'
import { openRole, type RoleContext, webLlmSource } from '../../../src/sessions/open-role.ts'
import { WebLlmRole } from '../../../src/engines/webllm/webllm-role.ts'
import { modelFolder, UnreachableFileError } from '../../../src/engines/webllm/model-files.ts'
import { ForbiddenFileError, ModelFileError } from '../../../src/language-model/files/model-reader.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import { localBridge } from '../../threads/local-bridge.ts'
import { MemoryFiles, RECORD, smallWeights } from './small-model.ts'
import { standIn } from './stand-in-webllm.ts'

const TEMPLATE =
  '{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|start|>assistant\n{% endif %}'

async function prepared(tokenizerConfig: object | null) {
  const files = new MemoryFiles(smallWeights(1))
  if (tokenizerConfig !== null) {
    const bytes = new TextEncoder().encode(JSON.stringify(tokenizerConfig))
    await files.write('webllm/config', `${modelFolder(RECORD.model)}tokenizer_config.json`, bytes)
  }
  return { files, module: standIn({ files }).module }
}

async function open(tokenizerConfig: object | null) {
  const { files, module } = await prepared(tokenizerConfig)
  const context: RoleContext = {
    host: {
      shippedModel: () => '',
      startModel: () => {
        throw new Error('It is not our transformer that plays.')
      },
      startWebLlm: () => localBridge(new WebLlmRole({ importModule: async () => module, files })),
    },
    settings: presetSettings('household'),
    backend: 'cpu',
    keys: {},
  }
  const role = openRole('author', { kind: 'webllm', record: RECORD, contextWindow: 96, sequences: 4 }, context)
  return { role, info: await role.load() }
}

describe('a role that WebLLM plays alone', () => {
  it("uses its tokenizer's chat template, answers groups, and gives empty completions to prompts that fill its context", async () => {
    const { role, info } = await open({ chat_template: TEMPLATE, eos_token: '<|end|>' })
    expect(info).toMatchObject({ maxPositions: 96, trainedParameters: 0 })
    expect(await role.model.chatPieces()).toMatchObject({
      start: '<|start|>system\n',
      responseCue: '<|end|><|start|>assistant\n',
      responseEnd: '<|end|>',
    })
    const [short, long] = await role.model.encode(['take the desk', 'go to the drawer 1 '.repeat(40)])
    const answers = await role.model.generate(
      [
        { prompt: short!, count: 3, seed: 1 },
        { prompt: long!, count: 2, seed: 2 },
      ],
      { temperature: 1, topP: 1, maxTokens: 4 },
    )
    expect(answers.map((group) => group.map(({ finishReason }) => finishReason === 'context'))).toEqual([
      [false, false, false],
      [true, true],
    ])
    await expect(role.model.update([], {} as never)).rejects.toThrow(/WebLLM runs models but does not train them/)
    // The checkpoint of an unchanged model can be saved and loaded.
    await role.model.loadCheckpoint(await role.model.saveCheckpoint())
  })

  it('continues plain text without a chat template', async () => {
    const { role } = await open(null)
    expect(await role.model.chatPieces()).toBeNull()
  })

  it('does not take a chat model for one that continues text because its template cannot be reached', async () => {
    const { files, module } = await prepared(null)
    const reached = files.read.bind(files)
    const role = new WebLlmRole({ importModule: async () => module, files })
    const load = () =>
      role.load({
        sampler: webLlmSource({ record: RECORD, contextWindow: 96, sequences: 4 }),
        trainer: null,
        grammars: { plain: null, instruct: null },
      })
    files.read = async (scope, address) => {
      if (!files.stored.has(address) && scope === 'webllm/config')
        throw new UnreachableFileError(`${address} could not be reached.`)
      return reached(scope, address)
    }
    await expect(load()).rejects.toThrow(/chat_template\.jinja could not be reached/)
    files.read = reached
    await load()
    expect(await role.chatPieces()).toBeNull()
    // That it has no template is known without the network from now on.
    files.read = async (scope, address) => {
      if (scope === 'webllm/config' && !files.stored.has(address)) throw new ModelFileError('offline')
      return reached(scope, address)
    }
    await load()
    expect(await role.chatPieces()).toBeNull()
  })

  /** Loads the model, with a template in its cached tokenizer_config.json, and answers for its other files with an error. */
  async function loadWithout(other: (address: string) => Error) {
    const { files, module } = await prepared({ chat_template: TEMPLATE, eos_token: '<|end|>' })
    const reached = files.read.bind(files)
    files.read = async (scope, address) => {
      if (scope === 'webllm/config' && !files.stored.has(address)) throw other(address)
      return reached(scope, address)
    }
    const role = new WebLlmRole({ importModule: async () => module, files })
    await role.load({
      sampler: webLlmSource({ record: RECORD, contextWindow: 96, sequences: 4 }),
      trainer: null,
      grammars: { plain: null, instruct: null },
    })
    return { role, stored: files.stored }
  }

  it('loads offline with the template that an earlier load kept, though not which files are missing', async () => {
    const { role } = await loadWithout((address) => new UnreachableFileError(`${address} could not be reached.`))
    expect(await role.chatPieces()).toMatchObject({ responseEnd: '<|end|>' })
  })

  it('takes a forbidden file that not every model has for a missing one, and asks again next time', async () => {
    const { role, stored } = await loadWithout((address) => new ForbiddenFileError(`${address} answered 403.`))
    expect(await role.chatPieces()).toMatchObject({ responseEnd: '<|end|>' })
    expect([...stored.keys()].filter((address) => address.endsWith('chat_template.jinja'))).toEqual([])
  })

  it('loads offline once its server has forbidden what it may lack, and asks again when it is reached', async () => {
    const { files, module } = await prepared(null)
    const reached = files.read.bind(files)
    const role = new WebLlmRole({ importModule: async () => module, files })
    const load = async (other: (address: string) => Error | Uint8Array<ArrayBuffer>) => {
      files.read = async (scope, address) => {
        if (scope !== 'webllm/config' || files.stored.has(address)) return reached(scope, address)
        const answer = other(address)
        if (answer instanceof Error) throw answer
        return answer
      }
      await role.load({
        sampler: webLlmSource({ record: RECORD, contextWindow: 96, sequences: 4 }),
        trainer: null,
        grammars: { plain: null, instruct: null },
      })
      return role.chatPieces()
    }
    const forbidden = (address: string) => new ForbiddenFileError(`${address} answered 403.`)
    const unreachable = (address: string) => new UnreachableFileError(`${address} could not be reached.`)
    await expect(load(unreachable)).rejects.toThrow(/could not be reached/)
    expect(await load(forbidden)).toBeNull()
    expect(await load(unreachable)).toBeNull()
    const config = new TextEncoder().encode(JSON.stringify({ chat_template: TEMPLATE, eos_token: '<|end|>' }))
    const granted = (address: string) => (address.endsWith('tokenizer_config.json') ? config : forbidden(address))
    expect(await load(granted)).toMatchObject({ responseEnd: '<|end|>' })
    expect(await load(unreachable)).toMatchObject({ responseEnd: '<|end|>' })
  })

  it('refuses a model whose server fails for one of these files', async () => {
    await expect(loadWithout((address) => new ModelFileError(`${address} answered 500.`))).rejects.toThrow(
      /answered 500/,
    )
  })

  it.each([
    ['a chat model', { chat_template: TEMPLATE, eos_token: '<|end|>' }, ['take', 'go to the desk']],
    ['a model that continues text', null, [' drawer', ' the desk']],
  ])('follows the grammar for %s', async (_kind, tokenizerConfig, sentences) => {
    const { files, module } = await prepared(tokenizerConfig)
    const role = new WebLlmRole({ importModule: async () => module, files })
    await role.load({
      sampler: webLlmSource({ record: RECORD, contextWindow: 96, sequences: 4 }),
      trainer: null,
      grammars: { plain: ' drawer| the desk', instruct: 'take|go to the desk' },
    })
    const [prompt] = await role.encode(['take the desk'])
    const [answers] = await role.generate([{ prompt: prompt!, count: 8, seed: 1 }], {
      temperature: 1,
      topP: 1,
      maxTokens: 20,
    })
    for (const { text } of answers!) expect(sentences).toContain(text)
    const freeForm = { temperature: 1, topP: 1, maxTokens: 20, isFreeForm: true }
    const [free] = await role.generate([{ prompt: prompt!, count: 8, seed: 1 }], freeForm)
    expect(free!.some(({ text }) => !sentences.includes(text))).toBe(true)
  })
})
