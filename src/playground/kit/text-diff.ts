/**
 * The difference of two texts by words: a longest common subsequence of words and the spaces between them. Longer texts are
 * compared by lines, and still longer ones as wholes.
 */

export interface DiffPart {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Limits the table of the subsequence: about 10 ms. */
const MOST_CELLS = 2_000_000

export function textDiff(before: string, after: string): DiffPart[] {
  for (const split of [words, lines]) {
    const parts = sequenceDiff(split(before), split(after))
    if (parts) return parts
  }
  return joined([
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ])
}

const words = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
const lines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Null if the table would be too large. */
function sequenceDiff(a: readonly string[], b: readonly string[]): DiffPart[] | null {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const n = a.length - start - end
  const m = b.length - start - end
  if ((n + 1) * (m + 1) > MOST_CELLS) return null
  // common[i][j]: length of the longest common subsequence of a[i…] and b[j…], both within the changed middle.
  const width = m + 1
  const common = new Uint32Array((n + 1) * width)
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      common[i * width + j] =
        a[start + i] === b[start + j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const parts: DiffPart[] = a.slice(0, start).map((text) => ({ kind: 'same', text }))
  let i = 0
  let j = 0
  while (i < n || j < m) {
    if (i < n && j < m && a[start + i] === b[start + j]) {
      parts.push({ kind: 'same', text: a[start + i++]! })
      j++
    } else if (j === m || (i < n && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      parts.push({ kind: 'removed', text: a[start + i++]! })
    } else parts.push({ kind: 'added', text: b[start + j++]! })
  }
  for (const text of a.slice(a.length - end)) parts.push({ kind: 'same', text })
  return joined(parts)
}

/**
 * Merges neighbours of one kind. A space between two changes goes into both: otherwise a rewritten sentence would alternate
 * word by word.
 */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = []
  let removed = ''
  let added = ''
  const flush = () => {
    if (removed) result.push({ kind: 'removed', text: removed })
    if (added) result.push({ kind: 'added', text: added })
    removed = added = ''
  }
  for (const [index, { kind, text }] of parts.entries()) {
    const next = parts[index + 1]
    const isBridge =
      kind === 'same' && /^\s+$/.test(text) && removed !== '' && added !== '' && next && next.kind !== 'same'
    if (kind === 'removed' || isBridge) removed += text
    if (kind === 'added' || isBridge) added += text
    if (kind !== 'same' || isBridge) continue
    flush()
    const last = result.at(-1)
    if (last?.kind === 'same') last.text += text
    else result.push({ kind: 'same', text })
  }
  flush()
  return result
}
