/** What of a desktop is drawn: its title, its elements with their places, and what a dialog covers. */
import { APPS } from '../../../worlds/desktop/engine/facts.ts'
import { dialogForm } from '../../../worlds/desktop/engine/dialog-form.ts'
import { pageTitle } from '../../../worlds/desktop/engine/elements.ts'
import type { DesktopState } from '../../../worlds/desktop/engine/state.ts'
import { scene, type SceneElement } from '../../../worlds/desktop/scene/scene.ts'

export interface ScreenView {
  /** "Files: Pictures"; '' where nothing is in front. */
  title: string
  dock: 'left' | 'bottom'
  /** What can be clicked. */
  elements: readonly SceneElement[]
  /** What a dialog covers; empty without one. */
  covered: readonly SceneElement[]
  hasDialog: boolean
  /** Name of the field that typing goes to, if a dialog has one. */
  focused: string | null
}

export function screenView(state: DesktopState): ScreenView {
  const { dialog, front, game } = state
  return {
    title: front < 0 ? '' : `${APPS[front]!}: ${pageTitle(state, front)}`,
    dock: game.layout.dock,
    elements: scene(state),
    covered: dialog ? scene({ ...state, dialog: null }) : [],
    hasDialog: dialog !== null,
    focused: dialog ? (dialogForm(state, dialog).fields[dialog.focus] ?? null) : null,
  }
}
