/**
 * How much better a share has become on the same tasks, with its 95 % interval (Agresti & Min 2005, Statistics in Medicine 24):
 *
 *     d ± z √(b + c + 1 − (b − c)² / n') / n'          d = (b − c) / n',  n' = n + 2,  z = 1.96
 *
 * b tasks were won only after, c only before. Tasks won both times or never do not blur the difference, so this is narrower
 * than the interval of two shares of independent tasks.
 */
const Z = 1.959964

export interface PairedGain {
  /** Shares of the tasks, from -1 to 1. */
  gain: number
  low: number
  high: number
  tasks: number
}

/** Null without tasks. `better` were won only after, `worse` only before. */
export function pairedGain(better: number, worse: number, tasks: number): PairedGain | null {
  if (tasks === 0) return null
  const n = tasks + 2
  const middle = (better - worse) / n
  const half = (Z * Math.sqrt(better + worse + 1 - (better - worse) ** 2 / n)) / n
  return {
    gain: (better - worse) / tasks,
    low: Math.max(-1, middle - half),
    high: Math.min(1, middle + half),
    tasks,
  }
}
