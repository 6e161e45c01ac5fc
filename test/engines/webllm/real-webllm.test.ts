/**
 * WebLLM itself, in headless Chromium on the software adapter; minutes for a token or two. It needs what cannot be part of
 * the project:
 *
 *     WEBLLM_MODEL_DIR   a folder with mlc-chat-config.json, tokenizer.json, tensor-cache.json, shards and model.wasm,
 *                        a library without shader-f16 (q0f32 or q4f32_1)
 *     WEBLLM_PACKAGE     the package's index.js, where the library wants another version than the pinned one
 */
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import { describe, expect, it } from 'vitest'
import { launchBrowser } from '../../../scripts/browser.mjs'
import { decodeFloats } from '../../../src/weight-formats/mlc-encoding.ts'
import { parseTensorCache, TENSOR_CACHE_FILE, tensorBytes } from '../../../src/weight-formats/tensor-cache.ts'
import type { Rehearsal } from './real-webllm-page.ts'

const folder = process.env.WEBLLM_MODEL_DIR
const otherPackage = process.env.WEBLLM_PACKAGE
const FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan']
const PATIENCE_MS = 3_600_000

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

async function rehearse(from: string): Promise<Rehearsal> {
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
        },
      },
    ],
  })
  const browser = await launchBrowser({ flags: FLAGS })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('console', (message) => process.stderr.write(`${message.text()}\n`))
    await page.goto(`${server.resolvedUrls!.local[0]!}real-webllm.html`)
    await page.waitForFunction('globalThis.rehearse')
    return await page.evaluate(
      (norm) => (globalThis as unknown as { rehearse: (n: number[] | null) => Promise<Rehearsal> }).rehearse(norm),
      finalNorm(from),
    )
  } finally {
    await browser.close()
    await server.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}

describe('WebLLM itself', () => {
  it('samples groups with the log-probabilities that it gives them', { timeout: PATIENCE_MS }, async ({ skip }) => {
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
})
