/**
 * What a model is shown, and how it names what it clicks:
 *
 *     text      what is new, in a few words                   click Rename
 *     marks     the same, and a numbered list of all that is on the screen      click 7
 *     table     the same, and OSWorld's table, with places on the grid of 640 × 480      click 194 100
 *     pixels    a picture alone, as the released code has it      click 303 208
 */
import type { Settings } from '../../../method/settings.ts'
import { openingText } from '../engine/observations.ts'
import type { DesktopState } from '../engine/state.ts'
import { screenDescription } from '../pixels/description.ts'
import type { Dialect } from './dialects.ts'
import { scene } from './scene.ts'
import { accessibilityTable, marksText } from './tables.ts'

export type ScreenText = Settings['screen']

export const DIALECT_OF: Readonly<Record<ScreenText, Dialect>> = {
  text: 'names',
  marks: 'marks',
  table: 'points',
  pixels: 'relative',
}

/** The first observation. */
export function openingScreen(state: DesktopState, instruction: string, screen: ScreenText): string {
  return screen === 'pixels'
    ? `Task: ${instruction}\n${screenDescription(state)}`
    : screenText(state, openingText(state, instruction), screen)
}

/** What the engine said, with the list or table behind it, or the screen as a picture. Over, an episode has no screen. */
export function screenText(state: DesktopState, said: string, screen: ScreenText): string {
  if (screen === 'text' || state.done) return said
  if (screen === 'pixels') return `The screen now:\n${screenDescription(state)}`
  const elements = scene(state)
  return `${said}\n${screen === 'marks' ? marksText(elements) : accessibilityTable(elements)}`
}
