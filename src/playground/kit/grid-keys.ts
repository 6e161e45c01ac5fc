/** Keys that move the focus in a grid. */
export interface GridPlace {
  row: number
  column: number
}

type Key = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey'>

/** Where an arrow key, Home or End leads in rows of these lengths. Null for other keys, and with a modifier: Alt and ← is Back. */
export function placeAfter(event: Key, at: GridPlace, lengths: readonly number[]): GridPlace | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null
  const to = {
    ArrowRight: { row: at.row, column: at.column + 1 },
    ArrowLeft: { row: at.row, column: at.column - 1 },
    ArrowDown: { row: at.row + 1, column: at.column },
    ArrowUp: { row: at.row - 1, column: at.column },
    Home: { row: at.row, column: 0 },
    End: { row: at.row, column: Infinity },
  }[event.key]
  if (!to) return null
  const row = within(to.row, lengths.length)
  return { row, column: within(to.column, lengths[row] ?? 0) }
}

function within(at: number, length: number): number {
  return Math.max(0, Math.min(length - 1, at))
}
