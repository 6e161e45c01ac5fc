import { expect, it } from 'vitest'
import { Comparison } from '../../../src/playground/state/comparison.svelte.ts'
import type { KeptRunList } from '../../../src/playground/state/kept-runs.svelte.ts'
import type { MetricRow } from '../../../src/runs/metric-rows.ts'

it('has no rows of the run before while those of another run are read, and keeps them while they are read again', async () => {
  let answer = (_: readonly MetricRow[]): void => {}
  const rows = () => new Promise((resolve) => (answer = resolve))
  const comparison = new Comparison({ entries: [], chosen: [], rows } as unknown as KeptRunList)
  const row = { iteration: 1, firstSeq: 0, endSeq: 1, isFinished: true }
  const rowsOf = (seconds: number): MetricRow[] => [{ ...row, values: { 'timing_s/step': seconds } }]
  const show = async (runId: string, seconds: number) => {
    const shown = comparison.show(runId)
    const before = comparison.shownRows
    answer(rowsOf(seconds))
    await shown
    return before
  }
  expect(await show('a', 1)).toEqual([])
  expect(await show('a', 2)).toEqual(rowsOf(1))
  expect(await show('b', 3)).toEqual([])
  expect(comparison.shownRows).toEqual(rowsOf(3))
})
