/** What of the run on show a link can name: a place in it, and where others find the run. */
import { writeSpot } from '../run/spot.ts'
import type { Focus } from './focus.svelte.ts'
import type { RunOnShow } from './run-on-show.ts'

export interface Citation {
  /** As written in an address; `run` only for a run that this browser keeps. */
  at: string
  run?: string
  /** Equal for places of the same run. */
  of: string
  /** The iteration was not chosen: it is the newest one. */
  isFollowing: boolean
}

/** Why there is nothing to cite: the run is from a `file`, the browser does not keep it (`unkept`), or it has no step (`nothing`). */
export type NoCitation = 'file' | 'unkept' | 'nothing'

interface KeptRuns {
  has(runId: string): boolean
}

export function cite(focus: Focus, kept: KeptRuns): Citation | NoCitation {
  const run = citableRun(focus.run, kept)
  if (typeof run === 'string') return run
  const { shown, spot } = focus
  if (shown === null || spot === null) return 'nothing'
  return {
    at: writeSpot(spot),
    ...(run.runId !== null && { run: encodeURIComponent(run.runId) }),
    of: run.runId ?? `recorded ${shown.settings.world}`,
    isFollowing: focus.isFollowing,
  }
}

/** The run as an address names it; null for a world's own shipped run, and for one that cannot be opened again. */
export function addressedRun(run: RunOnShow, kept: KeptRuns): string | null {
  const found = citableRun(run, kept)
  return typeof found === 'string' || found.runId === null ? null : encodeURIComponent(found.runId)
}

/** The id is null for a world's own shipped run. */
function citableRun(
  { origin, runId, recording = null }: RunOnShow,
  kept: KeptRuns,
): { runId: string | null } | NoCitation {
  if (origin === 'file') return 'file'
  if (origin === 'shipped') return { runId: recording }
  return runId !== null && kept.has(runId) ? { runId } : 'unkept'
}
