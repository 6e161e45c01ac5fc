/** Attention layouts of groups of completions that share a prompt. */
import type { AttentionLayout } from '../language-model/ops/index.ts'

/** `branches` segments of `length` tokens after one shared prefix, each also after `depth` − 1 private ones of the same length. */
export function forest(
  prefix: number,
  branches: number,
  depth: number,
  length: number,
): { layout: AttentionLayout; tokens: number; scores: number } {
  const segmentStart = [0]
  const spans: [number, number][][] = [[]]
  let next = prefix
  for (let branch = 0; branch < branches; branch++) {
    const above: [number, number][] = [[0, prefix]]
    for (let level = 0; level < depth; level++) {
      segmentStart.push(next)
      spans.push([...above])
      above.push([next, length])
      next += length
    }
  }
  const querySegment: number[] = []
  segmentStart.forEach((start, segment) => {
    for (let slot = start; slot < (segmentStart[segment + 1] ?? next); slot++) querySegment.push(segment)
  })
  const spanOffsets = Int32Array.from({ length: spans.length + 1 }, (_, s) => spans.slice(0, s).flat().length)
  const layout = {
    querySegment: Int32Array.from(querySegment),
    querySlot: Int32Array.from(querySegment, (_, n) => n),
    segmentStart: Int32Array.from(segmentStart),
    spanOffsets,
    spanStart: Int32Array.from(spans.flat(), (span) => span[0]),
    spanLength: Int32Array.from(spans.flat(), (span) => span[1]),
  }
  const seen = spans.map((ofSegment) => ofSegment.reduce((sum, [, visible]) => sum + visible, 0))
  const scores = querySegment.reduce((sum, segment, n) => sum + seen[segment]! + n - segmentStart[segment]! + 1, 0)
  return { layout, tokens: next, scores }
}
