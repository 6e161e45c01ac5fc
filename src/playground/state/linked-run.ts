/** Shows the run and the step that a link is to: the recorded run, which everybody has, or one that this browser keeps. */
import { DEFAULT_PRESET, presetSettings } from '../../method/settings.ts'
import { findSpot } from '../run/run-spot.ts'
import type { Spot } from '../run/spot.ts'
import type { Playground } from './playground.svelte.ts'
import type { Selection } from './selection.svelte.ts'

export interface LinkedRun {
  /** Null for the run as a whole. */
  spot: Spot | null
  /** Id of a kept run; null for the recorded run of the settings' world. */
  run: string | null
  /** Whether the link has settings, which have been taken over. */
  hasContent: boolean
}

export interface Shown {
  /** What of it could not be shown, and what to do. */
  problem: string | null
  /** This browser does not have the run. */
  isMissing: boolean
}

interface Targets {
  playground: Playground
  selection: Selection
}

export async function showLinked(wanted: LinkedRun, { playground, selection }: Targets): Promise<Shown> {
  if (wanted.run !== null) {
    if (!(await showKept(wanted.run, playground))) {
      const isMissing = !playground.runs.has(wanted.run)
      return { problem: whyMissing(wanted.run, playground), isMissing }
    }
  } else if (!(await showRecorded(wanted, playground))) return { problem: NO_RECORDING, isMissing: false }
  if (wanted.spot === null) return { problem: null, isMissing: false }
  const view = () => playground[playground.source].view
  // What was said long ago in a kept run is read before it is looked at.
  await playground.want(Math.min(wanted.spot.iteration, view().current?.iteration ?? 0))
  const { spot, problem } = findSpot(view(), wanted.spot)
  if (spot) selection.lookAt(spot)
  return { problem, isMissing: false }
}

/** Without settings, a link is to the run that the page has for those that it begins with. */
async function showRecorded({ spot, hasContent }: LinkedRun, playground: Playground): Promise<boolean> {
  const { world } = presetSettings(DEFAULT_PRESET)
  if (!hasContent && playground.world !== world) await playground.chooseWorld(world)
  await playground.showShipped()
  const { recorded } = playground
  if (spot && spot.iteration > recorded.iteration) recorded.seek(recorded.lastIteration)
  return playground.hasRecording
}

async function showKept(runId: string, playground: Playground): Promise<boolean> {
  if (playground.hasLiveRun && playground.live.runId === runId) {
    playground.show('live')
    return true
  }
  if (!playground.runs.has(runId)) return false
  await playground.openKept(runId)
  return playground.recorded.runId === runId
}

const NO_RECORDING =
  'The link is to a step of the recorded run, which could not be loaded. Reload the page to try again.'

function whyMissing(runId: string, { runs }: Playground): string {
  const entry = runs.entries?.find((each) => each.runId === runId)
  if (entry && !entry.isEvicted) return `The link is to the run ${runId}, which could not be opened.`
  const how = '“Export” under Runs saves it there as a file; drop that file on this page, and the place in it is shown.'
  return entry
    ? `The link is to the run ${runId}, of which this browser has kept the curves alone, to make room. Another browser may still have it whole: ${how}`
    : `The link is to the run ${runId}, which is only in the browser that made it. ${how}`
}
