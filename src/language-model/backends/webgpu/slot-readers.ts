import type { AttentionLayout } from '../../ops/attention-layout.ts'

/**
 * The inverse of the attention layout: which queries see a slot, for the gradients of keys and values. Neighbouring slots with the same
 * readers form one interval, and readers are ranges of consecutive queries, so this is small if prefixes are shared.
 */
export interface SlotReaders {
  /** [M] interval of each slot of the pool. */
  intervalOfSlot: Int32Array
  /** [I+1] CSR: ranges of interval i are rangeOffsets[i] .. rangeOffsets[i+1]-1 */
  rangeOffsets: Int32Array
  /** [3R] first query, one past the last, and 1 if a query sees only slots up to its own. */
  ranges: Int32Array
}

interface Reading {
  firstSlot: number
  endSlot: number
  firstQuery: number
  endQuery: number
  isOwnSegment: boolean
}

export function slotReaders(layout: AttentionLayout, slots: number): SlotReaders {
  const readings = readingsOf(layout)
  const cuts = [...new Set([0, slots, ...readings.flatMap(({ firstSlot, endSlot }) => [firstSlot, endSlot])])]
  const starts = cuts.sort((a, b) => a - b).slice(0, -1)
  const intervalAt = new Map(cuts.map((slot, interval) => [slot, interval]))

  const intervalOfSlot = new Int32Array(slots)
  const rangesOf = starts.map((start, interval): number[] => {
    intervalOfSlot.fill(interval, start, cuts[interval + 1])
    return []
  })
  for (const { firstSlot, endSlot, firstQuery, endQuery, isOwnSegment } of readings) {
    for (let interval = intervalAt.get(firstSlot)!; interval < intervalAt.get(endSlot)!; interval++)
      rangesOf[interval]!.push(firstQuery, endQuery, isOwnSegment ? 1 : 0)
  }
  const rangeOffsets = new Int32Array(starts.length + 1)
  for (const [interval, ranges] of rangesOf.entries())
    rangeOffsets[interval + 1] = rangeOffsets[interval]! + ranges.length / 3
  return { intervalOfSlot, rangeOffsets, ranges: Int32Array.from(rangesOf.flat()) }
}

/** All runs of slots that ranges of consecutive queries of one segment see, at least in part. */
function readingsOf(layout: AttentionLayout): Reading[] {
  const { querySegment, querySlot, segmentStart, spanOffsets, spanStart, spanLength } = layout
  const readings: Reading[] = []
  for (let firstQuery = 0, endQuery = 0; firstQuery < querySegment.length; firstQuery = endQuery) {
    const segment = querySegment[firstQuery]!
    let lastSlot = querySlot[firstQuery]!
    for (endQuery = firstQuery + 1; querySegment[endQuery] === segment; endQuery++)
      lastSlot = Math.max(lastSlot, querySlot[endQuery]!)
    const see = (firstSlot: number, endSlot: number, isOwnSegment: boolean) => {
      if (firstSlot < endSlot) readings.push({ firstSlot, endSlot, firstQuery, endQuery, isOwnSegment })
    }
    for (let span = spanOffsets[segment]!; span < spanOffsets[segment + 1]!; span++)
      see(spanStart[span]!, spanStart[span]! + spanLength[span]!, false)
    see(segmentStart[segment]!, lastSlot + 1, true)
  }
  return readings
}
