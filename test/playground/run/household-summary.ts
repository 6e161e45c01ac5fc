import { presetSettings } from '../../../src/method/presets.ts'
import { newSummary, type RunSummary } from '../../../src/runs/run-store.ts'

/** Summary of a run of the household preset, which has just started. */
export function run(seed: number, change: Partial<RunSummary> = {}): RunSummary {
  const settings = { ...presetSettings('household'), seed }
  return { ...newSummary({ runId: `run-${seed}`, preset: 'household', settings, iterations: 9 }), ...change }
}
