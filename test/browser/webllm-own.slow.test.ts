/**
 * `npm run build:webllm -- FOLDER [--half]` for each architecture: what it compiles samples like our transformer. Skipped without
 * emscripten or Python. When the command first runs, it installs its Python packages and compiles TVM's runtime.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import { findPython } from '../../scripts/python-environment.mjs'
import { writeModelFolder } from '../../src/language-model/files/folder-reader.ts'
import { memoryReader } from '../../src/language-model/files/model-reader.ts'
import { readSafetensors, writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { randomStream } from '../../src/language-model/sampling/random-stream.ts'
import { featuresFor } from '../../src/engines/webllm/catalogue.ts'
import type { ShippedQuantization } from '../../src/engines/webllm/shipped-models.ts'
import { PLAIN, randomTokens, tinyTokenizerJson } from '../language-model/tiny-model.ts'
import { difference, onHalfAdapter, useWebLlm, type WebLlm } from './webllm-client.ts'

const VOCABULARY = 270
const SHAPE = {
  ...PLAIN,
  hidden_size: 64,
  intermediate_size: 112,
  vocab_size: VOCABULARY,
  max_position_embeddings: 512,
}
const LLAMA3 = {
  rope_type: 'llama3',
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 64,
}
const ARCHITECTURES = {
  llama: { ...SHAPE, tie_word_embeddings: false, rope_theta: 500_000, rope_scaling: LLAMA3 },
  qwen2: { ...SHAPE, model_type: 'qwen2' },
  qwen3: { ...SHAPE, model_type: 'qwen3', head_dim: 32, rope_theta: 1_000_000 },
}
type Architecture = keyof typeof ARCHITECTURES
const NAMES = Object.keys(ARCHITECTURES) as Architecture[]

const pages = useWebLlm()
let folders: string
beforeAll(() => {
  folders = mkdtempSync(join(tmpdir(), 'webllm-own-'))
})
afterAll(() => rmSync(folders, { recursive: true }))

/** Milliseconds. The first build also installs packages and compiles the runtime, which takes minutes on a free machine. */
const BUILD_TIMEOUT = 7_200_000

/** A program that the command needs and this machine lacks; null if there is none. */
function missingCompiler(): string | null {
  if (spawnSync('emcc', ['--version']).status !== 0) return 'emcc'
  try {
    findPython()
  } catch {
    return 'Python 3.10 to 3.13 with venv'
  }
  return null
}
const missing = missingCompiler()

const folderOf = (name: Architecture) => join(folders, name)
const builtFolder = (name: Architecture, quantization: ShippedQuantization) =>
  join(folders, `${name}-${quantization}-MLC`)

/** Untrained, with norms and biases so uneven that a missing one shows in every log-probability. */
async function writeModel(name: Architecture): Promise<void> {
  const fresh = await LanguageModel.fresh(ARCHITECTURES[name], tinyTokenizerJson(), 1, 'cpu')
  const files = await fresh.saveFolder()
  await fresh.dispose()
  const weights = readSafetensors(files['model.safetensors'], name)
  const uniform = randomStream(1, 99)
  for (const [weight, { values }] of weights.tensors)
    if (/norm\.weight$|\.bias$/.test(weight)) for (let i = 0; i < values.length; i++) values[i]! += uniform() - 0.5
  await writeModelFolder(folderOf(name), { ...files, 'model.safetensors': writeSafetensors(weights, 'F16') })
}

function build(name: Architecture, quantization: ShippedQuantization): void {
  const script = join(root, 'scripts', 'build-webllm.mjs')
  const half = quantization === 'q0f16' ? ['--half'] : []
  const built = spawnSync(process.execPath, [script, folderOf(name), ...half], { encoding: 'utf8' })
  expect(built.status, built.stdout + built.stderr).toBe(0)
}

/** Compares a built folder, as if a host served it. */
async function expectLikeOurs(
  webLlm: WebLlm,
  name: Architecture,
  quantization: ShippedQuantization,
  bounds: { mean: number; largest: number },
): Promise<void> {
  const folder = builtFolder(name, quantization)
  const address = `https://models.test/${basename(folder)}/resolve/main/`
  await webLlm.page.context().route(`${address}**`, (route) =>
    route.fulfill({
      body: readFileSync(join(folder, new URL(route.request().url()).pathname.split('/').at(-1)!)),
      headers: { 'access-control-allow-origin': '*' },
    }),
  )
  const record = {
    model_id: basename(folder),
    model: address,
    model_lib: `${address}model.wasm`,
    required_features: [...featuresFor(quantization)],
  }
  await webLlm.call('load', { record, contextWindow: 512, sequences: 4, cacheTokens: 1024 })
  const names = ['config.json', 'tokenizer.json', 'model.safetensors']
  const files = Object.fromEntries(names.map((file) => [file, readFileSync(join(folderOf(name), file))]))
  const ours = await LanguageModel.load(memoryReader(name, files), 'cpu')
  const tokens = randomTokens(randomStream(2, 7), 200, VOCABULARY)
  const theirs = await webLlm.call('score', [...tokens], 1)
  const own = (await ours.logProbs([{ prompt: tokens.slice(0, 1), response: tokens.slice(1) }], 1))[0]!
  await ours.dispose()
  const { mean, largest } = difference(record.model_id, theirs, own)
  expect(mean).toBeLessThan(bounds.mean)
  expect(largest).toBeLessThan(bounds.largest)
  // Unlike a uniform model's.
  expect(Math.max(...own) - Math.min(...own)).toBeGreaterThan(1)
}

const title = `a library that build:webllm compiles for your own folder${missing === null ? '' : ` (skipped: no ${missing} here)`}`
describe.skipIf(missing !== null)(title, { timeout: BUILD_TIMEOUT }, () => {
  beforeAll(async () => {
    for (const name of NAMES) await writeModel(name)
  })

  it.each(NAMES)('samples %s in float32 like our transformer', async (name) => {
    build(name, 'q0f32')
    await pages.open(SOFTWARE_ADAPTER_FLAGS, (webLlm) =>
      expectLikeOurs(webLlm, name, 'q0f32', { mean: 2e-6, largest: 2e-5 }),
    )
  })

  it.each(NAMES)('samples %s in float16 like our transformer, where an adapter has shader-f16', async (name) => {
    build(name, 'q0f16')
    expect(WebAssembly.validate(readFileSync(join(builtFolder(name, 'q0f16'), 'model.wasm')))).toBe(true)
    const hasRun = await onHalfAdapter(pages, (webLlm) =>
      expectLikeOurs(webLlm, name, 'q0f16', { mean: 4e-3, largest: 4e-2 }),
    )
    if (!hasRun) process.stderr.write(`${name}, float16: compiled, not run; no adapter has shader-f16\n`)
  })
})
