/** Preferences, stored in this browser. */
import { readLocal, writeLocal } from '../kit/local-text.ts'

const KEY = 'playground.preferences'
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export class Preferences {
  #theme = $state.raw<Theme>('system')

  constructor() {
    const stored = read().theme
    if (THEMES.includes(stored as Theme)) this.#theme = stored as Theme
  }

  get theme(): Theme {
    return this.#theme
  }

  setTheme(theme: Theme): void {
    this.#theme = theme
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    writeLocal(KEY, JSON.stringify({ theme }))
  }
}

function read(): { theme?: string } {
  try {
    return JSON.parse(readLocal(KEY) ?? '{}') as { theme?: string }
  } catch {
    return {}
  }
}
