/** Which place of a run is on show, and the nearest one that there is to a place that a link names. */
import type { IterationView, RunView } from '../../runs/fold.ts'
import type { Spot } from './spot.ts'
import { counted } from '../kit/format.ts'
import { groupChoices, mostTelling, settingsOf } from './trajectories.ts'

/** What a person chose; null follows the run, or takes the most telling group. */
export interface Chosen extends Omit<Spot, 'iteration'> {
  iteration: number | null
}

/** The place that is on show where a person chose this much; null where the run has nothing yet. */
export function shownSpot(view: RunView, chosen: Chosen): Spot | null {
  const { iteration: number, taskId, rollout, step, test, isOnHeads } = chosen
  const iteration = (number === null ? null : view.iteration(number)) ?? view.current
  const task = iteration && shownTask(view, iteration, taskId)
  if (!iteration || task === null) return null
  const { rollouts, steps, tests } = sizes(view, iteration, task, rollout)
  return {
    iteration: iteration.iteration,
    taskId: task,
    rollout: nearest(rollout, rollouts),
    step: test === null ? nearest(step, steps) : 0,
    test: test === null || tests === 0 ? null : nearest(test, tests),
    isOnHeads: isOnHeads && tests > 0,
  }
}

function shownTask(view: RunView, iteration: IterationView, taskId: string | null): string | null {
  const choices = groupChoices(view, iteration)
  if (choices.some((choice) => choice.taskId === taskId)) return taskId
  return iteration.isFinished ? mostTelling(choices) : (choices[0]?.taskId ?? null)
}

/** Brought into [0, count). */
const nearest = (index: number, count: number) => Math.max(0, Math.min(index, count - 1))

/** How much there is of what a place names. A coding task has columns for its hidden tests and for the written ones. */
function sizes(view: RunView, iteration: IterationView, taskId: string, rollout: number) {
  const episodes = iteration.episodes
    .map(({ episode }) => episode)
    .filter((episode) => episode.taskId === taskId)
    .sort((a, b) => a.rollout - b.rollout)
  const steps = episodes[nearest(rollout, episodes.length)]?.steps.length ?? 0
  const hidden = Math.max(0, ...episodes.map((episode) => episode.steps[0]?.tests?.length ?? 0))
  const isCoding = settingsOf(view, iteration.iteration)?.world === 'coding'
  const written = view.testsFor(iteration.iteration, taskId)?.written.tests.length ?? 0
  return { rollouts: episodes.length, steps, tests: isCoding ? hidden + written : 0 }
}

export interface FoundSpot {
  /** Null where the run has nothing to look at. */
  spot: Spot | null
  /** What of the place there is not, and what is shown instead; null where all of it is there. */
  problem: string | null
}

/** The place in the run, or the nearest. The episodes of its iteration must not be let go of (`RunView.restore`). */
export function findSpot(view: RunView, wanted: Spot): FoundSpot {
  const last = view.current?.iteration ?? 0
  if (last === 0) return { spot: null, problem: 'This run has no iteration yet, so there is no step to show.' }
  const iteration = Math.min(wanted.iteration, last)
  const spot = shownSpot(view, { ...wanted, iteration })
  if (spot === null) return { spot: null, problem: `Iteration ${iteration} of this run has no episode to show.` }
  return { spot, problem: wanted.iteration > last ? beyondTheEnd(wanted.iteration, last) : missing(view, wanted, spot) }
}

function beyondTheEnd(wanted: number, last: number): string {
  return `The link is to iteration ${wanted}, but this run has ${last}. The nearest is shown: iteration ${last}.`
}

function missing(view: RunView, wanted: Spot, spot: Spot): string | null {
  const where = `in iteration ${spot.iteration}`
  if (wanted.taskId === null) return null
  if (spot.taskId !== wanted.taskId)
    return `The link is to the task “${wanted.taskId}”, which was not played ${where}. Another task of that iteration is shown.`
  const { rollouts, steps, tests } = sizes(view, view.iteration(spot.iteration)!, wanted.taskId, wanted.rollout)
  const instead = (what: string, number: number) => `The nearest is shown: ${what} ${number + 1}.`
  if (spot.rollout !== wanted.rollout)
    return `The link is to rollout ${wanted.rollout + 1}, but this task has ${counted(rollouts, 'rollout')} ${where}. ${instead('rollout', spot.rollout)}`
  if (wanted.test !== null && spot.test === null)
    return 'The link is to a test, but this task has none. Its program or step is shown.'
  if (wanted.test !== null && spot.test !== null && spot.test !== wanted.test)
    return `The link is to test ${wanted.test + 1}, but this task has ${counted(tests, 'test')} ${where}. ${instead('test', spot.test)}`
  if (spot.test === null && spot.step !== wanted.step)
    return `The link is to step ${wanted.step + 1}, but this rollout has ${counted(steps, 'step')}. ${instead('step', spot.step)}`
  return null
}
