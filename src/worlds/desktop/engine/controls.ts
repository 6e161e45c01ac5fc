/** Switches, choices and levels of Settings and of the browser's preferences, and bookmarks. */
import { BROWSER, LEVELS, preferencesPage } from './facts.ts'
import { showPage, withAt, type DesktopState, type Dialog } from './state.ts'
import { valueText } from './values.ts'

function setValue(state: DesktopState, index: number, value: number): string {
  state.facts = { ...state.facts, values: withAt(state.facts.values, index, value) }
  const control = state.game.desktop.controls[index]!
  return `${control.name} is ${valueText(control, value)}.`
}

/** Null if refused; a choice opens its dialog instead. */
export function useControl(state: DesktopState, index: number, change: number): string | null {
  const control = state.game.desktop.controls[index]!
  const value = state.facts.values[index]!
  if (control.disabled !== '') return null
  if (control.kind === 'switch') return setValue(state, index, 1 - value)
  const next = value + change
  return next < 0 || next > LEVELS ? null : setValue(state, index, next)
}

export const chooseOption = (state: DesktopState, { control, choice }: Dialog): string | null =>
  state.facts.values[control] === choice ? null : setValue(state, control, choice)

/** Removes the bookmark of the page in view; undefined if there is none to remove. */
export function removeBookmark(state: DesktopState): string | undefined {
  const page = state.pages[BROWSER]!
  const { bookmarks } = state.facts
  if ((bookmarks[page] ?? -1) < 0) return undefined
  state.facts = { ...state.facts, bookmarks: withAt(bookmarks, page, -1) }
  return `${state.game.desktop.site[page]!.name} has no bookmark.`
}

export const isBookmarkable = (state: DesktopState): boolean =>
  state.pages[BROWSER]! !== preferencesPage(state.game.desktop)

export function confirmBookmark(state: DesktopState, { choice }: Dialog): string | null {
  if (choice < 0) return null
  const page = state.pages[BROWSER]!
  const { site, bookmarkFolders } = state.game.desktop
  state.facts = { ...state.facts, bookmarks: withAt(state.facts.bookmarks, page, choice) }
  return `${site[page]!.name} is bookmarked in ${bookmarkFolders[choice]!}.`
}

export function showPreferences(state: DesktopState): void {
  showPage(state, BROWSER, preferencesPage(state.game.desktop))
}
