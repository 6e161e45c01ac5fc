/** The benchmark page with every peer, on the smallest models; WebGPU runs on Chromium's software adapter. */
import { describe, expect, it } from 'vitest'
import { SOFTWARE_ADAPTER_FLAGS } from '../../scripts/launch-flags.mjs'
import type { BenchShape } from '../../src/bench/bench-model.ts'
import type { Measurement } from '../../src/bench/suite.ts'
import { runInBrowser, type Threads } from '../../src/cli/bench/in-browser.ts'
import type { PageRequest } from '../../src/cli/bench/page.ts'

const SHAPE: BenchShape = {
  hiddenSize: 64,
  layers: 1,
  heads: 4,
  keyValueHeads: 2,
  intermediateSize: 24,
  vocabularySize: 32,
}
const WIDER: BenchShape = { ...SHAPE, hiddenSize: 128 }

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
  for (const { name, subject, value } of measurements) {
    expect.soft(Number.isFinite(value), `${name} of ${subject} is ${value}`).toBe(true)
  }
  return measurements
}

const subjectsOf = (measurements: Measurement[], name: string) => [
  ...new Set(measurements.filter((measurement) => measurement.name === name).map(({ subject }) => subject)),
]

const TRAIN = {
  name: 'train',
  sizes: {
    reference: { shape: SHAPE, sequences: 2, length: 12 },
    growth: { shapes: [SHAPE, WIDER], sequences: [1, 2], lengths: [8, 16] },
    peak: 16,
  },
} as const
const GENERATE = {
  name: 'generate',
  sizes: {
    reference: { shape: SHAPE, prompts: 3, promptLength: 5, sampled: 4 },
    growth: {
      shapes: [SHAPE, WIDER],
      base: { prompts: 2, promptLength: 4, completions: 1, sampled: 2 },
      prompts: [1, 2],
      promptLengths: [4, 8],
      groups: [1, 2],
      evaluations: [1, 2],
    },
    peak: 16,
  },
} as const

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
