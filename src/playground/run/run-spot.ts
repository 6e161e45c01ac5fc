/** Decides which place of a run is on show, and finds the place nearest to the one that a link names. */
import type { StepHappened } from '../../method/events.ts'
import type { Settings } from '../../method/settings.ts'
import type { IterationView, RunView } from '../../runs/fold.ts'
import { counted } from '../kit/format.ts'
import { isJudged } from '../../runs/batch.ts'
import type { Spot } from './spot.ts'
import {
  group as groupOf,
  groupChoices,
  mostTelling,
  settingsOf,
  type GroupChoice,
  type GroupView,
} from './trajectories.ts'

/** What a person chose; null follows the run, or takes the most telling group. */
export interface Chosen extends Omit<Spot, 'iteration'> {
  iteration: number | null
}

export const NOTHING_CHOSEN: Chosen = {
  iteration: null,
  taskId: null,
  rollout: 0,
  step: 0,
  test: null,
  isOnHeads: false,
}

/** A task in an iteration, with all of its rollouts. */
export interface ShownGroup {
  iteration: IterationView
  /** The settings that the iteration ran with. */
  settings: Settings
  /** The tasks of the iteration. */
  choices: GroupChoice[]
  group: GroupView
  /** How many tests a program has: the hidden ones come first, then those that the reward model wrote. */
  tests: { hidden: number; written: number }
}

/**
 * The chosen task of the chosen iteration. Without a choice, the newest iteration and its most telling task, or, before
 * the iteration is judged, the first one drawn. Null if the run has no such group yet. `live` are the steps of
 * episodes that are being rolled out.
 */
export function groupOnShow(
  view: RunView,
  chosen: Pick<Chosen, 'iteration' | 'taskId'>,
  live?: ReadonlyMap<string, readonly StepHappened[]>,
): ShownGroup | null {
  const iteration = (chosen.iteration === null ? null : view.iteration(chosen.iteration)) ?? view.current
  const settings = iteration && settingsOf(view, iteration.iteration)
  if (!iteration || !settings) return null
  const choices = groupChoices(view, iteration)
  const taskId = choices.some((choice) => choice.taskId === chosen.taskId)
    ? chosen.taskId
    : isJudged(iteration) || iteration.isFinished
      ? mostTelling(choices)
      : (choices[0]?.taskId ?? null)
  if (taskId === null) return null
  const group = groupOf(iteration, taskId, settings.profile, iteration === view.current ? live : undefined)
  return { iteration, settings, choices, group, tests: testsOf(view, iteration, taskId) }
}

function testsOf(view: RunView, { iteration, episodes }: IterationView, taskId: string) {
  const programs = episodes.filter(({ episode }) => episode.taskId === taskId)
  return {
    hidden: Math.max(0, ...programs.map(({ episode }) => episode.steps[0]?.tests?.length ?? 0)),
    written: view.testsFor(iteration, taskId)?.written.tests.length ?? 0,
  }
}

/** The chosen place in a group, or the nearest that exists. */
export function spotIn({ iteration, group, tests }: ShownGroup, chosen: Chosen): Spot & { taskId: string } {
  const { trajectories } = group
  const rollout = nearest(chosen.rollout, trajectories.length)
  const count = tests.hidden + tests.written
  const test = chosen.test === null || count === 0 ? null : nearest(chosen.test, count)
  return {
    iteration: iteration.iteration,
    taskId: group.taskId,
    rollout,
    step: chosen.test === null ? nearest(chosen.step, trajectories[rollout]?.steps.length ?? 0) : 0,
    test,
    isOnHeads: chosen.isOnHeads && count > 0,
  }
}

/** Clamps an index to [0, count). */
const nearest = (index: number, count: number) => Math.max(0, Math.min(index, count - 1))

interface FoundSpot {
  /** Null if the run has nothing to show. */
  spot: Spot | null
  /** Which part of the place does not exist and what is shown instead; null if all of it exists. */
  problem: string | null
}

/** Finds the place in the run, or the nearest. Its iteration must not be released (`RunView.restore`). */
export function findSpot(view: RunView, wanted: Spot): FoundSpot {
  const last = view.current?.iteration ?? 0
  if (last === 0) return { spot: null, problem: 'This run has no iteration yet, so there is no step to show.' }
  const iteration = Math.min(wanted.iteration, last)
  const shown = groupOnShow(view, { iteration, taskId: wanted.taskId })
  if (shown === null) return { spot: null, problem: `Iteration ${iteration} of this run has no episode to show.` }
  const spot = spotIn(shown, { ...wanted, iteration })
  return {
    spot,
    problem: wanted.iteration > last ? beyondTheEnd(wanted.iteration, last) : missing(shown, wanted, spot),
  }
}

function beyondTheEnd(wanted: number, last: number): string {
  return `The link is to iteration ${wanted}, but this run has ${last}. The nearest is shown: iteration ${last}.`
}

function missing({ group, tests }: ShownGroup, wanted: Spot, spot: Spot): string | null {
  const where = `in iteration ${spot.iteration}`
  if (wanted.taskId === null) return null
  if (spot.taskId !== wanted.taskId)
    return `The link is to the task “${wanted.taskId}”, which was not played ${where}. Another task of that iteration is shown.`
  const { trajectories } = group
  const instead = (what: string, number: number) => `The nearest is shown: ${what} ${number + 1}.`
  if (spot.rollout !== wanted.rollout)
    return `The link is to rollout ${wanted.rollout + 1}, but this task has ${counted(trajectories.length, 'rollout')} ${where}. ${instead('rollout', spot.rollout)}`
  if (wanted.test !== null && spot.test === null)
    return 'The link is to a test, but this task has none. Its program or step is shown.'
  if (wanted.test !== null && spot.test !== null && spot.test !== wanted.test)
    return `The link is to test ${wanted.test + 1}, but this task has ${counted(tests.hidden + tests.written, 'test')} ${where}. ${instead('test', spot.test)}`
  if (spot.test === null && spot.step !== wanted.step)
    return `The link is to step ${wanted.step + 1}, but this rollout has ${counted(trajectories[spot.rollout]?.steps.length ?? 0, 'step')}. ${instead('step', spot.step)}`
  return null
}
