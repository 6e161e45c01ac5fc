import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BlobReader, Uint8ArrayWriter, ZipReader, type FileEntry } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localFolderReader, localFolders, type FileSystemRoot } from '../../src/engines/transformer/local-folders.ts'
import { TransformerModel } from '../../src/engines/transformer/transformer-model.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { memoryReader, type ModelReader } from '../../src/language-model/files/model-folder.ts'
import type { LoraOptions } from '../../src/language-model/lora/options.ts'
import type { TrainingExample, UpdateOptions } from '../../src/method/ports.ts'
import { presetSettings } from '../../src/method/presets.ts'
import type { RoleSource } from '../../src/roles/source.ts'
import { newSummary, type RunCheckpoint } from '../../src/runs/run-store.ts'
import { KeptModels, KeptModelsError } from '../../src/sessions/kept-models.ts'
import { fileSystem } from '../engines/transformer/memory-file-system.ts'
import { writeInstructFolder } from '../engines/transformer/instruct-folder.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'
import { PLAIN } from '../language-model/tiny-model.ts'
import { UPDATE_OPTIONS } from '../language-model/update-options.ts'

const UPDATE: UpdateOptions = { ...UPDATE_OPTIONS, klCoefficient: 0, updatesPerIteration: 1 }
const EXAMPLES: TrainingExample[] = [1, -1].map((advantage, i) => ({
  prompt: Int32Array.of(5, 6, 7 + i),
  response: Int32Array.of(8, 9 + i),
  oldLogProbs: Float32Array.of(-3, -4),
  advantage,
}))
const request = [{ prompt: Int32Array.of(5, 6, 7), count: 4, seed: 1 }]
const sampling = { temperature: 1, topP: 1, maxTokens: 6 }
const LORA: LoraOptions = { rank: 2, alpha: 4, dropout: 0, targets: ['q_proj', 'v_proj'] }

describe('the models of a kept run', () => {
  let models: string
  let chat: string
  beforeAll(async () => {
    models = await writeTinyModels()
    chat = join(mkdtempSync(join(tmpdir(), 'chat-')), 'chat')
    await writeInstructFolder(chat)
  })
  afterAll(() => {
    rmSync(models, { recursive: true })
    rmSync(dirname(chat), { recursive: true })
  })

  /** A model after an update, with what it samples then. */
  async function trained(source: RoleSource) {
    const model = new TransformerModel()
    const location = source.kind === 'checkpoint' ? source.location : join(models, 'household-policy')
    const use = source.kind === 'checkpoint' && { ...source, isTrained: true, adapterSeed: 3 }
    await model.load({ location, backend: 'cpu', ...(use && { checkpoint: use }) })
    await model.update(EXAMPLES, UPDATE)
    const sampled = (await model.generate(request, sampling))[0]!
    const checkpoint = await model.saveCheckpoint()
    await model.unload()
    return { checkpoint, sampled }
  }

  /** A store with one run of one checkpoint. */
  function keeping(checkpoint: Uint8Array, root: FileSystemRoot, sources?: { policy: RoleSource; reward: RoleSource }) {
    const run = { runId: 'run-1', preset: 'household', settings: presetSettings('household'), iterations: 8 }
    const summary = newSummary({ ...run, ...(sources && { models: sources }) })
    const kept: RunCheckpoint = { runId: 'run-1', iteration: 4, eventCount: 9, policy: checkpoint, reward: checkpoint }
    return new KeptModels({
      openStore: async () => ({
        summary: async (runId) => (runId === 'run-1' ? summary : null),
        loadCheckpoint: async (_, iteration) => (iteration === 4 ? kept : null),
      }),
      shippedModel: (name) => join(models, name),
      root,
    })
  }

  async function samplesOf(reader: ModelReader) {
    const model = await LanguageModel.load(reader, 'selected')
    const [completions] = await model.generate(request, sampling)
    await model.dispose()
    return completions!
  }

  it('become folders of the page that sample as the run did at that checkpoint', async () => {
    const { checkpoint, sampled } = await trained({ kind: 'built-in' })
    const root = fileSystem()
    expect(await keeping(checkpoint, root).addFolders('run-1', 4)).toEqual({
      policy: 'run-1-4-policy',
      reward: 'run-1-4-reward',
    })
    expect((await localFolders(root)).map(({ name }) => name)).toEqual(['run-1-4-policy', 'run-1-4-reward'])
    expect(await samplesOf(await localFolderReader('run-1-4-policy', root))).toEqual(sampled)
  })

  it('have adapters merged in and keep their chat template', async () => {
    const source = { kind: 'checkpoint', location: chat, adapters: LORA, storage: 'four-bit', contextWindow: null, sampler: null } as const // prettier-ignore
    const { checkpoint, sampled } = await trained(source)
    const root = fileSystem()
    await keeping(checkpoint, root, { policy: source, reward: source }).addFolders('run-1', 4)
    const reader = await localFolderReader('run-1-4-policy', root)
    expect(new TextDecoder().decode(await reader.read('tokenizer_config.json'))).toContain('chat_template')
    const merged = await samplesOf(reader)
    expect(merged.map(({ tokens }) => tokens)).toEqual(sampled.map(({ tokens }) => tokens))
  })

  it('can be downloaded as a zip of folders', async () => {
    const { checkpoint, sampled } = await trained({ kind: 'built-in' })
    const zip = await keeping(checkpoint, fileSystem()).zip('run-1', 4)
    const entries = (await new ZipReader(new BlobReader(zip), { useWebWorkers: false }).getEntries()) as FileEntry[]
    const files: Record<string, Uint8Array> = {}
    for (const entry of entries) files[entry.filename] = await entry.getData(new Uint8ArrayWriter())
    const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']
    expect(Object.keys(files).toSorted()).toEqual(
      ['policy', 'reward'].flatMap((role) => names.map((name) => `${role}/${name}`)),
    )
    const policy = Object.fromEntries(names.map((name) => [name, files[`policy/${name}`]!]))
    expect(await samplesOf(memoryReader('zip', policy))).toEqual(sampled)
  })

  it('that are too large say what can be done with them, and give no advice for a run', async () => {
    const location = mkdtempSync(join(tmpdir(), 'large-'))
    const large = { ...PLAIN, hidden_size: 2048, intermediate_size: 8192, num_hidden_layers: 24 }
    writeFileSync(join(location, 'config.json'), JSON.stringify(large))
    const source = { kind: 'checkpoint', location, adapters: LORA, storage: 'float16', contextWindow: null, sampler: null } as const // prettier-ignore
    const saving = keeping(new Uint8Array(0), fileSystem(), { policy: source, reward: source }).zip('run-1', 4)
    await expect(saving).rejects.toThrow(KeptModelsError)
    await expect(saving).rejects.toThrow(/too large to be saved: .* use Resume or Branch\.$/)
    rmSync(location, { recursive: true })
  })

  it('leave out models on a server or without trained weights, and say if nothing is left', async () => {
    const server = { kind: 'openai', baseUrl: 'http://a.test', model: 'm', concurrency: 1, timeoutSeconds: 1 } as const
    const frozen = { kind: 'checkpoint', location: chat, adapters: null, storage: 'four-bit', contextWindow: null, sampler: null } as const // prettier-ignore
    const { checkpoint } = await trained({ kind: 'built-in' })
    const root = fileSystem()
    const one = keeping(checkpoint, root, { policy: { kind: 'built-in' }, reward: server })
    expect(await one.addFolders('run-1', 4)).toEqual({ policy: 'run-1-4-policy' })
    const none = keeping(checkpoint, root, { policy: frozen, reward: server })
    await expect(none.addFolders('run-1', 4)).rejects.toThrow(KeptModelsError)
    await expect(none.zip('run-1', 4)).rejects.toThrow('nothing to start from')
    await expect(one.addFolders('run-1', 5)).rejects.toThrow(
      'The checkpoint of iteration 5 of run "run-1" is no longer',
    )
    await expect(one.addFolders('run-2', 4)).rejects.toThrow(KeptModelsError)
  })
})
