/**
 * Predicts what a changed setting would do to the run on show: λ or signal to the advantages of the newest judged batch,
 * thresholds to the measured tasks. The arithmetic is the loop's own (batch.ts, thresholds.ts).
 */
import { WORLDS } from '../../../worlds/index.ts'
import type { IterationView, RunView } from '../../../runs/fold.ts'
import type { Settings } from '../../../method/settings.ts'
import { batchOf, countFlips, isJudged, rederive, type BatchGroup } from '../../../runs/batch.ts'
import { counted } from '../../kit/format.ts'
import { measuredTasks } from '../../run/thresholds.ts'
import { settingsOf } from '../../run/trajectories.ts'

interface Forecast {
  sentence: string
  /** The part of the page with the details. */
  href: '#equation' | '#thresholds'
}

/** The newest judged iteration that is not released. */
export function judgedIteration(view: RunView): IterationView | null {
  return view.iterations.findLast((iteration) => !iteration.isReleased && isJudged(iteration)) ?? null
}

/** An iteration's groups with the settings that it ran with. */
export interface JudgedBatch {
  iteration: number
  had: Settings
  groups: readonly BatchGroup[]
}

export function judgedBatch(view: RunView): JudgedBatch | null {
  const iteration = judgedIteration(view)
  const had = iteration && settingsOf(view, iteration.iteration)
  return had && { iteration: iteration.iteration, had, groups: batchOf(view, iteration) }
}

/** Null if the batch already had this setting, or is of another world. */
export function advantagesForecast(
  { iteration, had, groups }: JudgedBatch,
  name: 'lambda' | 'signal',
  changed: Settings,
): Forecast | null {
  if (had.world !== changed.world || had[name] === changed[name]) return null
  const rederived = rederive(groups, had, { ...had, [name]: changed[name] })
  const { trained, flipped, stopped, started } = countFlips(rederived, 'policy')
  /** Advantages of the iteration under its own settings, as the Episodes view counts them. */
  const trainedThen = trained + stopped - started
  const others = [
    ...(stopped > 0 ? [`${stopped} would drop out`] : []),
    ...(started > 0 ? [`${started} would come in`] : []),
  ]
  return {
    sentence: `In iteration ${iteration}, ${flipped} of the policy’s ${counted(trainedThen, 'advantage')} would change sign${others.map((other) => `, ${other}`).join('')}.`,
    href: '#equation',
  }
}

/** Null if no task is measured, if the run has this band, or if it is of another world. */
export function thresholdForecast(view: RunView, name: 'alphaLow' | 'alphaHigh', changed: Settings): Forecast | null {
  const had = view.current ? settingsOf(view, view.current.iteration) : view.settings
  if (!had || had.world !== changed.world || had[name] === changed[name]) return null
  const direction = name === 'alphaLow' ? 'easier' : 'harder'
  const tasks = measuredTasks(view, { ...had, [name]: changed[name] })
  if (tasks.length === 0) return null
  const would = tasks.filter((task) => task.direction === direction).length
  const does = tasks.filter((task) => task.directionNow === direction).length
  return {
    sentence: `Of ${counted(tasks.length, `measured ${WORLDS[had.world].nouns.task}`)}, ${would} would be made ${direction} instead of ${does}.`,
    href: '#thresholds',
  }
}
