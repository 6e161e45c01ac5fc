/** The real WebLLM on a page of its own, and what its log-probabilities are compared with: our transformer with the same weights. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import type { ShippedQuantization } from '../../src/engines/webllm/shipped-models.ts'
import { memoryReader } from '../../src/language-model/files/model-reader.ts'
import { readSafetensors, writeSafetensors, type FloatType } from '../../src/language-model/files/safetensors.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { root } from '../../scripts/ensure.mjs'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import type { WebLlmPage } from './fixtures/webllm-page.ts'
import { useFixturePage } from './fixture-page.ts'
import { openBrowser } from './harness.ts'

const publicDir = join(root, 'public')
const HOUSEHOLD = 'household-policy'

/** Text of the household, to repeat. */
export const TEXT =
  'you are in the middle of a room. looking around you, you see a cabinet 1, a desk 1 and a drawer 1.\n> '

type Methods = { [Name in keyof WebLlmPage]: WebLlmPage[Name] }
export class WebLlm {
  readonly page: Page
  readonly #frame: Frame
  constructor(frame: Frame) {
    this.page = frame.page()
    this.#frame = frame
  }
  call<Name extends keyof Methods>(
    name: Name,
    ...given: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    const called = this.#frame.evaluate(
      ([method, values]) =>
        (globalThis as unknown as { webLlm: Record<string, (...args: unknown[]) => Promise<unknown>> }).webLlm[
          method as string
        ]!(...(values as unknown[])),
      [name, given] as const,
    )
    return called as Promise<Awaited<ReturnType<Methods[Name]>>>
  }
  /** A megabyte crosses as text in a moment, and as a list of numbers in many seconds. */
  setWeights(file: Uint8Array): Promise<void> {
    return this.call('setWeights', Buffer.from(file).toString('base64'))
  }
}

export interface WebLlmPages {
  open(flags: readonly string[], job: (webLlm: WebLlm) => Promise<void>): Promise<void>
  /** Puts a built-in model into WebLLM's cache, by default the household's policy. */
  keepModel(webLlm: WebLlm, quantization?: ShippedQuantization, model?: string): ReturnType<WebLlmPage['keep']>
  /** Address of the page, where its browser keeps what it keeps. */
  readonly address: string
}

/** Call once in a test file. `packages` as for a fixture page. */
export function useWebLlm(packages: Readonly<Record<string, string>> = {}): WebLlmPages {
  const fixture = useFixturePage('webllm', { publicDir, packages })
  return {
    async open(flags, job) {
      const browser = await openBrowser({ flags })
      try {
        const page = await (await browser.newContext()).newPage()
        page.setDefaultTimeout(0)
        await page.goto(fixture.address)
        await page.waitForFunction('globalThis.webLlm')
        await job(new WebLlm(page.mainFrame()))
      } finally {
        await browser.close()
      }
    },
    keepModel: (webLlm, quantization = 'q0f32', model = HOUSEHOLD) =>
      webLlm.call('keep', `${fixture.origin}models/${model}`, quantization),
    get address() {
      return fixture.address
    },
  }
}

/** A built-in model in our transformer: float32, with weights that were stored in `type`. */
export async function loadOurs(type: FloatType = 'F32', model = HOUSEHOLD): Promise<LanguageModel> {
  const names = ['config.json', 'tokenizer.json', 'model.safetensors']
  const read = (name: string) => readFileSync(join(publicDir, 'models', model, name))
  const files: Record<string, Uint8Array> = Object.fromEntries(names.map((name) => [name, read(name)]))
  const weights = readSafetensors(files['model.safetensors']!, 'ours')
  files['model.safetensors'] = writeSafetensors(weights, type)
  return LanguageModel.load(memoryReader('ours', files), 'cpu', { cacheSlots: 64, microBatchTokens: 256 })
}

/** Chromium's flags for a graphics card, and for the processor. */
const ADAPTERS = [
  ['--enable-unsafe-webgpu', '--enable-features=Vulkan', '--ignore-gpu-blocklist'],
  SOFTWARE_ADAPTER_FLAGS,
]

/** Whether the adapter that a page gets computes in half precision. */
export const hasHalf = (page: Page): Promise<boolean> =>
  page.evaluate(async () =>
    Boolean((await (navigator.gpu as GPU | undefined)?.requestAdapter())?.features.has('shader-f16')),
  )

/** Does the job on the first adapter of this machine that computes in half precision. Returns whether there is one. */
export async function onHalfAdapter(pages: WebLlmPages, job: (webLlm: WebLlm) => Promise<void>): Promise<boolean> {
  let isFound = false
  for (const flags of ADAPTERS) {
    if (isFound) break
    await pages.open(flags, async (webLlm) => {
      isFound = await hasHalf(webLlm.page)
      if (isFound) await job(webLlm)
    })
  }
  return isFound
}

export interface Difference {
  mean: number
  largest: number
}

/** Differences of log-probabilities in nats. Also written to the output, for docs/webllm.md. */
export function difference(name: string, theirs: readonly number[], ours: Iterable<number>): Difference {
  const differences = Array.from(ours, (value, i) => Math.abs(value - theirs[i]!))
  if (differences.length !== theirs.length || differences.length === 0)
    throw new Error(`${theirs.length} log-probabilities are compared with ${differences.length}.`)
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length
  const largest = Math.max(...differences)
  process.stderr.write(`${name}: ${differences.length} log-probabilities, mean ${mean}, largest ${largest}\n`)
  return { mean, largest }
}
