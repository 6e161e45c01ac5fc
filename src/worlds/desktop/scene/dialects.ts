/**
 * Four ways of naming what is clicked; everything else is the same in all of them:
 *
 *     names     click Rename
 *     marks     click 7              the number in the list of marks
 *     points    click 194 100        a point of the 640 × 480 grid
 *     relative  click 303 208        a point of a screen declared to be 1,000 wide and high, as the released agents have it
 */
import { parseCommand } from '../engine/commands.ts'
import type { DesktopState } from '../engine/state.ts'
import { canBeOpened, clickStep, step, type StepOutcome } from '../engine/step.ts'
import { elementAt, HEIGHT, scene, WIDTH, type SceneElement } from './scene.ts'

export const DIALECTS = ['names', 'marks', 'points', 'relative'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Width and height of the screen in the dialect `relative`. */
export const RELATIVE = 1000

const MARK = /^(?:click|open) (\d+)$/
const POINT = /^(?:click|open) (\d+)[ ,]+(\d+)$/

/** What a click or double click in a dialect is on; null where it is on nothing, and for every other command. */
export function clicked(state: DesktopState, text: string, dialect: Dialect): SceneElement | null {
  const trimmed = text.trim()
  const elements = scene(state)
  switch (dialect) {
    case 'names': {
      const command = parseCommand(trimmed)
      if (command?.verb !== 'click' && command?.verb !== 'open') return null
      return elements.find(({ name }) => name === command.name) ?? null
    }
    case 'marks': {
      const mark = MARK.exec(trimmed)
      return (mark && elements[Number(mark[1]) - 1]) ?? null
    }
    case 'points':
    case 'relative': {
      const point = POINT.exec(trimmed)
      if (!point) return null
      const [x, y] = [Number(point[1]), Number(point[2])]
      if (dialect === 'points') return elementAt(elements, x, y)
      return elementAt(elements, Math.floor((x * WIDTH) / RELATIVE), Math.floor((y * HEIGHT) / RELATIVE))
    }
  }
}

/** Plays a command in a dialect and changes `state`. A click on nothing costs a step like any other. */
export function stepIn(state: DesktopState, text: string, dialect: Dialect): StepOutcome {
  const [, verb] = /^(click|open) /.exec(text.trim()) ?? []
  if (dialect === 'names' || verb === undefined) return step(state, text)
  const effect = clicked(state, text, dialect)?.effect
  const isRefused = !effect || (verb === 'open' && !canBeOpened(effect))
  return clickStep(state, isRefused ? { kind: 'none' } : effect)
}
