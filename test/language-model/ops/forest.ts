import fc from 'fast-check'
import type { AttentionLayout } from '../../../src/language-model/ops/index.ts'

interface Segment {
  ancestors: { segment: number; length: number }[]
  start: number
  length: number
}

export interface Forest {
  layout: AttentionLayout
  queries: number
  slots: number
}

/** Random forests as in training: the pool is the flat batch, and a child may see only a prefix of its parent. */
export const trainingForest = (maximumLength = 14, maximumSegments = 6): fc.Arbitrary<Forest> =>
  fc
    .array(fc.record({ length: fc.integer({ min: 1, max: maximumLength }), parent: fc.nat(), prefix: fc.nat() }), {
      minLength: 1,
      maxLength: maximumSegments,
    })
    .map((descriptions) => {
      const segments: Segment[] = []
      for (const { length, parent, prefix } of descriptions) {
        const start = segments.reduce((sum, segment) => sum + segment.length, 0)
        const choice = parent % (segments.length + 1)
        const above = segments[choice]
        const ancestors = above ? [...above.ancestors, { segment: choice, length: 1 + (prefix % above.length) }] : []
        segments.push({ ancestors, start, length })
      }
      const slots = segments.reduce((sum, segment) => sum + segment.length, 0)
      return {
        queries: slots,
        slots,
        layout: layoutOf(
          segments,
          segments.flatMap((segment, s) =>
            Array.from({ length: segment.length }, (_, i) => ({ segment: s, slot: segment.start + i })),
          ),
        ),
      }
    })

/** Random states of sampling: a pool with unused slots, and the last few tokens of every segment as queries. */
export const samplingForest: fc.Arbitrary<Forest> = fc
  .tuple(trainingForest(), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 9 }))
  .map(([{ layout, slots }, last, unused]) => {
    const keep = [...layout.querySegment.keys()].filter((n) => {
      const next = layout.segmentStart[layout.querySegment[n]! + 1] ?? slots
      return n >= next - last
    })
    return {
      queries: keep.length,
      slots: slots + unused,
      layout: {
        ...layout,
        querySegment: Int32Array.from(keep, (n) => layout.querySegment[n]!),
        querySlot: Int32Array.from(keep),
      },
    }
  })

/** The same with the queries of every segment in the reverse order, as when sampling reads a cached token again after its successors. */
export const reversed = (forest: Forest): Forest => ({
  ...forest,
  layout: {
    ...forest.layout,
    querySegment: forest.layout.querySegment.toReversed(),
    querySlot: forest.layout.querySlot.toReversed(),
  },
})

function layoutOf(segments: Segment[], queries: { segment: number; slot: number }[]): AttentionLayout {
  const spanOffsets = Int32Array.from(
    { length: segments.length + 1 },
    (_, s) => segments.slice(0, s).flatMap((segment) => segment.ancestors).length,
  )
  const spans = segments.flatMap((segment) => segment.ancestors)
  return {
    querySegment: Int32Array.from(queries, (query) => query.segment),
    querySlot: Int32Array.from(queries, (query) => query.slot),
    segmentStart: Int32Array.from(segments, (segment) => segment.start),
    spanOffsets,
    spanStart: Int32Array.from(spans, (span) => segments[span.segment]!.start),
    spanLength: Int32Array.from(spans, (span) => span.length),
  }
}
