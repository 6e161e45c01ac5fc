/**
 * Wilson's interval of a share at 95 %:
 *
 *     (p + z²/2n ± z √(p (1 - p) / n + z²/4n²)) / (1 + z²/n)          z = 1.96
 *
 * Unlike p ± z √(p (1 - p) / n) it keeps its width when nothing or everything is won (Wilson 1927, JASA 22).
 */
const Z = 1.959964

/** Null without attempts. */
export function wilsonInterval(won: number, played: number): [low: number, high: number] | null {
  if (played === 0) return null
  const share = won / played
  const square = Z ** 2 / played
  const middle = share + square / 2
  const half = Z * Math.sqrt((share * (1 - share)) / played + square / (4 * played))
  // Rounding may leave [0, 1].
  return [Math.max(0, (middle - half) / (1 + square)), Math.min(1, (middle + half) / (1 + square))]
}
