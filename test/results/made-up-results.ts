/** Results that nobody measured, for tests of what shows them. Never write them into public/results. */
import type { MapCell, ResultsFile, ResultsRow } from '../../src/results/results-file.ts'

export function madeUpRow(row: Partial<ResultsRow> & Pick<ResultsRow, 'id'>): ResultsRow {
  const rest = {
    label: row.id,
    preset: `household+${row.id}`,
    settings: {},
    iterations: 40,
    isStart: false,
    values: {},
  }
  return { ...rest, ...row }
}

export function madeUpResults(results: Partial<ResultsFile> = {}): ResultsFile {
  return {
    format: 'rlanything-results',
    version: 1,
    table: 'household',
    title: 'Household: Table 1',
    commits: ['abc1234'],
    command: 'npm run experiments -- paper --table household',
    seeds: [0, 1, 2],
    backends: ['cpu'],
    models: {},
    date: '2026-03-01',
    evaluationTasks: 200,
    measures: [{ id: 'id', label: 'in distribution, T = 0', unit: 'share' }],
    rows: [
      madeUpRow({
        id: 'temperature-only',
        label: 'Untrained, T = 0',
        preset: 'household+full',
        isStart: true,
        iterations: 0,
        values: { id: [0.4, 0.4, 0.4] },
      }),
      madeUpRow({ id: 'grpo', label: 'GRPO', values: { id: [0.48, 0.5, null] } }),
      madeUpRow({ id: 'full', label: 'Full loop', recording: 'household-full', values: { id: [0.59, 0.6, 0.61] } }),
    ],
    claims: [
      {
        ...{
          claim: 'The full loop gains 15 points',
          row: 'full',
          than: 'temperature-only',
          measure: 'id',
          least: 0.15,
        },
        verdict: 'holds',
        difference: { mean: 0.2, low: 0.175, high: 0.225, n: 3 },
      },
      {
        ...{ claim: 'GRPO above the full loop', row: 'grpo', than: 'full', measure: 'id', least: 0 },
        verdict: 'does not hold',
        difference: { mean: -0.105, low: -0.169, high: -0.041, n: 2 },
      },
    ],
    ...results,
  }
}

export function madeUpCell(cell: Partial<MapCell> = {}): MapCell {
  const gain = { mean: 0.05, low: 0.01, high: 0.09, n: 3 }
  const place = { row: 'full', than: 'grpo', voteFlips: 0, start: 'weak', lambda: 1, over: 'grpo' } as const
  return { ...place, startAccuracy: 0.22, gain, collapsed: 0, pleased: 0, seeds: 3, ...cell }
}
