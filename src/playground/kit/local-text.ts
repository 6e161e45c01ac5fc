/**
 * Small texts in the browser's local storage. Where it is unavailable (private mode, full or forbidden), reads return null
 * and writes do nothing.
 */

export function readLocal(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Null removes the text. */
export function writeLocal(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    return
  }
}
