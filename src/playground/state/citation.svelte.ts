/** What of the run on show can be cited: a place in it, and how whoever follows the link comes by the run. */
import { shownSpot } from '../run/run-spot.ts'
import { writeSpot } from '../run/spot.ts'
import type { Playground } from './playground.svelte.ts'
import type { Selection } from './selection.svelte.ts'

export interface Citation {
  /** As they stand in an address; `run` only for a run that this browser keeps. */
  at: string
  run?: string
  /** The same for places of the same run. */
  of: string
  /** Nobody chose the iteration: it is the newest, whichever that is. */
  isFollowing: boolean
}

/** Why there is nothing to cite: `file` for a log that was opened, `unkept` for a run that no browser keeps. */
export type NoCitation = 'file' | 'unkept' | 'nothing'

/** Reads the run and the selection, so whoever calls it in a derived or an effect hears of their changes. */
export function cite(playground: Playground, selection: Selection): Citation | NoCitation {
  const view = playground.viewFor('trajectories')
  const source = playground.sourceFor('trajectories')
  const run = citableRun(playground, source)
  if (typeof run === 'string') return run
  const spot = shownSpot(view, selection)
  if (spot === null) return 'nothing'
  return {
    at: writeSpot(spot),
    ...(run.runId !== null && { run: encodeURIComponent(run.runId) }),
    of: run.runId ?? `recorded ${view.settings?.world}`,
    isFollowing: selection.iteration === null,
  }
}

/** The id is null for the recorded run that everybody has. */
function citableRun(playground: Playground, source: 'recorded' | 'live'): { runId: string | null } | NoCitation {
  const { recorded, live, runs } = playground
  if (source === 'recorded' && recorded.fileName !== null) return 'file'
  const runId = source === 'recorded' ? recorded.runId : live.runId
  return runId === null || runs.has(runId) ? { runId } : 'unkept'
}
