import type { AttentionLayout } from '../../ops/attention-layout.ts'
import type { Scratch } from './simd-backend.ts'

/** Addresses of a layout's arrays, in the order in which attention takes them. */
export type UploadedLayout = [
  querySegment: number,
  querySlot: number,
  segmentStart: number,
  spanOffsets: number,
  spanStart: number,
  spanLength: number,
]

export function uploadLayout(scratch: Scratch, layout: AttentionLayout): UploadedLayout {
  const { querySegment, querySlot, segmentStart, spanOffsets, spanStart, spanLength } = layout
  return [
    scratch.int32(querySegment),
    scratch.int32(querySlot),
    scratch.int32(segmentStart),
    scratch.int32(spanOffsets),
    scratch.int32(spanStart),
    scratch.int32(spanLength),
  ]
}
