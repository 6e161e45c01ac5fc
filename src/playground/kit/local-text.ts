/**
 * Small texts in the browser's local storage. Where it is unavailable (private mode, full or forbidden), reads return null
 * and writes do nothing.
 */
import { openTexts } from '../../storage/browser-storage.ts'

export function readLocal(key: string): string | null {
  try {
    return openTexts()?.getItem(key) ?? null
  } catch {
    return null
  }
}

/** Null removes the text. */
export function writeLocal(key: string, text: string | null): void {
  try {
    if (text === null) openTexts()?.removeItem(key)
    else openTexts()?.setItem(key, text)
  } catch {
    return
  }
}
