import fc from 'fast-check'
import { expect, it } from 'vitest'
import { slotReaders } from '../../../src/language-model/backends/webgpu/slot-readers.ts'
import { forEachVisibleRun } from '../../../src/language-model/ops/attention-layout.ts'
import { samplingForest, trainingForest } from '../ops/forest.ts'

it('the readers of a slot are exactly the queries that see it', () =>
  fc.assert(
    fc.property(fc.oneof(trainingForest(12), samplingForest), ({ layout, queries, slots }) => {
      const seen = Array.from({ length: slots }, () => new Array<number>(queries).fill(0))
      for (let query = 0; query < queries; query++)
        forEachVisibleRun(layout, query, (start, end) => {
          for (let slot = start; slot < end; slot++) seen[slot]![query]!++
        })

      const { intervalOfSlot, rangeOffsets, ranges } = slotReaders(layout, slots)
      const read = Array.from(intervalOfSlot, (interval, slot) => {
        const readers = new Array<number>(queries).fill(0)
        for (let range = rangeOffsets[interval]!; range < rangeOffsets[interval + 1]!; range++) {
          const [first, end, isOwnSegment] = ranges.subarray(3 * range, 3 * range + 3) as unknown as [
            number,
            number,
            number,
          ]
          for (let query = first; query < end; query++)
            if (isOwnSegment === 0 || layout.querySlot[query]! >= slot) readers[query]!++
        }
        return readers
      })
      expect(read).toEqual(seen)
    }),
  ))
