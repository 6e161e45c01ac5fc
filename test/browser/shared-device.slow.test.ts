/** New weights are copied from the trainer to the sampler on a shared graphics device, here Chromium's software adapter. */
import { describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import type { Rehearsal } from './fixtures/shared-device-page.ts'
import { useFixturePage } from './fixture-page.ts'
import { useBrowser } from './harness.ts'

describe('a sampler and a trainer on one device', () => {
  const open = useBrowser(SOFTWARE_ADAPTER_FLAGS)
  const fixture = useFixturePage('shared-device')

  it.each([
    ['q0f32', 2e-3],
    ['q0f16', 2e-2],
  ] as const)('agree in %s: before an update, after it, and after loading again', async (type, most) => {
    const { page } = await open(fixture.address)
    const adapter = await page.evaluate(async () => Boolean(await (navigator.gpu as GPU | undefined)?.requestAdapter()))
    if (!adapter) throw new Error('This Chromium has no WebGPU adapter, not even the software one.')
    await page.waitForFunction('globalThis.rehearse')
    const rehearsal = await page.evaluate(
      (quantization) =>
        (globalThis as unknown as { rehearse: (q: string) => Promise<Rehearsal> }).rehearse(quantization),
      type,
    )
    expect(rehearsal.deviceErrors).toEqual([])
    expect(rehearsal.description).toMatch(/^WebGPU.*sampled with WebLLM.*from buffer to buffer on one device$/)
    for (const { sampled, trained, differences } of rehearsal.stages) {
      expect(sampled).toEqual(trained)
      for (const difference of differences) expect(Math.abs(difference)).toBeLessThan(most)
    }
    const [before, after, again] = rehearsal.stages
    expect(after!.logProbs).not.toEqual(before!.logProbs)
    expect(rehearsal.stages).toHaveLength(type === 'q0f16' ? 3 : 2)
    if (again) expect(again.logProbs).toEqual(after!.logProbs)
    expect(rehearsal.mismatch).toBeLessThan(most ** 2)
    expect(rehearsal.changed).toEqual(
      [0, 1].flatMap((layer) =>
        ['self_attn.c_attn.weight', 'mlp.gate_up_proj.weight'].map((name) => `model.layers.${layer}.${name}`),
      ),
    )
    // The q, v and up projections of two layers, without the projections that they are fused with.
    const numbers = 2 * (64 * 64 + 32 * 64 + 96 * 64)
    expect(rehearsal.report).toMatchObject({ way: 'shared', bytes: numbers * (type === 'q0f16' ? 2 : 4) })
    expect(rehearsal.leaked).toBe(0)
    if (type === 'q0f16')
      expect(rehearsal.refusal).toMatch(/WeightSyncError.*float16 cannot represent.*earlier checkpoint/)
  })
})
