import { describe, expect, it } from 'vitest'
import { placeAfter } from '../../../src/playground/kit/grid-keys.ts'

const NONE = { altKey: false, ctrlKey: false, metaKey: false }
/** Rows of different lengths. */
const LENGTHS = [3, 1, 5]
const after = (key: string, row: number, column: number) => placeAfter({ key, ...NONE }, { row, column }, LENGTHS)

describe('the focus in a grid', () => {
  it('moves by one cell, and stays inside', () => {
    expect(after('ArrowRight', 0, 1)).toEqual({ row: 0, column: 2 })
    expect(after('ArrowRight', 0, 2)).toEqual({ row: 0, column: 2 })
    expect(after('ArrowLeft', 2, 0)).toEqual({ row: 2, column: 0 })
    expect(after('ArrowUp', 0, 2)).toEqual({ row: 0, column: 2 })
    expect(after('ArrowDown', 2, 4)).toEqual({ row: 2, column: 4 })
  })

  it('stops at the end of a shorter row', () => {
    expect(after('ArrowDown', 0, 2)).toEqual({ row: 1, column: 0 })
    expect(after('ArrowUp', 2, 4)).toEqual({ row: 1, column: 0 })
  })

  it('reaches either end of its row', () => {
    expect(after('Home', 2, 3)).toEqual({ row: 2, column: 0 })
    expect(after('End', 2, 0)).toEqual({ row: 2, column: 4 })
  })

  it('is not moved by other keys, or with a modifier', () => {
    expect(after('a', 0, 0)).toBeNull()
    for (const modifier of ['altKey', 'ctrlKey', 'metaKey'])
      expect(placeAfter({ key: 'ArrowLeft', ...NONE, [modifier]: true }, { row: 0, column: 1 }, LENGTHS)).toBeNull()
  })
})
