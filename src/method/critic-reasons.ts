/** Reasons with their counts as one short line, which the author reads: "nothing happened x12; place seen before x7". */
export const CRITIC_SUMMARY_MAX_LENGTH = 240
/** Longer reasons are cut here: a language model's reasoning runs to paragraphs. */
export const CRITIC_REASON_MAX_LENGTH = 100

/** As many reasons as fit, by falling count, equal counts by their text. */
export function countedReasons(
  counts: ReadonlyMap<string, number>,
  maxLength: number = CRITIC_SUMMARY_MAX_LENGTH,
): string {
  const entries = [...counts]
    .sort(
      ([reasonA, countA], [reasonB, countB]) => countB - countA || (reasonA < reasonB ? -1 : reasonA > reasonB ? 1 : 0),
    )
    .map(([reason, count]) => `${reason} x${count}`)
  let summary = ''
  for (const entry of entries) {
    const longer = summary === '' ? entry : `${summary}; ${entry}`
    if (longer.length > maxLength) break
    summary = longer
  }
  return summary
}

/** One line, single spaces, no full stop at the end, and no ';', which separates the reasons. */
export function compactReason(reasoning: string, maxLength: number = CRITIC_REASON_MAX_LENGTH): string {
  const line = reasoning
    .replaceAll(';', ',')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[.,\s]+$/u, '')
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1)
  const lastSpace = cut.lastIndexOf(' ')
  return `${cut.slice(0, lastSpace > 0 ? lastSpace : cut.length)}…`
}
