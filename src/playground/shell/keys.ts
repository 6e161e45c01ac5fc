/** Keys of the page, which act on what is on show. */
import type { Playground } from '../state/playground.svelte.ts'

/** Fields without text to type. */
const TEXTLESS = new Set(['checkbox', 'radio', 'range'])

/**
 * Handles a key unless a person is typing, pressing a control or in a dialog. `goTo` opens a group of views by its number, from 1. Null
 * while no run is on show.
 */
export function handleKey(event: KeyboardEvent, playground: Playground | null, goTo: (group: number) => void): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  const target = event.target as HTMLElement
  // A dialog covers the views.
  if (target.closest('dialog')) return
  const field = target.closest('input, select, textarea')
  if (field && !(field instanceof HTMLInputElement && TEXTLESS.has(field.type))) return
  if (/^[1-9]$/.test(event.key)) return goTo(Number(event.key))
  if (target.closest('[role="grid"]')) return
  if (event.key === ' ' && target.closest('button, summary, a, input')) return
  const action = playground && actionOf(event.key, playground)
  if (!action) return
  event.preventDefault()
  action()
}

function actionOf(key: string, playground: Playground): (() => void) | undefined {
  const { recorded, live, launcher } = playground
  const isRecorded = playground.source === 'recorded'
  const actions: Record<string, () => void> = isRecorded
    ? {
        ' ': () => playground.toggleReplay(),
        '.': () => playground.seek(recorded.iteration + 1),
        ',': () => playground.seek(recorded.iteration - 1),
        '[': () => recorded.shiftSpeed(-1),
        ']': () => recorded.shiftSpeed(1),
      }
    : {
        ' ': () => void launcher.runOrPause(),
        '.': () => void launcher.step(),
        ',': () => {},
        '[': () => (live.isSlow = true),
        ']': () => (live.isSlow = false),
      }
  return actions[key]
}
