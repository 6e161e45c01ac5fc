/**
 * Which settings on the controls a branch of a run applies: those that can change during a run (LIVE_SETTINGS). The others
 * are fixed at its start, each for a reason.
 */
import {
  LIVE_SETTINGS,
  isLiveSetting,
  type LivePatch,
  type LiveSetting,
  type Settings,
  type World,
} from '../../method/settings.ts'
import { WORLDS } from '../../worlds/index.ts'
import { settingsWithin } from '../../runs/branch.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { writeSettings } from './run-names.ts'
import { isRelevant, type SettingName } from './worlds.ts'

interface BranchChanges {
  /** The applied settings. */
  patch: LivePatch
  /** The other differences, among settings that are relevant in the run's world. */
  leftOut: Partial<Settings>
  /** The world of the controls if the run has another; then nothing is applied. */
  otherWorld: World | null
}

/** The settings of a run at the checkpoint of an iteration. */
export function settingsAt(run: Pick<RunSummary, 'settings' | 'changes' | 'checkpoints'>, iteration: number): Settings {
  const kept = run.checkpoints.find((checkpoint) => checkpoint.iteration === iteration)
  return settingsWithin(run, kept ?? { iteration, eventCount: 0 })
}

export function branchChanges(
  run: Pick<RunSummary, 'settings' | 'changes' | 'checkpoints'>,
  iteration: number,
  controls: Settings,
): BranchChanges {
  const then = settingsAt(run, iteration)
  const { world } = then
  if (controls.world !== world) return { patch: {}, leftOut: {}, otherWorld: controls.world }
  const pick = (names: readonly SettingName[]) =>
    Object.fromEntries(names.filter((name) => controls[name] !== then[name]).map((name) => [name, controls[name]]))
  const fixed = (Object.keys(then) as SettingName[]).filter((name) => !isLiveSetting(name) && isRelevant(name, world))
  return { patch: pick(LIVE_SETTINGS), leftOut: pick(fixed), otherWorld: null }
}

type Reason = 'seed' | 'tasks' | 'evaluation' | 'method'

const REASONS: Readonly<Record<Reason, string>> = {
  seed: 'a branch continues the random numbers of its run',
  tasks: 'the run drew its tasks at its start',
  evaluation: 'measurements must stay comparable',
  method: 'they define the method of the whole run',
}

/** For every fixed setting; the type checks that none is missing. */
const REASON_OF: Readonly<Record<Exclude<SettingName, LiveSetting>, Reason>> = {
  seed: 'seed',
  world: 'tasks',
  problems: 'tasks',
  games: 'tasks',
  dialect: 'tasks',
  explainRefusals: 'tasks',
  screen: 'tasks',
  desktopTasks: 'tasks',
  taskPoolSize: 'tasks',
  evaluationTasks: 'evaluation',
  evaluationRollouts: 'evaluation',
  evaluationMaxSteps: 'evaluation',
  evaluationTemperature: 'evaluation',
  judgeTasks: 'evaluation',
  profile: 'method',
  topP: 'method',
  rewardGrouping: 'method',
  rewardBalance: 'method',
  singleSurvivor: 'method',
  policyAccuracyLow: 'method',
  policyAccuracyHigh: 'method',
  rewardAccuracyLow: 'method',
  rewardAccuracyHigh: 'method',
  normAdvByStd: 'method',
  policyUpdatesPerIteration: 'method',
  rewardUpdatesPerIteration: 'method',
  clipRatioLow: 'method',
  clipRatioHigh: 'method',
  klEstimator: 'method',
  lossAggregation: 'method',
  maxGradNorm: 'method',
  weightDecay: 'method',
  importanceCap: 'method',
  rewriteAttempts: 'method',
  rewrites: 'method',
  remeasure: 'method',
}

/** "Seed 3: a branch continues …; Top-p 0.9, Weight decay 0.1: they define …"; null if nothing is left out. */
export function leftOutReasons(leftOut: Partial<Settings>, world: World): string | null {
  const parts = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const names = (Object.keys(leftOut) as SettingName[]).filter(
      (name) => !isLiveSetting(name) && REASON_OF[name] === reason,
    )
    const own = Object.fromEntries(names.map((name) => [name, leftOut[name]])) as Partial<Settings>
    return names.length === 0 ? [] : [`${writeSettings(own, world)}: ${REASONS[reason]}`]
  })
  return parts.length === 0 ? null : parts.join('; ')
}

export function otherWorldSentence(run: World, controls: World): string {
  return (
    `This run plays ${WORLDS[run].title.toLowerCase()}, but your settings are for ` +
    `${WORLDS[controls].title.toLowerCase()}. Choose ${WORLDS[run].title} to change settings for a branch.`
  )
}
