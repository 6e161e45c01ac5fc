import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestCheckpoint, outdatedCheckpoints, type KeptCheckpoint } from '../../src/runs/checkpoint-thinning.ts'

const at = (iteration: number, bytes = 1): KeptCheckpoint => ({ iteration, eventCount: 10 * iteration, bytes })

/** The checkpoints that remain when they are added one after another, as in a run. */
function keptAfter(iterations: number, room: number): number[] {
  let kept: KeptCheckpoint[] = []
  for (let i = 2; i <= iterations; i += 2) {
    kept.push(at(i))
    const outdated = outdatedCheckpoints(kept, room)
    kept = kept.filter((each) => !outdated.includes(each))
  }
  return kept.map(({ iteration }) => iteration)
}

describe('kept checkpoints', () => {
  it('are all checkpoints while there is room', () => {
    expect(outdatedCheckpoints([at(2), at(4), at(6)], 3)).toEqual([])
  })

  it('include the latest two, however little room there is', () => {
    expect(outdatedCheckpoints([at(2, 9), at(4, 9), at(6, 9)], 1)).toEqual([at(2, 9)])
  })

  it('fit the room, include the latest two, and leave no wide gap in the run', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 400 }), fc.integer({ min: 4, max: 12 }), (half, room) => {
        const iterations = 2 * half
        const kept = keptAfter(iterations, room)
        expect(kept.length).toBeLessThanOrEqual(room)
        expect(kept.slice(-2)).toEqual([iterations - 2, iterations])
        const gaps = kept.map((iteration, i) => iteration - (kept[i - 1] ?? 0))
        expect(Math.max(...gaps)).toBeLessThanOrEqual((3 * iterations) / (room - 1) + 2)
      }),
    )
  })
})

describe('the nearest checkpoint', () => {
  it('is at the iteration or nearest to it, and the earlier of two', () => {
    const all = [at(2), at(6), at(20)]
    expect(nearestCheckpoint(all, 6)!.iteration).toBe(6)
    expect(nearestCheckpoint(all, 4)!.iteration).toBe(2)
    expect(nearestCheckpoint(all, 500)!.iteration).toBe(20)
    expect(nearestCheckpoint([], 4)).toBeNull()
  })
})
