import type { AttentionLayout } from '../../ops/attention-layout.ts'

interface LayoutExtent {
  /** The most slots that any query sees. */
  visible: number
  /** One more than the last slot that any query sees: the pool's minimum size. */
  slots: number
}

/** All layers and both directions of a batch share a layout, so the result is cached as long as it lives. */
const extentOfLayout = new WeakMap<AttentionLayout, LayoutExtent>()

/** The most slots that any query sees. Throws for a layout that reaches outside the pool, before a kernel reads there. */
export function maximumVisible(layout: AttentionLayout, poolSlots: number): number {
  const extent = extentOfLayout.get(layout) ?? measureLayout(layout)
  extentOfLayout.set(layout, extent)
  if (extent.slots > poolSlots) {
    throw new RangeError(
      `The attention layout reaches slot ${extent.slots - 1} of a pool with ${poolSlots} slots. Make the pool larger or correct the layout.`,
    )
  }
  return extent.visible
}

function measureLayout({
  querySegment,
  querySlot,
  segmentStart,
  spanOffsets,
  spanStart,
  spanLength,
}: AttentionLayout): LayoutExtent {
  const extent = { visible: 0, slots: 0 }
  const prefix = new Int32Array(segmentStart.length)
  for (let segment = 0; segment < prefix.length; segment++) {
    for (let span = spanOffsets[segment]!; span < spanOffsets[segment + 1]!; span++) {
      prefix[segment]! += spanLength[span]!
      checkOrder(spanStart[span]!, spanStart[span]! + spanLength[span]!)
      extent.slots = Math.max(extent.slots, spanStart[span]! + spanLength[span]!)
    }
  }
  for (let query = 0; query < querySegment.length; query++) {
    const start = segmentStart[querySegment[query]!]!
    const end = querySlot[query]! + 1
    checkOrder(start, end - 1)
    extent.slots = Math.max(extent.slots, end)
    extent.visible = Math.max(extent.visible, prefix[querySegment[query]!]! + end - start)
  }
  return extent
}

function checkOrder(start: number, end: number): void {
  if (!(start >= 0 && end >= start)) {
    throw new RangeError(
      `The attention layout has a run of slots from ${start} to ${end}. Runs start at 0 or later and end after they start.`,
    )
  }
}
