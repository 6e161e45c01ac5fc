/**
 * The float16 libraries, on the first adapter of this machine that computes in half precision; Chromium's own software adapter does
 * not, and there the refusal is what is tested.
 */
import { describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import { writeSafetensors } from '../../src/language-model/files/safetensors.ts'
import { difference, hasHalf, loadOurs, onHalfAdapter, TEXT, useWebLlm, type WebLlm } from './webllm-client.ts'

const pages = useWebLlm()

/** Nats. Half precision rounds every activation to 2⁻¹¹ of itself; sums are in float32, without which the mean is 5·10⁻³. */
const MEAN = 2e-3
const LARGEST = 3e-2

function expectClose(name: string, theirs: readonly number[], ours: Iterable<number>): void {
  const { mean, largest } = difference(name, theirs, ours)
  expect(mean).toBeLessThan(MEAN)
  expect(largest).toBeLessThan(LARGEST)
}

async function expectSamplesLike(webLlm: WebLlm): Promise<void> {
  const info = await webLlm.call('load', await pages.keepModel(webLlm, 'q0f16'))
  expect(info).toMatchObject({ usesInternals: true, missing: [], acceptsWeights: true })
  const long = (await webLlm.call('encode', TEXT.repeat(12))).slice(0, 400)
  const sequence = { prompt: Int32Array.of(long[0]!), response: Int32Array.from(long.slice(1)) }
  const rounded = await loadOurs('F16')
  const theirs = await webLlm.call('score', long, 1)
  expectClose('float16, the same weights', theirs, (await rounded.logProbs([sequence], 1))[0]!)
  const exact = await loadOurs()
  expectClose('float16, weights in float32', theirs, (await exact.logProbs([sequence], 1))[0]!)
  await exact.dispose()

  // Two groups fork their prompts, one of which is longer than a page of the cache.
  const requests = [
    { prompt: long.slice(0, 70), count: 3, seed: 11 },
    { prompt: long.slice(40, 50), count: 3, seed: 12 },
  ]
  const drawn = await webLlm.call('generate', requests, { temperature: 1, topP: 1, maxTokens: 16 })
  const sequences = drawn.flatMap((group, i) =>
    group.map(({ tokens }) => ({ prompt: Int32Array.from(requests[i]!.prompt), response: Int32Array.from(tokens) })),
  )
  const own = await rounded.logProbs(sequences, 1)
  expectClose(
    'float16, forked groups',
    drawn.flat().flatMap(({ logProbs }) => logProbs),
    own.flatMap((logProbs) => [...logProbs]),
  )

  // Half the last norm is twice the temperature.
  const name = 'model.norm.weight'
  const norm = (await rounded.readWeights([name])).get(name)!
  const tensors = new Map([[name, { shape: [norm.length], values: norm.map((weight) => weight / 2) }]])
  await webLlm.setWeights(writeSafetensors({ metadata: {}, tensors }))
  expectClose('float16, new weights', await webLlm.call('score', long, 1), (await rounded.logProbs([sequence], 2))[0]!)
  await rounded.dispose()
}

describe('the float16 libraries', () => {
  it('sample like our transformer with the same weights, in forked groups, and after new weights', async (context) => {
    const hasRun = await onHalfAdapter(pages, expectSamplesLike)
    if (!hasRun) context.skip('no adapter of this machine has shader-f16')
  })

  it('say that an adapter lacks half precision', async (context) => {
    await pages.open(SOFTWARE_ADAPTER_FLAGS, async (webLlm) => {
      if (await hasHalf(webLlm.page)) context.skip('the software adapter of this browser has shader-f16')
      const source = await pages.keepModel(webLlm, 'q0f16')
      await expect(webLlm.call('load', source)).rejects.toThrow(
        'could not load "household-policy-q0f16" because its kernels use half precision and this graphics adapter lacks shader-f16. Choose the same model in float32',
      )
    })
  })
})
