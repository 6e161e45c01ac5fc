import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Measurement, Suite } from '../../src/bench/suite.ts'
import { generateSuiteInNode, loopSuiteInNode, trainSuiteInNode } from '../../src/cli/bench/models.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'
import { expectFinite, smallSizes, subjectsOf } from './small-suites.ts'

const SMALL = smallSizes(2, 3)
const EFFORT = { rounds: 1, kernelMs: 0 }

async function measured(suite: Suite): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  await suite.run({ report: (measurement) => void measurements.push(measurement), progress: () => {} })
  expectFinite(measurements)
  return measurements
}

describe('the suites of our models at their smallest sizes', () => {
  it('trains beside peers with our gradients, including grouped keys', async () => {
    const measurements = await measured(await trainSuiteInNode(SMALL.train, EFFORT))
    const all = ['simd', 'tfjs wasm', 'tfjs wasm, transposed by hand', 'jax-js wasm']
    expect(subjectsOf(measurements, 'training step')).toEqual(all)
    expect(subjectsOf(measurements, 'memory of a step over context')).toEqual(['simd'])
  })

  it('generates beside peers with our logits and tokens', async () => {
    const measurements = await measured(await generateSuiteInNode(SMALL.generate, EFFORT))
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
