/**
 * What a model that reads is shown, and how it names what it clicks:
 *
 *     text      what is new, in a few words                   click Rename
 *     marks     the same, and a numbered list of all that is on the screen      click 7
 *     table     the same, and OSWorld's table, with places on the grid of 640 × 480      click 194 100
 */
import type { Settings } from '../../../method/settings.ts'
import type { DesktopState } from '../engine/state.ts'
import type { Dialect } from './dialects.ts'
import { scene } from './scene.ts'
import { accessibilityTable, marksText } from './tables.ts'

export type ScreenText = Settings['screen']

export const DIALECT_OF: Readonly<Record<ScreenText, Dialect>> = { text: 'names', marks: 'marks', table: 'points' }

/** What the engine said, with the list or table behind it. Nothing is on the screen once the episode is over. */
export function screenText(state: DesktopState, said: string, screen: ScreenText): string {
  if (screen === 'text' || state.done) return said
  const elements = scene(state)
  return `${said}\n${screen === 'marks' ? marksText(elements) : accessibilityTable(elements)}`
}
