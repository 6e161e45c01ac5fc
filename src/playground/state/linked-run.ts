/** Shows the run and the step that a link names: the shipped run, which everybody has, or one that this browser keeps. */
import { DEFAULT_PRESET, presetSettings } from '../../method/presets.ts'
import { findSpot } from '../run/run-spot.ts'
import type { Spot } from '../run/spot.ts'
import type { Focus } from './focus.svelte.ts'
import type { Playground } from './playground.svelte.ts'
import { isRecording } from './recordings.ts'

export interface LinkedRun {
  /** Null for the run as a whole. */
  spot: Spot | null
  /** Id of a kept run; null for the recorded run of the settings' world. */
  run: string | null
  /** Whether the link has settings, which are on the controls by now. */
  hasContent: boolean
}

export interface Shown {
  /** What could not be shown, and what to do. */
  problem: string | null
  /** This browser does not have the run. */
  isMissing: boolean
}

interface Targets {
  playground: Playground
  focus: Focus
}

const NOTHING_TO_REPORT: Shown = { problem: null, isMissing: false }

/** `isWanted` turns false when another link is followed, and then nothing more is shown or reported. */
export async function showLinked(
  wanted: LinkedRun,
  { playground, focus }: Targets,
  isWanted: () => boolean,
): Promise<Shown> {
  const { live } = playground
  const { runId } = live
  // A run of this tab that begins meanwhile stays on show, and has not the step.
  const isCurrent = () => isWanted() && live.runId === runId
  const isShown = await (wanted.run === null ? showRecorded(wanted, playground) : showKept(wanted.run, playground))
  if (!isCurrent()) return NOTHING_TO_REPORT
  if (!isShown) return whyNotShown(wanted.run, playground)
  if (wanted.spot === null) return NOTHING_TO_REPORT
  const { run } = playground.shown
  // Texts of early iterations are read back first.
  await run.want(Math.min(wanted.spot.iteration, run.viewFor('loop').current?.iteration ?? 0))
  if (!isCurrent()) return NOTHING_TO_REPORT
  const view = run.viewFor('loop')
  const last = view.current?.iteration ?? 0
  // Closing the page discards the iteration under way, which may be the one that the address names.
  const wasCut = wanted.run !== null && view.finished === null && wanted.spot.iteration === last + 1
  const { spot, problem } = findSpot(view, wasCut ? { ...wanted.spot, iteration: last, taskId: null } : wanted.spot)
  if (spot) focus.lookAt(spot)
  return { problem, isMissing: false }
}

/** A link without settings means the run that ships for the default ones. */
async function showRecorded({ spot, hasContent }: LinkedRun, playground: Playground): Promise<boolean> {
  const { world } = presetSettings(DEFAULT_PRESET)
  if (!hasContent && playground.world !== world) await playground.chooseWorld(world)
  await playground.showShipped()
  const { recorded } = playground
  if (spot && spot.iteration > recorded.iteration) recorded.seek(recorded.lastIteration)
  return playground.hasRecording
}

async function showKept(runId: string, playground: Playground): Promise<boolean> {
  if (isRecording(runId)) return (await playground.showRecording(runId)) === null
  if (playground.launcher.hasLiveRun && playground.live.runId === runId) {
    playground.show('live')
    return true
  }
  const completeId = playground.runs.completeId(runId)
  if (completeId === null) return false
  await playground.openKept(completeId)
  return playground.recorded.runId === completeId
}

function whyNotShown(runId: string | null, playground: Playground): Shown {
  if (runId === null) return { problem: NO_RECORDING, isMissing: false }
  if (isRecording(runId)) return { problem: noSuchRecording(runId), isMissing: false }
  return { problem: whyMissing(runId, playground), isMissing: playground.runs.completeId(runId) === null }
}

const NO_RECORDING =
  'The link names a step of the recorded run, which could not be loaded. Reload the page to try again.'

function noSuchRecording(name: string): string {
  return `The link names the recorded run ${name}, which could not be loaded: the network failed, or this version of the page has no such run. Results lists those that it has.`
}

function whyMissing(runId: string, { runs }: Playground): string {
  const entry = runs.entries?.find((each) => each.runId === runId)
  if (entry && !entry.isEvicted) return `The link names the run ${runId}, which could not be opened.`
  const how = 'Export it there under Runs, then drop the file on this page to see the step.'
  return entry
    ? `The link names the run ${runId}. To save space, this browser keeps only its curves. Another browser may still have the complete run. ${how}`
    : `The link names the run ${runId}, which is only in the browser that made it. ${how}`
}
