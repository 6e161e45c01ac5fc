/**
 * Small texts that this browser keeps for the page. One that keeps nothing (private mode, storage full or forbidden) has
 * nothing to tell, and forgets with the visit.
 */

/** Null where nothing is kept. */
export function readLocal(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function writeLocal(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    return
  }
}
