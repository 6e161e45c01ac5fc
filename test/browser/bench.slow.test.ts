/** The benchmark page with every peer, on the smallest models; WebGPU runs on Chromium's software adapter. */
import { describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import type { Measurement } from '../../src/bench/suite.ts'
import { runInBrowser, type Threads } from '../../src/cli/bench/in-browser.ts'
import type { PageRequest } from '../../src/cli/bench/page.ts'
import { expectFinite, smallSizes, subjectsOf } from '../bench/small-suites.ts'

const SMALL = smallSizes(1, 2)
const TRAIN = { name: 'train', sizes: SMALL.train } as const
const GENERATE = { name: 'generate', sizes: SMALL.generate } as const

async function measured(suite: PageRequest['suite'], threads: Threads): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  const told: string[] = []
  await runInBrowser(
    { rounds: 1, kernelMs: 0, isSoftwareGpuMeasured: true, suite },
    threads,
    { report: (measurement) => void measurements.push(measurement), progress: (text) => void told.push(text) },
    SOFTWARE_ADAPTER_FLAGS,
  )
  expect(told.filter((text) => text.startsWith('The page reports'))).toEqual([])
  expectFinite(measurements)
  return measurements
}

const noteOf = (measurements: Measurement[], name: string, of: string) =>
  measurements.find((measurement) => measurement.name === name && measurement.subject === of)?.note

describe('the suites in a page', () => {
  it('train beside peers with our gradients, on two threads and WebGPU if memory can be shared', async () => {
    const measurements = await measured(TRAIN, 'many')
    const onCpu = ['simd', 'tfjs wasm', 'tfjs wasm, transposed by hand', 'jax-js wasm']
    expect(subjectsOf(measurements, 'training step')).toEqual([...onCpu, 'webgpu', 'tfjs webgpu', 'jax-js webgpu'])
    expect(noteOf(measurements, 'training step', 'tfjs wasm')).toContain('2 threads')
  })

  it('generate beside peers with our logits and tokens', async () => {
    const measurements = await measured(GENERATE, 'many')
    const all = ['simd', 'tfjs wasm', 'transformers.js wasm', 'webgpu', 'tfjs webgpu']
    expect(subjectsOf(measurements, 'generation')).toEqual(all)
  })

  it('give peers one thread if memory cannot be shared', async () => {
    const trained = await measured(TRAIN, 'one')
    expect(subjectsOf(trained, 'training step')).toEqual(['simd', 'jax-js wasm'])
    expect(noteOf(trained, 'training step', 'jax-js wasm')).toContain('one thread')
    const generated = await measured(GENERATE, 'one')
    expect(subjectsOf(generated, 'generation')).toEqual(['simd', 'tfjs wasm'])
    expect(noteOf(generated, 'generation', 'tfjs wasm')).toContain('one thread')
  })
})
