/** Which steps of a lesson are done, judged by the run and the controls. */
import type { RunView } from '../../../runs/fold.ts'
import type { LivePatch, Settings } from '../../../method/settings.ts'
import { areSettingsOf, isRunOf, type Lesson } from './lesson.ts'
import { settingsOf } from '../../run/trajectories.ts'

export interface LessonState {
  /** Your own run. */
  view: RunView
  /** Whether the run continues or could. */
  isOpen: boolean
  /** The settings on the controls. */
  draft: Settings
  isObserved: boolean
}

/**
 * done[0] is setting up, done[i] step i - 1 of the lesson. No step is done before the ones ahead of it, so the first
 * that is not done is the current one.
 */
export function stepsDone(lesson: Lesson, { view, isOpen, draft, isObserved }: LessonState): boolean[] {
  if (isObserved) return [true, ...lesson.steps.map(() => true)]
  const isRun = isRunOf(lesson, view)
  // A run that is being opened has not said its settings yet: it takes those on the controls.
  const isOpening = isOpen && view.started === null
  const done = [isRun || ((!isOpen || isOpening) && areSettingsOf(lesson, draft))]
  let settings: Partial<Settings> = lesson.difference
  for (const { change, press, iterations } of lesson.steps) {
    if (change) settings = { ...settings, ...change }
    const isNow =
      iterations !== undefined
        ? finishedWith(view, settings) >= iterations
        : change
          ? matches(draft, change)
          : press === 'policy'
            ? view.iterations.some(({ policyUpdate, rewardUpdate }) => policyUpdate && !rewardUpdate)
            : false
    done.push(done.at(-1)! && isRun && isNow)
  }
  return done
}

function matches(settings: Settings, wanted: Partial<Settings> | LivePatch): boolean {
  return (Object.entries(wanted) as [keyof Settings, Settings[keyof Settings]][]).every(
    ([name, value]) => settings[name] === value,
  )
}

function finishedWith(view: RunView, wanted: Partial<Settings>): number {
  return view.iterations.filter(({ iteration, isFinished }) => {
    const settings = isFinished ? settingsOf(view, iteration) : null
    return settings !== null && matches(settings, wanted)
  }).length
}
