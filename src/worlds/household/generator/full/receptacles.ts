/** The receptacles of full floor plans: which of them open, and which share a place. */
import type { GameReceptacle } from '../../engine/game.ts'
import { pick, shuffled, type Random } from '../../../random.ts'
import { row, rowsOfKind, totalOf, type RoomCounts } from './scene-counts.ts'
import { shareOut } from './share-out.ts'
import { countTypes, hasTypes } from './start-patterns.ts'
import { openableTypes } from '../../engine/vocabulary.ts'

/**
 * Receptacles in listing order, numbered downwards, each with its own place.
 *
 * @param hasTubSink names the first sink basin "bathtubbasin", as in one official plan
 */
export function standInLine(counts: ReadonlyMap<string, number>, hasTubSink: boolean): GameReceptacle[] {
  const named = [...counts].flatMap(([type, count]) =>
    Array.from({ length: count }, (_, i) => ({
      type,
      noun: hasTubSink && type === 'sinkbasin' && i === 0 ? 'bathtubbasin' : type,
    })),
  )
  const sorted = named.sort((a, b) => (a.noun < b.noun ? -1 : a.noun > b.noun ? 1 : 0))
  return sorted.map(({ type, noun }, index) => ({
    type,
    noun,
    number: sorted.filter((other, i) => i >= index && other.noun === noun).length,
    isOpenable: openableTypes.has(type),
    place: index,
  }))
}

/**
 * Decides which receptacles of a partly openable type open. In as many plans as the share of such games requires, all open.
 * The other plans have at least one that does not; in total, weighted by plan, they match the official share of receptacles.
 */
export function letOpen(
  plans: readonly GameReceptacle[][],
  weights: readonly number[],
  statistics: RoomCounts,
  random: Random,
): void {
  for (const [type, individuals] of rowsOfKind(statistics, 'openable')) {
    const games = row(statistics, `all-openable ${type}`)
    const having = plans
      .map((receptacles, index) => ({ own: receptacles.filter((r) => r.type === type), weight: weights[index]! }))
      .filter(({ own }) => own.length > 0)
    const total = having.reduce((sum, { own, weight }) => sum + own.length * weight, 0)
    let shut = (total * (individuals.get('no') ?? 0)) / totalOf(individuals)
    const mixed = shuffled(random, having)
      .slice(0, Math.round((having.length * (games.get('no') ?? 0)) / totalOf(games)))
      .map(({ own, weight }) => shuffled(random, own).map((receptacle) => ({ receptacle, weight })))
    const firsts = mixed.map(([first]) => first!)
    const others = mixed.flatMap(([, ...rest]) => rest)
    for (const { receptacle, weight } of [...firsts, ...shuffled(random, others)]) {
      if (shut < weight / 2) continue
      receptacle.isOpenable = false
      shut -= weight
    }
  }
}

/** Receptacle types that share a place, how often in official games, and how many such groups are left to assign. */
interface Group {
  pattern: string
  types: readonly string[]
  count: number
  left: number
}

/**
 * Shares out over the plans how many receptacles share a place, the largest number first. Each number goes to a plan that can
 * form groups of exactly that many receptacles. Prefers the kinds of group with the most left of their official number, then
 * the most common ones.
 */
export function sharePlaces(plans: readonly GameReceptacle[][], statistics: RoomCounts, random: Random): number[] {
  const games = totalOf(row(statistics, 'task'))
  const groups = [...row(statistics, 'shared')].map(([pattern, count]): Group => {
    return { pattern, types: pattern.split('+'), count, left: Math.round((plans.length * count) / games) }
  })
  const numbers = shareOut(row(statistics, 'sharing'), plans.length)
    .map(Number)
    .sort((a, b) => b - a)
  const waiting = shuffled(random, plans)
  for (const number of numbers) {
    const fill = (isLimited: boolean) => {
      for (const plan of waiting) {
        const chosen = groupsFor(plan, number, groups, isLimited)
        if (chosen) return { plan, chosen }
      }
      return null
    }
    // If no plan can have so many, the next one shares no places.
    const { plan, chosen } = fill(true) ?? fill(false) ?? { plan: waiting[0]!, chosen: [] }
    waiting.splice(waiting.indexOf(plan), 1)
    for (const group of chosen) {
      group.left--
      joinPlaces(plan, group.types, random)
    }
  }
  plans.forEach(closeRanks)
  return plans.map((plan) => plan.filter((r) => plan.some((other) => other !== r && other.place === r.place)).length)
}

/** Groups with `number` receptacles in total that a plan can form, if limited only as many as are left; null if none. */
function groupsFor(
  plan: readonly GameReceptacle[],
  number: number,
  groups: readonly Group[],
  isLimited: boolean,
): Group[] | null {
  const byRank = [...groups].sort((a, b) => (isLimited ? b.left - a.left : 0) || b.count - a.count)
  const chosen: Group[] = []
  const counts = countTypes(plan)
  const complete = (from: number, missing: number): boolean => {
    if (missing === 0) return true
    for (let index = from; index < byRank.length; index++) {
      const group = byRank[index]!
      if (group.types.length > missing) continue
      chosen.push(group)
      const isFree = !isLimited || chosen.filter((other) => other === group).length <= group.left
      const pattern = chosen.map((other) => other.pattern).join('+')
      if (isFree && hasTypes(pattern, counts) && complete(index, missing - group.types.length)) return true
      chosen.pop()
    }
    return false
  }
  return complete(0, number) ? chosen : null
}

/** Moves receptacles of these types that share no place yet into one place; prefers consecutive numbers. */
function joinPlaces(plan: readonly GameReceptacle[], types: readonly string[], random: Random): void {
  const isAlone = (receptacle: GameReceptacle) => plan.every((r) => r === receptacle || r.place !== receptacle.place)
  const members: GameReceptacle[] = []
  for (const type of types) {
    const free = plan.filter((r) => r.type === type && !members.includes(r) && isAlone(r))
    const neighbour = free.find((r) => members.some((m) => m.type === type && Math.abs(m.number - r.number) === 1))
    members.push(neighbour ?? pick(random, free))
  }
  for (const member of members) member.place = members[0]!.place
}

/** Renumbers the places without gaps, in listing order. */
function closeRanks(receptacles: readonly GameReceptacle[]): void {
  const places = new Map<number, number>()
  for (const receptacle of receptacles) {
    if (!places.has(receptacle.place)) places.set(receptacle.place, places.size)
    receptacle.place = places.get(receptacle.place)!
  }
}
