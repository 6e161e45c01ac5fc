import { expect } from 'vitest'
import type { HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'

/** Same facts. A file that was read has its own phrasing and id. */
export function expectSame(read: HouseholdGame, expected: HouseholdGame): void {
  const { phrasing: _, id: __, ...facts } = expected
  expect(read).toMatchObject(facts)
  const { phrasing: ___, id: ____, ...readFacts } = read
  expect(readFacts).toEqual(facts)
}
