/**
 * The real WebLLM in headless Chromium on the software adapter; minutes for a token or two. It requires files that cannot be
 * part of the project:
 *
 *     WEBLLM_MODEL_DIR   a folder with mlc-chat-config.json, tokenizer.json, tensor-cache.json, shards and model.wasm,
 *                        a library without shader-f16 (q0f32 or q4f32_1)
 *                        and to train it, the model's config.json, with a q0f32 library
 *     WEBLLM_PACKAGE     the package's index.js, if the library requires another version than the pinned one
 */
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { build, preview } from 'vite'
import { describe, expect, it } from 'vitest'
import { findOrInstallBrowser, launchFlags } from '../../../scripts/browser.mjs'
import { decodeFloats } from '../../../src/weight-formats/mlc-encoding.ts'
import { parseTensorCache, TENSOR_CACHE_FILE, tensorBytes } from '../../../src/weight-formats/tensor-cache.ts'
import type { Rehearsal, Stage, UpdateScope } from './real-webllm-page.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import type { LanguageModel } from '../../../src/language-model/language-model.ts'
import { memoryReader } from '../../../src/language-model/files/model-reader.ts'
import { type NamedTensor, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import type { UpdateOptions } from '../../../src/method/ports.ts'
import { architectureOf } from '../../../src/weight-formats/mlc-export.ts'
import { mlcParameters, unfuse } from '../../../src/weight-formats/mlc-parameters.ts'

const folder = process.env.WEBLLM_MODEL_DIR
const otherPackage = process.env.WEBLLM_PACKAGE
const FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan']
const PATIENCE_MS = 3_600_000
const UPDATE: UpdateOptions = {
  learningRate: 1e-3,
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  klCoefficient: 0,
  klEstimator: 'k3',
  lossAggregation: 'token-mean',
  temperature: 1,
  updatesPerIteration: 1,
  maxGradNorm: 1,
  weightDecay: 0,
  sampledElsewhere: true,
}

/** The weights of the last norm, if they are in the folder as plain floats. */
function finalNorm(from: string): number[] | null {
  const json: unknown = JSON.parse(readFileSync(join(from, TENSOR_CACHE_FILE), 'utf8'))
  for (const { dataPath, records } of parseTensorCache(json, from).records) {
    const record = records.find(({ name }) => name === 'model.norm.weight')
    if (record?.format === 'raw')
      return [...decodeFloats(tensorBytes(readFileSync(join(from, dataPath)), record), record.dtype, record.name)]
  }
  return null
}

/** Opens the page with WebLLM and the model, and serves `changed` as /changed. */
async function inPage<T>(from: string, changed: () => Uint8Array, job: (page: Page) => Promise<T>): Promise<T> {
  const outDir = mkdtempSync(join(tmpdir(), 'real-webllm-'))
  const here = fileURLToPath(new URL('.', import.meta.url))
  await build({
    root: here,
    base: './',
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    resolve: otherPackage ? { alias: { '@mlc-ai/web-llm': otherPackage } } : {},
    build: {
      outDir,
      target: 'es2022',
      minify: false,
      reportCompressedSize: false,
      emptyOutDir: false,
      chunkSizeWarningLimit: Infinity,
      rollupOptions: { input: join(here, 'real-webllm.html') },
    },
  })
  const server = await preview({
    root: here,
    configFile: false,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 4600, strictPort: false },
    plugins: [
      {
        name: 'model',
        configurePreviewServer({ middlewares }) {
          middlewares.use('/model/resolve/main', (request, response) => {
            const file = join(from, new URL(request.url ?? '/', 'http://model').pathname)
            if (existsSync(file)) createReadStream(file).pipe(response)
            else response.writeHead(404).end()
          })
          middlewares.use('/changed', (_, response) => response.end(changed()))
        },
      },
    ],
  })
  // With a profile, because without one the cache is in memory and too small for large shards.
  const browser = await chromium.launchPersistentContext(join(outDir, 'profile'), {
    executablePath: findOrInstallBrowser(),
    headless: true,
    args: [...launchFlags(), ...FLAGS],
  })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('console', (message) => process.stderr.write(`${message.text()}\n`))
    await page.goto(`${server.resolvedUrls!.local[0]!}real-webllm.html`)
    await page.waitForFunction('globalThis.rehearse')
    return await job(page)
  } finally {
    await browser.close()
    await server.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}

const rehearse = (from: string): Promise<Rehearsal> =>
  inPage(
    from,
    () => new Uint8Array(0),
    (page) =>
      page.evaluate(
        (norm) => (globalThis as unknown as { rehearse: (n: number[] | null) => Promise<Rehearsal> }).rehearse(norm),
        finalNorm(from),
      ),
  )

/** The folder's weights by Hugging Face name. */
function weightsOf(from: string, configJson: unknown): Map<string, NamedTensor> {
  const parameters = new Map(
    mlcParameters(parseModelConfig(configJson, from), architectureOf(configJson, from)).map(
      (p) => [p.name, p] as const,
    ),
  )
  const weights = new Map<string, NamedTensor>()
  const json: unknown = JSON.parse(readFileSync(join(from, TENSOR_CACHE_FILE), 'utf8'))
  for (const { dataPath, records } of parseTensorCache(json, from).records) {
    const shard = readFileSync(join(from, dataPath))
    for (const record of records) {
      const bytes = tensorBytes(shard, record)
      const whole = record.format === 'f32-to-bf16' ? widened(bytes) : decodeFloats(bytes, record.dtype, record.name)
      const parameter = parameters.get(record.name)!
      const parts = unfuse(parameter, whole)
      for (const { name, shape } of parameter.parts) weights.set(name, { shape: [...shape], values: parts.get(name)! })
    }
  }
  return weights
}

/** bfloat16 is the upper half of float32. */
function widened(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(new Uint8Array(bytes).buffer)
  const words = new Uint32Array(halves.length)
  for (let i = 0; i < halves.length; i++) words[i] = halves[i]! << 16
  return new Float32Array(words.buffer)
}

async function expectSame(ours: LanguageModel, { prompt, greedy, drawn }: Stage): Promise<void> {
  const request = { prompt: Int32Array.from(prompt), count: 1, seed: 1 }
  const [own] = await ours.generate([request], { temperature: 0, topP: 1, maxTokens: greedy[0]!.tokens.length })
  expect(greedy[0]!.tokens).toEqual([...own![0]!.tokens])
  const logProbs = await ours.logProbs(
    drawn.map(({ tokens }) => ({ prompt: request.prompt, response: Int32Array.from(tokens) })),
    1,
  )
  const differences = drawn.flatMap((completion, j) => completion.logProbs.map((value, i) => value - logProbs[j]![i]!))
  process.stderr.write(`greedy ${greedy[0]!.tokens.join()}, differences ${differences.join()}\n`)
  for (const difference of differences) expect(Math.abs(difference)).toBeLessThan(5e-3)
}

describe('the real WebLLM', () => {
  it('samples groups with the log-probabilities of its scores', { timeout: PATIENCE_MS }, async ({ skip }) => {
    if (folder === undefined) return skip('WEBLLM_MODEL_DIR is not set: there is no compiled model to try.')
    const rehearsal = await rehearse(folder)
    process.stderr.write(`${JSON.stringify(rehearsal)}\n`)
    expect(rehearsal.missing).toEqual([])
    for (const { sampled, scored } of rehearsal.completions)
      sampled.forEach((logProb, i) => expect(logProb).toBeCloseTo(scored[i]!, 2))
    expect(rehearsal.scores.cool).not.toEqual(rehearsal.scores.warm)
    if (rehearsal.doubled !== null)
      rehearsal.doubled.forEach((logProb, i) => expect(logProb).toBeCloseTo(rehearsal.scores.cool[i]!, 2))
  })

  it(
    'agrees with our transformer before and after an update, in a group that forks its prompt',
    {
      timeout: PATIENCE_MS,
    },
    async ({ skip }) => {
      if (folder === undefined || !existsSync(join(folder, 'config.json')))
        return skip('WEBLLM_MODEL_DIR has no config.json: there is no model to train.')
      const read = (name: string) => readFileSync(join(folder, name))
      const configJson: unknown = JSON.parse(read('config.json').toString())
      const { LanguageModel } = await import('../../../src/language-model/language-model.ts')
      const files = {
        'config.json': read('config.json'),
        'tokenizer.json': read('tokenizer.json'),
        'model.safetensors': writeSafetensors({ metadata: {}, tensors: weightsOf(folder, configJson) }),
      }
      const ours = await LanguageModel.load(memoryReader('ours', files), 'cpu', {
        cacheSlots: 64,
        microBatchTokens: 32,
      })
      let changed = new Uint8Array(0)
      await inPage(
        folder,
        () => changed,
        async (page) => {
          const first = await page.evaluate(() => (globalThis as unknown as UpdateScope).sampleFirst())
          process.stderr.write(`${JSON.stringify(first)}\n`)
          await expectSame(ours, first)
          await ours.attachAdapters({ rank: 8, alpha: 16, dropout: 0, targets: ['q_proj', 'k_proj', 'v_proj'] }, 1)
          const metrics = await ours.update(
            first.drawn.map(({ tokens, logProbs }, j) => ({
              prompt: Int32Array.from(first.prompt),
              response: Int32Array.from(tokens),
              oldLogProbs: Float32Array.from(logProbs),
              advantage: j % 2 === 0 ? 1 : -1,
            })),
            UPDATE,
          )
          process.stderr.write(`${JSON.stringify(metrics)}\n`)
          expect(metrics.mismatch_kl).toBeLessThan(1e-4)
          const shapes = ours.changingWeights
          const weights = await ours.readWeights([...shapes.keys()])
          changed = writeSafetensors({
            metadata: {},
            tensors: new Map(
              Array.from(weights, ([name, values]) => [name, { shape: [...shapes.get(name)!], values }] as const),
            ),
          })
          const second = await page.evaluate(() => (globalThis as unknown as UpdateScope).sampleChanged())
          process.stderr.write(`${JSON.stringify(second)}\n`)
          await expectSame(ours, second)
          expect(second.drawn).not.toEqual(first.drawn)
        },
      )
      await ours.dispose()
    },
  )
})
