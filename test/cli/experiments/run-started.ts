import type { RunStarted } from '../../../src/method/events.ts'
import { parseSettings } from '../../../src/method/presets.ts'
import type { Settings } from '../../../src/method/settings.ts'
import { modelNames } from '../../../src/roles/shipped-models.ts'
import { sourcesOf } from '../../../src/roles/source.ts'

/** How a run of a preset begins. */
export function runStarted(
  preset: string,
  changed: Partial<Settings> = {},
  models: Partial<RunStarted['models']> = {},
) {
  const settings = parseSettings(changed, preset)
  const names = { ...modelNames(sourcesOf(), settings.world), ...models }
  return {
    type: 'run-started',
    runId: 'a',
    preset,
    settings,
    backend: 'cpu',
    models: names,
    seq: 0,
    iteration: 0,
  } as const
}
