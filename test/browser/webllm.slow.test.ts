/** The real WebLLM with the shipped libraries, on Chromium's software adapter: it samples like our transformer, and says what is wrong. */
import { describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import { writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import type { LanguageModel } from '../../src/language-model/language-model.ts'
import type { Completion, SamplingOptions, UpdateOptions } from '../../src/method/ports.ts'
import type { PlainCompletion, PlainRequest } from './fixtures/webllm-page.ts'
import { serveCourse } from './course-page.ts'
import { difference, loadOurs, TEXT, useWebLlm, WebLlm } from './webllm-client.ts'
import { UPDATE_OPTIONS } from '../language-model/update-options.ts'

/**
 * Nats: both compute in float32, in different orders. An angle of the rotary embedding that is 5e-7 wrong in every quarter turn gives
 * twice this mean over the long context.
 */
const MEAN = 5e-6
const LARGEST = 1e-4
/** Tokens, most of the context of 1024. */
const LONG = 833
/** Tokens, for what does not depend on how many they are: more than a page of the cache. */
const SHORT = 70
const UPDATE: UpdateOptions = {
  ...UPDATE_OPTIONS,
  learningRate: 1e-3,
  klCoefficient: 0,
  updatesPerIteration: 1,
  sampledElsewhere: true,
}

const pages = useWebLlm()
const withWebLlm = pages.open
const keepModel = pages.keepModel

/** A lower temperature multiplies the differences. */
function expectClose(theirs: readonly number[], ours: Iterable<number>, temperature = 1): void {
  const { mean, largest } = difference(`${expect.getState().currentTestName}, temperature ${temperature}`, theirs, ours)
  expect(mean).toBeLessThan(MEAN / temperature)
  expect(largest).toBeLessThan(LARGEST / temperature)
}

async function expectSameSamples(
  webLlm: WebLlm,
  ours: LanguageModel,
  requests: PlainRequest[],
  options: SamplingOptions,
): Promise<PlainCompletion[]> {
  const theirs = (await webLlm.call('generate', requests, options)).flat()
  const own = await ours.generate(
    requests.map((request) => ({ ...request, prompt: Int32Array.from(request.prompt) })),
    options,
  )
  const flat: Completion[] = own.flat()
  expect(theirs.map(({ tokens }) => tokens)).toEqual(flat.map(({ tokens }) => [...tokens]))
  expectClose(
    theirs.flatMap(({ logProbs }) => logProbs),
    flat.flatMap(({ logProbs }) => [...logProbs]),
    options.temperature || 1,
  )
  return theirs
}

/** Our transformer's log-probabilities of a completion, among the tokens that can still become one of the choices. */
async function amongAllowed(
  ours: LanguageModel,
  prompt: readonly number[],
  tokens: readonly number[],
  choices: readonly string[],
): Promise<number[]> {
  const logProbs: number[] = []
  const pieces = Array.from({ length: ours.config.vocabularySize }, (_, token) =>
    ours.tokenizer.decode(Int32Array.of(token)),
  )
  for (const [i, token] of tokens.entries()) {
    const said = ours.tokenizer.decode(Int32Array.from(tokens.slice(0, i)))
    const allowed = [...pieces.keys()].filter(
      (each) => pieces[each] !== '' && choices.some((choice) => choice.startsWith(said + pieces[each]!)),
    )
    // Nothing but the end may follow a whole choice.
    if (allowed.length === 0) {
      logProbs.push(0)
      continue
    }
    expect(allowed).toContain(token)
    const sequences = allowed.map((each) => ({
      prompt: Int32Array.from([...prompt, ...tokens.slice(0, i)]),
      response: Int32Array.of(each),
    }))
    const scores = (await ours.logProbs(sequences, 1)).map(([score]) => score!)
    const sum = scores.reduce((total, score) => total + Math.exp(score), 0)
    logProbs.push(scores[allowed.indexOf(token)]! - Math.log(sum))
  }
  return logProbs
}

describe('the real WebLLM', () => {
  it('samples like our transformer: over a long context, in forked groups, cooler, and after an update', async () => {
    await withWebLlm(SOFTWARE_ADAPTER_FLAGS, async (webLlm) => {
      const info = await webLlm.call('load', await keepModel(webLlm))
      expect(info).toMatchObject({ usesInternals: true, missing: [], acceptsWeights: true, maxPositions: 1024 })
      const ours = await loadOurs()
      const long = (await webLlm.call('encode', TEXT.repeat(26))).slice(0, LONG)
      expect(long).toHaveLength(LONG)
      const score = async (tokens: number[], temperature: number) => {
        const theirs = await webLlm.call('score', tokens, temperature)
        const sequence = { prompt: Int32Array.of(tokens[0]!), response: Int32Array.from(tokens.slice(1)) }
        expectClose(theirs, (await ours.logProbs([sequence], temperature))[0]!, temperature)
      }
      await score(long, 1)
      await score(long.slice(0, SHORT), 0.5)
      // Many decoded steps over many shared pages.
      const far = [{ prompt: long.slice(0, LONG - 13), count: 2, seed: 13 }]
      const farDrawn = await expectSameSamples(webLlm, ours, far, { temperature: 1, topP: 1, maxTokens: 8 })
      expect(farDrawn.flatMap(({ tokens }) => tokens).length).toBeGreaterThan(8)

      // Two groups fork their prompts, one of which is longer than a page of the cache.
      const groups = [
        { prompt: long.slice(0, 70), count: 2, seed: 11 },
        { prompt: long.slice(40, 50), count: 2, seed: 12 },
      ]
      const drawn = await expectSameSamples(webLlm, ours, groups, { temperature: 1, topP: 1, maxTokens: 8 })
      await expectSameSamples(webLlm, ours, groups, { temperature: 0.7, topP: 0.9, maxTokens: 8 })
      await expectSameSamples(webLlm, ours, groups.slice(0, 1), { temperature: 0, topP: 1, maxTokens: 4 })

      const metrics = await ours.update(
        drawn.slice(0, 2).map(({ tokens, logProbs }, j) => ({
          prompt: Int32Array.from(groups[0]!.prompt),
          response: Int32Array.from(tokens),
          oldLogProbs: Float32Array.from(logProbs),
          advantage: j === 0 ? 1 : -1,
        })),
        UPDATE,
      )
      expect(metrics.mismatch_kl).toBeLessThan(1e-9)
      const shapes = ours.changingWeights
      const weights = await ours.readWeights([...shapes.keys()])
      const tensors = new Map(
        Array.from(weights, ([name, values]) => [name, { shape: [...shapes.get(name)!], values }] as const),
      )
      await webLlm.setWeights(writeSafetensors({ metadata: {}, tensors }))
      const later = await expectSameSamples(webLlm, ours, groups, { temperature: 1, topP: 1, maxTokens: 8 })
      expect(later.map(({ logProbs }) => logProbs)).not.toEqual(drawn.map(({ logProbs }) => logProbs))
      await score(long.slice(0, SHORT), 1)

      const choices = ['take the desk', 'take the drawer 1', 'go to the cabinet 1']
      const grammar = { type: 'grammar', grammar: `root ::= ${choices.map((c) => `"${c}"`).join(' | ')}` } as const
      const request = { prompt: groups[1]!.prompt, count: 3, seed: 5 }
      const [answers] = await webLlm.call('generate', [request], { temperature: 1, topP: 1, maxTokens: 30 }, grammar)
      for (const { tokens, logProbs, text } of answers!) {
        expect(choices).toContain(text)
        expectClose(logProbs, await amongAllowed(ours, request.prompt, tokens, choices))
      }
      await ours.dispose()
    })
  })

  it.each(['coding-policy', 'desktop-policy'])('samples %s like our transformer', async (model) => {
    await withWebLlm(SOFTWARE_ADAPTER_FLAGS, async (webLlm) => {
      const info = await webLlm.call('load', await keepModel(webLlm, 'q0f32', model))
      expect(info).toMatchObject({ usesInternals: true, missing: [], acceptsWeights: true })
      const ours = await loadOurs('F32', model)
      const tokens = (await webLlm.call('encode', TEXT.repeat(3))).slice(0, 64)
      const sequence = { prompt: Int32Array.of(tokens[0]!), response: Int32Array.from(tokens.slice(1)) }
      expectClose(await webLlm.call('score', tokens, 1), (await ours.logProbs([sequence], 1))[0]!)
      const group = { prompt: tokens.slice(0, 40), count: 2, seed: 14 }
      await expectSameSamples(webLlm, ours, [group], { temperature: 1, topP: 1, maxTokens: 8 })
      await ours.dispose()
    })
  })

  it('samples the same without its internals, and loads new weights from its cache', async () => {
    await withWebLlm(SOFTWARE_ADAPTER_FLAGS, async (webLlm) => {
      await webLlm.call('setFaults', { lacksGrammar: true })
      const info = await webLlm.call('load', await keepModel(webLlm))
      expect(info.missing).toEqual(['pipeline.prepareGrammarMatcherForSampling (function)'])
      expect(info.backendDescription).toMatch(/one sequence at a time, because this version lacks pipeline\.prepareG/)
      const ours = await loadOurs()
      const request = { prompt: await webLlm.call('encode', TEXT), count: 1, seed: 3 }
      await expectSameSamples(webLlm, ours, [request], { temperature: 1, topP: 1, maxTokens: 3 })
      const name = 'model.norm.weight'
      const norm = (await ours.readWeights([name])).get(name)!
      const halved = norm.map((weight) => weight / 2)
      const tensors = new Map([[name, { shape: [norm.length], values: halved }]])
      await webLlm.setWeights(writeSafetensors({ metadata: {}, tensors }))
      // Half the last norm is twice the temperature.
      const sequence = request.prompt.slice(0, 8)
      const own = await ours.logProbs(
        [{ prompt: Int32Array.from(sequence.slice(0, 1)), response: Int32Array.from(sequence.slice(1)) }],
        2,
      )
      expectClose(await webLlm.call('score', sequence, 1), own[0]!)
      await ours.dispose()
    })
  })

  it('says what is wrong with a version, a library, a download, the room, a host, a device or an adapter', async () => {
    await withWebLlm(SOFTWARE_ADAPTER_FLAGS, async (webLlm) => {
      const { page } = webLlm
      const session = await page.context().newCDPSession(page)
      const { origin } = new URL(pages.address)
      await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1e6 })
      await expect(keepModel(webLlm)).rejects.toThrow(/could not be kept: the browser gives this site no more room/)
      await session.send('Storage.overrideQuotaForOrigin', { origin })

      const source = await keepModel(webLlm)
      const { model_lib, model } = source.record
      const load = () => webLlm.call('load', source)

      await webLlm.call('setFaults', { modelVersion: 'v0_3_0/base' })
      await expect(load()).rejects.toThrow(
        /libraries are v0_3_0\/base, which was not tried\. Versions that work: 0\.2\.86/,
      )
      await webLlm.call('setFaults', { modelVersion: null })

      await webLlm.call('damage', 'webllm/wasm', model_lib, ['TVMFFIWasmSafeCall', 'TVMFFIWasmSafeCOLD'])
      await expect(load()).rejects.toThrow(/library was compiled for another version of WebLLM than 0\.2\.86/)
      await webLlm.call('damage', 'webllm/wasm', model_lib, null)
      await expect(load()).rejects.toThrow(/is not a whole WebAssembly module: it was cut while downloading/)

      await keepModel(webLlm)
      await webLlm.call('damage', 'webllm/model', `${model}params_shard_0.bin`, null)
      await expect(load()).rejects.toThrow(/params_shard_0\.bin .* cut while downloading/)

      const reloadPage = async () => {
        await page.reload()
        await page.waitForFunction('globalThis.webLlm')
        await keepModel(webLlm)
      }
      let policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
      await page.context().route('**', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } })
      })
      await reloadPage()
      await expect(load()).rejects.toThrow(/Content-Security-Policy .* connect-src 'self' blob:/)
      policy += "; connect-src 'self' blob:"
      await reloadPage()
      expect(await load()).toMatchObject({ usesInternals: true })

      await webLlm.call('loseDevice')
      const request = { prompt: [100, 101], count: 1, seed: 1 }
      await expect(webLlm.call('generate', [request], { temperature: 1, topP: 1, maxTokens: 1 })).rejects.toThrow(
        /The graphics device was lost \(destroyed/,
      )
      await webLlm.call('setFaults', { lacksAdapter: true })
      await expect(load()).rejects.toThrow(/has no graphics adapter for WebGPU/)
    })
  })

  it('says that the browser keeps nothing for a frame of another site', async () => {
    await withWebLlm(SOFTWARE_ADAPTER_FLAGS, async ({ page }) => {
      const course = await serveCourse(`<iframe src="${pages.address}"></iframe>`)
      try {
        await page.goto(course.address)
        const frame = page.frames().find((each) => each.url() === pages.address)!
        await frame.waitForFunction('globalThis.webLlm')
        await expect(pages.keepModel(new WebLlm(frame))).rejects.toThrow(/cache .*refuses this site \(/)
      } finally {
        await course.close()
      }
    })
  })
})
