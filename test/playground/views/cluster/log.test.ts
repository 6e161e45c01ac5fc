import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LogLine } from '../../../../src/cluster/protocol.ts'
import { appendLog } from '../../../../src/playground/views/cluster/log.ts'

describe('the end of a job’s log', () => {
  // Texts differ in length from their bytes: the gateway removes colours and private paths.
  const WHOLE: LogLine[] = ['λ one', '', 'two', 'three é', '<on the cluster> four'].map((text, i) => ({
    offset: [0, 40, 41, 90, 99][i]!,
    text,
  }))

  it('is the same whatever lines are repeated', () => {
    const piece = fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 5 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        let tail: readonly LogLine[] = []
        // First all lines from the beginning, then random parts of them.
        for (const [from, count] of [[0, 3], [2, 3], ...pieces] as [number, number][])
          tail = appendLog(tail, { lines: WHOLE.slice(from, from + count) })
        expect(tail).toEqual(WHOLE)
      }),
    )
  })

  it('drops its beginning', () => {
    expect(appendLog([], { lines: WHOLE }, 2)).toEqual(WHOLE.slice(-2))
    expect(appendLog(WHOLE, { lines: [] })).toEqual(WHOLE)
  })
})
