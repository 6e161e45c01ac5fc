import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { BenchShape } from '../../src/bench/bench-model.ts'
import type { Measurement, Suite } from '../../src/bench/suite.ts'
import { generateSuiteInNode, loopSuiteInNode, trainSuiteInNode } from '../../src/cli/bench/models.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'

const SHAPE: BenchShape = {
  hiddenSize: 64,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  intermediateSize: 24,
  vocabularySize: 32,
}
const WIDER: BenchShape = { ...SHAPE, hiddenSize: 128 }
const EFFORT = { rounds: 1, kernelMs: 0 }

async function measured(suite: Suite): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  await suite.run({ report: (measurement) => void measurements.push(measurement), progress: () => {} })
  for (const { name, subject, value } of measurements) {
    expect.soft(Number.isFinite(value), `${name} of ${subject} is ${value}`).toBe(true)
  }
  return measurements
}

const subjectsOf = (measurements: Measurement[], name: string) => [
  ...new Set(measurements.filter((measurement) => measurement.name === name).map(({ subject }) => subject)),
]

describe('the suites of our models at their smallest sizes', () => {
  it('trains beside peers with our gradients, including grouped keys', async () => {
    const measurements = await measured(
      await trainSuiteInNode(
        {
          reference: { shape: SHAPE, sequences: 3, length: 12 },
          growth: { shapes: [SHAPE, WIDER], sequences: [1, 2], lengths: [8, 16] },
          peak: 16,
        },
        EFFORT,
      ),
    )
    const all = ['simd', 'tfjs wasm', 'tfjs wasm, transposed by hand', 'jax-js wasm']
    expect(subjectsOf(measurements, 'training step')).toEqual(all)
    expect(subjectsOf(measurements, 'memory of a step over context')).toEqual(['simd'])
  })

  it('generates beside peers with our logits and tokens', async () => {
    const measurements = await measured(
      await generateSuiteInNode(
        {
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
        EFFORT,
      ),
    )
    expect(subjectsOf(measurements, 'generation')).toEqual(['simd', 'tfjs wasm', 'transformers.js wasm'])
  })

  it('runs an iteration with the same log on the stock backend', async () => {
    const tiny = { tasksPerIteration: 1, groupSize: 2, evaluationsPerStep: 1, maxSteps: 2, taskPoolSize: 2 }
    const models = await writeTinyModels()
    const measurements = await measured(
      await loopSuiteInNode(
        { settings: tiny, codingSettings: tiny, growthSettings: tiny, groupSizes: [2, 3], evaluationsPerStep: [1, 2] },
        EFFORT,
        { household: fileURLToPath(new URL('../../public/models', import.meta.url)), coding: models, desktop: models },
      ),
    ).finally(() => rmSync(models, { recursive: true }))
    expect(subjectsOf(measurements, 'iteration of programs and tests')).toEqual(['simd'])
    expect(subjectsOf(measurements, 'iteration')).toEqual(['simd', 'tfjs wasm'])
    const logs = measurements.find(({ name }) => name === 'run log on tfjs wasm beside ours')
    expect(logs?.value, logs?.note).toBe(1)
  })
})
