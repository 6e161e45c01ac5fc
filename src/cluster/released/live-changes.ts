/** Changes of λ and α during a run, each from a step on. */
import type { Settings } from '../../method/settings.ts'
import { LIVE_PARAMETERS, type LiveParameters, type ReleasedSystem } from '../protocol.ts'
import { isPatched } from './mapping.ts'

/** Values of λ and α, and the first step that has them. */
export interface LiveChange {
  fromStep: number
  live: LiveParameters
}

/** The values in a step. Changes are in the order of their steps. */
export function liveAt(changes: readonly LiveChange[], step: number): LiveParameters | null {
  return changes.findLast(({ fromStep }) => fromStep <= step)?.live ?? null
}

/** Values in a step that differ from the settings, of those that the system's patched code reads. */
export function livePatch(
  system: ReleasedSystem,
  settings: Settings,
  changes: readonly LiveChange[],
  step: number,
): Partial<LiveParameters> {
  const live = liveAt(changes, step)
  const patch: Partial<LiveParameters> = {}
  if (live === null) return patch
  for (const name of LIVE_PARAMETERS) {
    if (isPatched(system, name) && live[name] !== settings[name]) patch[name] = live[name]
  }
  return patch
}
