/** The suites of our models at their smallest sizes, for Node and for a page. */
import { expect } from 'vitest'
import type { GenerateSizes } from '../../src/bench/generate.ts'
import type { Measurement } from '../../src/bench/suite.ts'
import type { TrainSizes } from '../../src/bench/train.ts'

const smallShape = (layers: number) => ({
  hiddenSize: 64,
  layers,
  heads: 4,
  keyValueHeads: 2,
  intermediateSize: 24,
  vocabularySize: 32,
})

/** `sequences` are those of the training step beside peers. */
export function smallSizes(layers: number, sequences: number): { train: TrainSizes; generate: GenerateSizes } {
  const shape = smallShape(layers)
  const shapes = [shape, { ...shape, hiddenSize: 128 }]
  return {
    train: {
      reference: { shape, sequences, length: 12 },
      growth: { shapes, sequences: [1, 2], lengths: [8, 16] },
      peak: 16,
    },
    generate: {
      reference: { shape, prompts: 3, promptLength: 5, sampled: 4 },
      growth: {
        shapes,
        base: { prompts: 2, promptLength: 4, completions: 1, sampled: 2 },
        prompts: [1, 2],
        promptLengths: [4, 8],
        groups: [1, 2],
        evaluations: [1, 2],
      },
      peak: 16,
    },
  }
}

export function expectFinite(measurements: readonly Measurement[]): void {
  for (const { name, subject, value } of measurements) {
    expect.soft(Number.isFinite(value), `${name} of ${subject} is ${value}`).toBe(true)
  }
}

export const subjectsOf = (measurements: readonly Measurement[], name: string): string[] => [
  ...new Set(measurements.filter((measurement) => measurement.name === name).map(({ subject }) => subject)),
]
