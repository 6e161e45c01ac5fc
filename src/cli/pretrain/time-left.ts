/** "about 7 min left", if the rest goes as fast as the share in (0, 1] that is done. */
export function timeLeft(doneShare: number, elapsedMs: number): string {
  if (doneShare >= 1) return 'done'
  const minutes = (elapsedMs * (1 / doneShare - 1)) / 60_000
  return minutes < 1 ? 'less than a minute left' : `about ${Math.round(minutes)} min left`
}
