/** A made-up published table of λ. Only tests ever see it. */
import type { ResultsFile } from '../../src/results/results-file.ts'

const STOPS = [0, 0.5, 1, 2, 5]

/** Accuracy rises faster for λ near 1. */
export function madeUpLambda(seeds: readonly number[] = [0, 1, 2, 3]): ResultsFile {
  const gain = (lambda: number) => 0.3 - 0.06 * Math.abs(lambda - 1)
  const half = seeds.length < 2 ? null : 0.04
  return {
    format: 'rlanything-results',
    version: 1,
    table: 'lambda',
    title: 'Made up',
    commits: ['0000000'],
    command: 'none: this table is made up for a test',
    seeds: [...seeds],
    backends: ['cpu'],
    models: {},
    date: '2026-01-01',
    evaluationTasks: 10,
    measures: [{ id: 'id', label: 'in distribution, T = 0', unit: 'share' }],
    rows: STOPS.map((lambda) => ({
      id: `lambda-${lambda}`,
      label: `λ = ${lambda}`,
      preset: 'household+full',
      settings: { lambda },
      iterations: 40,
      isStart: false,
      values: { id: seeds.map(() => 0.4 + gain(lambda)) },
    })),
    claims: [],
    curves: STOPS.map((lambda) => ({
      row: `lambda-${lambda}`,
      measure: 'id',
      points: [0, 5, 10, 15, 20, 25, 30, 35, 40].map((iteration) => {
        const mean = 0.4 + gain(lambda) * (1 - Math.exp(-iteration / 15))
        return {
          iteration,
          mean,
          low: half === null ? null : mean - half,
          high: half === null ? null : mean + half,
          n: seeds.length,
        }
      }),
    })),
  }
}
