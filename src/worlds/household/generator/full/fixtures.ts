/** Lamps and scenery of full floor plans, in the same place in every game. */
import type { Fixture } from '../floor-plans.ts'
import type { GameReceptacle } from '../../engine/game.ts'
import { chance, pick, shuffled, type Random } from '../../../random.ts'
import { row, shareOfYes, type RoomCounts } from './scene-counts.ts'
import { shareOut } from './share-out.ts'
import { drawReceptacles, hasRoomFor, indexTypes, nowhere } from './start-patterns.ts'

interface Furnished {
  /** [receptacle type], and ["desk+shelf"] for two that overlap. */
  receptacles: ReadonlyMap<string, number>
  /** [object type] */
  fixtures: ReadonlyMap<string, number>
}

/** Places lamps and scenery so that over all plans each kind of place gets its official share. */
export function placeFixtures(
  drafts: readonly Furnished[],
  plans: readonly GameReceptacle[][],
  statistics: RoomCounts,
  random: Random,
): Fixture[][] {
  const strayShare = shareOfYes(statistics, 'stray fixed')
  const placed = plans.map((): Fixture[] => [])
  const types = [...new Set(drafts.flatMap((draft) => [...draft.fixtures.keys()]))].sort()
  for (const type of types) {
    const standing = drafts.flatMap((draft, plan) => Array.from({ length: draft.fixtures.get(type) ?? 0 }, () => plan))
    const starts = row(statistics, `start ${type}`)
    const byShare = [...starts.keys()].sort((a, b) => starts.get(b)! - starts.get(a)!)
    // Begin with the places that the fewest plans have.
    const plansWith = (pattern: string) => drafts.filter((draft) => hasRoomFor(pattern, draft.receptacles)).length
    const wanted = shareOut(starts, standing.length).sort((a, b) => plansWith(a) - plansWith(b))
    const left = shuffled(random, standing)
    for (const place of wanted) {
      const found = left.findIndex((plan) => hasRoomFor(place, drafts[plan]!.receptacles))
      const plan = left.splice(Math.max(0, found), 1)[0]!
      const pattern =
        found < 0 ? (byShare.find((other) => hasRoomFor(other, drafts[plan]!.receptacles)) ?? nowhere) : place
      const receptacles = plans[plan]!
      const isStray = pattern === nowhere && chance(random, strayShare)
      placed[plan]!.push({
        type,
        in: drawReceptacles(pattern, indexTypes(receptacles), random),
        ...(isStray ? { place: pick(random, receptacles).place } : {}),
      })
    }
  }
  return placed
}
