/** The Models view: runs start with the chosen models, forms report what they lack, keys are not kept. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { parseModelConfig } from '../../src/language-model/files/config.ts'
import { initialWeights, parameterShapes } from '../../src/language-model/weights/parameters.ts'
import { writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import { exportMlc } from '../../src/weight-formats/mlc-export.ts'
import { PLAIN, tinyTokenizerJson } from '../language-model/tiny-model.ts'
import { listening } from '../local-server.ts'
import { usePages } from './harness.ts'
import { axeViolations, expectInside } from './looks.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page
/** Folders for the page. */
const folders = mkdtempSync(join(tmpdir(), 'models-'))

afterAll(() => rmSync(folders, { recursive: true }))

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  page = await pages.open(options)
  await page.goto(new URL('#models', inject('pageAddress')).href)
  await page
    .getByText(/Graphics adapter |has no graphics adapter\./)
    .first()
    .waitFor()
}

const role = (name: string) => page.getByRole('region', { name })

function folderOf(name: string, files: Iterable<readonly [string, string | Uint8Array]>): string {
  const folder = join(folders, name)
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of files) writeFileSync(join(folder, file), content)
  return folder
}

/** A small Hugging Face model that needs much memory for its long context. */
const LONG = {
  ...PLAIN,
  num_hidden_layers: 1,
  num_key_value_heads: 16,
  head_dim: 1024,
  num_attention_heads: 16,
  max_position_embeddings: 131_072,
}

function chatFolder(name: string): string {
  const config = parseModelConfig(LONG, name)
  const weights = initialWeights(config, 1)
  const tensors = new Map(
    parameterShapes(config).map((parameter) => [
      parameter.name,
      { shape: parameter.shape, values: weights.get(parameter.name)! },
    ]),
  )
  return folderOf(name, [
    ['config.json', JSON.stringify(LONG)],
    ['tokenizer.json', JSON.stringify(tinyTokenizerJson())],
    ['model.safetensors', writeSafetensors({ metadata: {}, tensors })],
    ['pytorch_model.bin', 'never read'],
  ])
}

/** A model as mlc_llm writes it, without its library. */
function mlcFiles(): [string, Uint8Array][] {
  const config = { ...PLAIN, vocab_size: 270 }
  const weights = initialWeights(parseModelConfig(config, 'tiny'), 1)
  const model = { name: 'tiny', configJson: config, tokenizerJson: tinyTokenizerJson(), weights }
  return [...exportMlc(model, { quantization: 'q0f32' })].map(({ name, bytes }) => [name, bytes])
}

/** A server that accepts requests from any page. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*, authorization')
    if (request.method === 'OPTIONS') response.writeHead(204).end()
    else answer(request, response)
  })
  return listening(server)
}

describe('the model chooser', () => {
  it('starts a run with the chosen models and keeps no key', async () => {
    await visit()
    await page.getByText('Your next run uses the built-in models.').waitFor()
    const author = role('Author of tasks')
    await author.getByLabel('Played by').selectOption('openai')
    await page.getByText(/Not ready: Author of tasks. Enter the name/).waitFor()
    await author.getByRole('textbox', { name: 'Server', exact: true }).fill('http://127.0.0.1:9/v1')
    await author.getByLabel('Model, named as on the server').fill('qwen')
    await author.getByLabel(/^Key/).fill('a-key-of-the-test')
    await page.getByText('Your next run uses the models chosen here.').waitFor()
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a-key-of-the-test')
    await goTo(page, 'Loop')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    // No server listens, and the run reports it, which shows that the server was requested.
    await page
      .getByRole('alert')
      .getByText(/127\.0\.0\.1:9/)
      .first()
      .waitFor()
    await page.reload()
    await goTo(page, 'Models')
    expect(await author.getByLabel(/^Key/).inputValue()).toBe('')
    expect(await author.getByRole('textbox', { name: 'Server', exact: true }).inputValue()).toBe(
      'http://127.0.0.1:9/v1',
    )
  })

  it('keeps a folder beyond the visit, shows its memory use, makes it fit, and deletes it', async () => {
    await visit()
    const policy = role('Policy')
    await policy.getByLabel('Played by').selectOption('checkpoint')
    await policy.getByLabel(/Or a standard Hugging Face folder/).setInputFiles(chatFolder('my chat model'))
    await expect
      .poll(() => policy.getByLabel('Folder', { exact: true }).inputValue())
      .toMatch(/^local:my chat model@[0-9a-f]{8}$/)
    const files = () =>
      page.evaluate(async () => {
        const root = await navigator.storage.getDirectory()
        const names: string[] = []
        for await (const folder of (await root.getDirectoryHandle('model-folders')).values())
          if (folder.kind === 'directory') for await (const file of folder.values()) names.push(file.name)
        return names.sort()
      })
    expect(await files()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json'])

    await page.reload()
    await policy.getByText(/Needs about [\d.]+ [MG]B of memory .* of 4\.[03] GB/).waitFor()
    // A forward and backward pass over a trajectory of this many tokens exceeds the memory.
    await policy.getByLabel('Context, tokens').fill('131072')
    await policy.getByText(/of memory .*, more than the available 4\.[03] GB/).waitFor()
    await policy.getByRole('button', { name: /^Change to a context of \d+ tokens/ }).click()
    await policy.getByText(/of memory .* of 4\.[03] GB/).waitFor()
    expect(Number(await policy.getByLabel('Context, tokens').inputValue())).toBeGreaterThanOrEqual(512)

    // It asks first, and the focus is never lost.
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.getByRole('button', { name: 'Delete my chat model' }).press('Enter')
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Delete')
    await page.getByRole('button', { name: 'Delete my chat model' }).press('Enter')
    await page.getByRole('button', { name: 'Delete permanently' }).press('Enter')
    await page.getByText('No models yet.').waitFor()
    await expect.poll(focused).toBe('In this browser')
    expect(await files()).toEqual([])
    await policy.getByText(/The folder "my chat model@[0-9a-f]{8}" is no longer in this browser/).waitFor()
  })

  it('reports the missing files of a folder', async () => {
    await visit()
    await role('Policy').getByLabel('Played by').selectOption('checkpoint')
    const folder = folderOf('half a model', [['config.json', JSON.stringify(LONG)]])
    await role('Policy')
      .getByLabel(/Or a standard Hugging Face folder/)
      .setInputFiles(folder)
    await page
      .getByRole('alert')
      .getByText(/lacks tokenizer\.json, model\.safetensors/)
      .waitFor()
    await page.getByText('No models yet.').waitFor()
  })

  it('keeps an mlc_llm folder, offers it for a role, and deletes it', async () => {
    await visit()
    const reward = role('Reward model')
    await reward.getByLabel('Played by').selectOption('webllm')
    await reward
      .getByLabel(/Or a folder of build:webllm or mlc_llm/)
      .setInputFiles(folderOf('my mlc model', [...mlcFiles(), ['tiny.wasm', new Uint8Array(64)]]))
    await expect.poll(() => reward.getByLabel('Model for WebLLM').inputValue()).toBe('my mlc model')
    await page.getByText('Your next run uses the models chosen here.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Delete my mlc model' }).waitFor()
    expect(await reward.getByLabel('Model for WebLLM').inputValue()).toBe('my mlc model')
    await page.getByRole('button', { name: 'Delete my mlc model' }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('No models yet.').waitFor()
    const left = await page.evaluate(async () => {
      const scopes = ['webllm/config', 'webllm/model', 'webllm/wasm']
      return Promise.all(scopes.map(async (scope) => (await (await caches.open(scope)).keys()).length))
    })
    expect(left).toEqual([0, 0, 0])
  })

  it('downloads a model from your own addresses, shows its progress, stops, and resumes', async () => {
    const files = new Map(mlcFiles())
    const shard = [...files.keys()].find((name) => name.startsWith('params_shard'))!
    const asked: string[] = []
    let isSlow = true
    const { address, close } = await serve((request, response) => {
      const name = request.url!.split('/').at(-1)!
      asked.push(name)
      const bytes = name === 'tiny.wasm' ? new Uint8Array(64) : files.get(name)
      if (bytes === undefined) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-length': bytes.length })
      if (name === shard && isSlow) response.write(bytes.subarray(0, 1))
      else response.end(bytes)
    })
    try {
      await visit()
      const author = role('Author of tasks')
      await author.getByLabel('Played by').selectOption('webllm')
      await author.getByLabel('Model for WebLLM').selectOption('Your own addresses')
      await page.getByText(/Not ready: Author of tasks. Enter a name for the WebLLM model/).waitFor()
      await author.getByLabel('Name', { exact: true }).fill('tiny')
      await author.getByLabel(/^Folder of the weights/).fill(`${address}/owner/tiny`)
      await author.getByLabel(/^Compiled library/).fill(`${address}/tiny.wasm`)
      await author.getByRole('button', { name: 'Download', exact: true }).click()
      await page.getByRole('progressbar', { name: 'Progress of tiny' }).waitFor()
      await expect.poll(() => asked).toContain(shard)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await author.getByText(/Partly downloaded/).waitFor()
      await page.getByText(/^tiny, \d+ MB, incomplete/).waitFor()
      isSlow = false
      asked.length = 0
      await author.getByRole('button', { name: 'Resume download' }).click()
      await author.getByText(/In this browser, \d+ MB/).waitFor()
      expect(asked.every((name) => name.startsWith('params_shard'))).toBe(true)
      await page.getByRole('button', { name: 'Delete tiny' }).click()
      await page.getByRole('button', { name: 'Delete permanently' }).click()
      await author.getByText('Not downloaded yet. The run downloads it.').waitFor()
    } finally {
      await close()
    }
  })

  it('samples a checkpoint with the same model in WebLLM, and points to the importance cap', async () => {
    await visit()
    const policy = role('Policy')
    await policy.getByLabel('Played by').selectOption('checkpoint')
    await policy.getByLabel('Sample with WebLLM').check()
    const sampler = policy.getByLabel('Model for WebLLM')
    expect(await sampler.inputValue()).toMatch(/^SmolLM2-135M-Instruct-q0f(16|32)-MLC$/)
    await policy.getByText(/setting Importance cap, now 0/).waitFor()
    await page.getByText('Your next run uses the models chosen here.').waitFor()
    const checkpoint = policy.getByRole('combobox', { name: 'Checkpoint' })
    await checkpoint.selectOption('https://huggingface.co/Qwen/Qwen3-0.6B/resolve/main/')
    expect(await sampler.inputValue()).toMatch(/^Qwen3-0\.6B-q0f(16|32)-MLC$/)
    // WebLLM lists the larger one only in four bits, which cannot take new weights, so it needs addresses.
    await checkpoint.selectOption('https://huggingface.co/Qwen/Qwen3-1.7B/resolve/main/')
    await policy.getByText(/Enter a name for the WebLLM model/).waitFor()
  })

  it('asks for another key if the server rejects one, and continues with it', async () => {
    const keys: (string | undefined)[] = []
    const { address, close } = await serve((request, response) => {
      keys.push(request.headers.authorization)
      response.writeHead(request.headers.authorization === 'Bearer the-right-key' ? 404 : 401).end('{}')
    })
    try {
      await visit()
      const author = role('Author of tasks')
      await author.getByLabel('Played by').selectOption('openai')
      await author.getByRole('textbox', { name: 'Server', exact: true }).fill(`${address}/v1`)
      await author.getByLabel('Model, named as on the server').fill('qwen')
      await goTo(page, 'Loop')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const alert = page.getByRole('alert').filter({ hasText: 'does not accept the key' })
      await alert.waitFor()
      await alert.getByLabel(`Key for ${address}/v1, kept in memory only`).fill('the-right-key')
      await alert.getByRole('button', { name: 'Continue with this key' }).click()
      await expect.poll(() => keys.at(-1)).toBe('Bearer the-right-key')
      await goTo(page, 'Models')
      expect(await author.getByLabel(/^Key/).inputValue()).toBe('the-right-key')
      expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('the-right-key')
    } finally {
      await close()
    }
  })

  it.each([1280, 360])('passes axe and fits into %i pixels', async (width) => {
    await visit({ viewport: { width, height: 900 } })
    await role('Policy').getByLabel('Played by').selectOption('checkpoint')
    await role('Policy').getByLabel('Sample with WebLLM').check()
    await role('Reward model').getByLabel('Played by').selectOption('webllm')
    await role('Author of tasks').getByLabel('Played by').selectOption('tinker')
    // A narrow window scrolls the row of views, and axe mistakes links outside on the left for skip links.
    expect(await axeViolations(page, { without: ['skip-link'] })).toEqual([])
    await expectInside(page, [width])
  })
})
