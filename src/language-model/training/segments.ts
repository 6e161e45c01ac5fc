/**
 * Converts places in a prefix tree into the attention layout that the operations take.
 *
 * A query sees the slots on its path from the root. Adjacent runs of slots are joined, so a trajectory that grew by appending is one
 * segment without spans.
 */
import type { AttentionLayout } from '../ops/index.ts'
import type { PrefixNode } from '../prefix-tree.ts'

/** What a node's tokens see: whole spans of the pool, and their own segment from `segmentStart` up to themselves. */
export interface View {
  /** start, length, start, length ... */
  spans: readonly number[]
  segmentStart: number
}

export type Views = Map<PrefixNode, View>

const NOTHING: View = { spans: [], segmentStart: -1 }

/** `known` caches views; splitting nodes does not change them. */
export function viewOf(node: PrefixNode, known: Views): View {
  const seen = known.get(node)
  if (seen) return seen
  const parent = node.parent
  if (!parent) return NOTHING
  const above = viewOf(parent, known)
  const parentEnd = parent.firstSlot + parent.tokens.length
  const view =
    above === NOTHING
      ? { spans: [], segmentStart: node.firstSlot }
      : parentEnd === node.firstSlot
        ? above
        : { spans: [...above.spans, above.segmentStart, parentEnd - above.segmentStart], segmentStart: node.firstSlot }
  known.set(node, view)
  return view
}

/** Consecutive slots whose tokens are a batch's queries. */
export interface QueryRun {
  view: View
  firstSlot: number
  length: number
}

/** The layout of a batch with the runs' queries, in order. Runs with the same view share a segment. */
export function attentionLayout(runs: readonly QueryRun[]): AttentionLayout {
  const queries = runs.reduce((sum, run) => sum + run.length, 0)
  const querySegment = new Int32Array(queries)
  const querySlot = new Int32Array(queries)
  const segments = new Map<View, number>()
  const segmentStart: number[] = []
  const spanOffsets: number[] = [0]
  const spanStart: number[] = []
  const spanLength: number[] = []
  let query = 0
  for (const { view, firstSlot, length } of runs) {
    let segment = segments.get(view)
    if (segment === undefined) {
      segment = segmentStart.length
      segments.set(view, segment)
      segmentStart.push(view.segmentStart)
      for (let i = 0; i < view.spans.length; i += 2) {
        spanStart.push(view.spans[i]!)
        spanLength.push(view.spans[i + 1]!)
      }
      spanOffsets.push(spanStart.length)
    }
    for (let i = 0; i < length; i++) {
      querySegment[query] = segment
      querySlot[query] = firstSlot + i
      query++
    }
  }
  return {
    querySegment,
    querySlot,
    segmentStart: Int32Array.from(segmentStart),
    spanOffsets: Int32Array.from(spanOffsets),
    spanStart: Int32Array.from(spanStart),
    spanLength: Int32Array.from(spanLength),
  }
}
