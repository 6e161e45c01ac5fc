/** Labels beside the marks of a chart: each is in the first row where it covers none of those before it. */
interface LabelSpan {
  start: number
  end: number
}

/** The row of each label, from 0. */
export function labelRows(spans: readonly LabelSpan[]): number[] {
  const rows: LabelSpan[][] = []
  return spans.map((span) => {
    const found = rows.findIndex((row) => row.every(({ start, end }) => span.end <= start || span.start >= end))
    const row = found === -1 ? rows.length : found
    ;(rows[row] ??= []).push(span)
    return row
  })
}
