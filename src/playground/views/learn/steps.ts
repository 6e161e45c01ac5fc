/** How far somebody has come in a lesson: what has been done of its steps, as the run and the controls have it. */
import type { RunView } from '../../../runs/fold.ts'
import type { LivePatch, Settings } from '../../../method/settings.ts'
import { areSettingsOf, isRunOf, type Lesson } from './lessons.ts'
import { settingsOf } from '../../run/trajectories.ts'

export interface LessonState {
  /** A person's own run. */
  view: RunView
  /** Whether it goes on, or could. */
  isOpen: boolean
  /** The settings on the controls. */
  draft: Settings
  isObserved: boolean
}

/**
 * done[0]: set up; done[i]: step i - 1 of the lesson. What comes after a step that is not done is not done either, so the
 * first that is not is what to do now.
 */
export function stepsDone(lesson: Lesson, { view, isOpen, draft, isObserved }: LessonState): boolean[] {
  if (isObserved) return [true, ...lesson.steps.map(() => true)]
  const isRun = isRunOf(lesson, view)
  const done = [isRun || (!isOpen && areSettingsOf(lesson, draft))]
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
