/** What this person likes, kept on this machine only. */
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
    write({ theme })
  }
}

function read(): { theme?: string } {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as { theme?: string }
  } catch {
    return {}
  }
}

/** A browser that keeps nothing (private mode, storage full) only forgets. */
function write(preferences: { theme: Theme }): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences))
  } catch {
    return
  }
}
