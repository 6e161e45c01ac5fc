/**
 * Three ways of naming what is clicked; everything else is the same in all of them:
 *
 *     names     click Rename
 *     marks     click 7              the number in the list of marks
 *     points    click 194 100        a point of the 640 × 480 grid
 */
import { clickStep, step, type StepOutcome } from '../engine/step.ts'
import type { DesktopState } from '../engine/state.ts'
import { elementAt, scene } from './scene.ts'

export const DIALECTS = ['names', 'marks', 'points'] as const
export type Dialect = (typeof DIALECTS)[number]

const MARK = /^(?:click|open) (\d+)$/
const POINT = /^(?:click|open) (\d+)[ ,]+(\d+)$/

/** Plays a command in a dialect and changes `state`. A click on nothing costs a step like any other. */
export function stepIn(state: DesktopState, text: string, dialect: Dialect): StepOutcome {
  const trimmed = text.trim()
  if (dialect === 'names' || !/^(?:click|open) /.test(trimmed)) return step(state, text)
  const elements = scene(state)
  const mark = dialect === 'marks' ? MARK.exec(trimmed) : null
  const point = dialect === 'points' ? POINT.exec(trimmed) : null
  const found = mark
    ? elements[Number(mark[1]) - 1]
    : point
      ? elementAt(elements, Number(point[1]), Number(point[2]))
      : null
  return clickStep(state, found?.effect ?? { kind: 'none' })
}
