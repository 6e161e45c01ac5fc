/**
 * Full floor plans, as large as the official ones. The official counts say how often a game's room has six cabinets, or
 * an ottoman, or a pair of drawers in the same place. Each such question is answered for all of the room's 28 plans at
 * once: every answer gets as many plans as its share requires (largest remainders), and chance only decides which. So the
 * plans together match the official distributions as closely as 28 plans can; independent draws for every plan would be off
 * by a fifth.
 *
 * Questions are independent of each other, except for a few that belong together in every official plan: a knob to a burner,
 * a lid to a hamper, and objects that are usually on a desk to plans with a desk.
 */
import { officialSplitSizes, unseenFloorPlans, type Room } from '../../corpus/statistics.ts'
import { floorPlansOf, type FloorPlan } from '../floor-plans.ts'
import { placeFixtures } from './fixtures.ts'
import { letOpen, sharePlaces, standInLine } from './receptacles.ts'
import { seededRandom, shuffled, type Random } from '../../../random.ts'
import { row, rowsOfKind, timesWanted, totalOf, type RoomCounts, type RowCounts } from './scene-counts.ts'
import { sceneStatistics } from './scene-statistics.ts'
import { evenWeights, shareOut, type Question } from './share-out.ts'
import { hasRoomFor, hasTypes, isOverlap, nowhere } from './start-patterns.ts'
import { can } from '../../engine/vocabulary.ts'

/** Fixtures that come one to each receptacle of a type. */
const companions: Readonly<Record<string, string>> = {
  stoveknob: 'stoveburner',
  laundryhamperlid: 'laundryhamper',
  sink: 'sinkbasin',
}

/** The least share of a type's usual places that a plan with such objects should have. */
const leastHome = 0.4

/** Where fixtures belong, the likeliest first. One official tub has no basin but a second sink. */
const homes: Readonly<Record<string, readonly string[]>> = { bathtub: ['bathtubbasin', 'sinkbasin+sinkbasin'] }

/** What unseen plans always have, so that goals with the pairs reserved for them are possible. */
const neededUnseen: Readonly<Record<Room, readonly string[]>> = {
  kitchen: [],
  livingRoom: ['desklamp', 'tissuebox'],
  bedroom: ['desklamp'],
  bathroom: [],
}

/** The draw whose counts agree best with the official ones, of 300 for each room. */
const draws: Readonly<Record<Room, number>> = { kitchen: 23, livingRoom: 66, bedroom: 119, bathroom: 271 }

/** A plan in the making. */
interface Draft {
  number: number
  isUnseen: boolean
  /** [receptacle type], and ["desk+shelf"] for two that overlap. */
  receptacles: Map<string, number>
  overlaps: string[]
  /** [object type] objects that cannot be picked up. */
  fixtures: Map<string, number>
  objectTypes: string[]
}

const plans = new Map<Room, readonly FloorPlan[]>()

/** All plans of a room, by number. They share out the room's counts, so none can be drawn without the others. */
export function fullFloorPlans(room: Room): readonly FloorPlan[] {
  let drawn = plans.get(room)
  if (!drawn) plans.set(room, (drawn = drawFloorPlans(room)))
  return drawn
}

function drawFloorPlans(room: Room): FloorPlan[] {
  const statistics = sceneStatistics[room]
  const random = seededRandom('full floor plans', room, draws[room])
  const drafts = floorPlansOf(room).map((number): Draft => ({
    number,
    isUnseen: unseenFloorPlans.includes(number),
    receptacles: new Map(),
    overlaps: [],
    fixtures: new Map(),
    objectTypes: [],
  }))
  spreadReceptacles(drafts, statistics, random)
  spreadOverlaps(drafts, statistics, random)
  spreadObjectTypes(drafts, statistics, room, random)
  const receptacles = drafts.map((draft) => standInLine(withoutOverlaps(draft), hasTubSink(draft)))
  const sharing = sharePlaces(receptacles, statistics, random)
  const weights = playWeights(drafts, sharing, statistics)
  letOpen(receptacles, weights, statistics, random)
  const fixtures = placeFixtures(drafts, receptacles, statistics, random)
  return drafts.map(({ number, overlaps, objectTypes }, index) => ({
    number,
    room,
    weight: weights[index]!,
    receptacles: receptacles[index]!,
    overlaps,
    objectTypes,
    fixtures: fixtures[index]!,
  }))
}

/** Weighs the unseen plan by its split's size, and the others so that their counts match the official ones. */
function playWeights(drafts: readonly Draft[], sharing: readonly number[], statistics: RoomCounts): number[] {
  const games = totalOf(row(statistics, 'task'))
  const ask = (official: RowCounts, ours: readonly number[]): Question => {
    const answers = withNone(official, games)
    const numbers = [...answers.keys()].map(Number)
    return {
      shares: [...answers.values()].map((count) => count / games),
      answers: ours.map((number) => numbers.indexOf(number)),
    }
  }
  const numbersOf = (type: string) =>
    drafts.map(({ fixtures, objectTypes }) => fixtures.get(type) ?? (objectTypes.includes(type) ? 1 : 0))
  const questions = [
    ask(row(statistics, 'sharing'), sharing),
    ...rowsOfKind(statistics, 'receptacles').map(([type, official]) => {
      return ask(
        official,
        drafts.map(({ receptacles }) => receptacles.get(type) ?? 0),
      )
    }),
    ...rowsOfKind(statistics, 'objects').map(([type, official]) => {
      return ask(can(type, 'pickupable') ? presence(statistics, type, official) : official, numbersOf(type))
    }),
  ]
  const { train, id, ood } = officialSplitSizes
  return evenWeights(
    questions,
    drafts.map(({ isUnseen }) => (isUnseen ? ood / (train + id + ood) : null)),
  )
}

// ------------------------------------------------------------------------------------------------- sharing out

/** Adds the games that have none, which the row omits. */
function withNone(answers: RowCounts, games: number): RowCounts {
  const none = games - totalOf(answers)
  return none > 0 ? new Map([['0', none], ...answers]) : answers
}

/** In how many games there are objects of a type, as the goal's type or not. */
function presence(statistics: RoomCounts, type: string, unasked: RowCounts): RowCounts {
  return new Map([['1', totalOf(unasked) + timesWanted(statistics, type)]])
}

/** How many each plan has, in ascending order. At least one plan has what any official game has. */
function countsOver(plans: number, answers: RowCounts, games: number): number[] {
  const counts = shareOut(withNone(answers, games), plans).map(Number)
  if (Math.max(...counts) === 0) counts[plans - 1] = Number([...answers].sort(([, a], [, b]) => b - a)[0]![0])
  return counts
}

function spreadReceptacles(drafts: readonly Draft[], statistics: RoomCounts, random: Random): void {
  const games = totalOf(row(statistics, 'task'))
  for (const [type, answers] of rowsOfKind(statistics, 'receptacles')) {
    const counts = shuffled(random, countsOver(drafts.length, answers, games))
    drafts.forEach((draft, index) => setCount(draft.receptacles, type, counts[index]!))
  }
  furnish(drafts, statistics, random)
}

function setCount(counts: Map<string, number>, type: string, count: number): void {
  if (count > 0) counts.set(type, count)
  else counts.delete(type)
}

/**
 * Some plans have no place for an alarm clock: no desk, no dresser, no shelf. They swap their count of a type with another plan
 * if both together are then better furnished.
 */
function furnish(drafts: readonly Draft[], statistics: RoomCounts, random: Random): void {
  const games = totalOf(row(statistics, 'task'))
  const everywhere = rowsOfKind(statistics, 'objects')
    .filter(([type, answers]) => totalOf(answers) + timesWanted(statistics, type) === games)
    .map(([type]) => row(statistics, `start ${type}`))
  const want = ({ receptacles }: Draft) =>
    everywhere.reduce((sum, starts) => sum + Math.max(0, leastHome - homeShare(starts, receptacles)) ** 2, 0)
  const types = rowsOfKind(statistics, 'receptacles').map(([type]) => type)
  const wants = new Map(drafts.map((draft) => [draft, want(draft)]))
  const swapsWell = (type: string, a: Draft, b: Draft): boolean => {
    if (a.receptacles.has(type) === b.receptacles.has(type)) return false
    swapCounts(type, a, b)
    const [ofA, ofB] = [want(a), want(b)]
    if (ofA + ofB < wants.get(a)! + wants.get(b)!) {
      wants.set(a, ofA).set(b, ofB)
      return true
    }
    swapCounts(type, a, b)
    return false
  }
  const poor = drafts.filter((draft) => wants.get(draft)! > 0)
  for (const draft of poor) {
    for (const other of shuffled(random, drafts)) {
      if (wants.get(draft) === 0) break
      types.forEach((type) => swapsWell(type, draft, other))
    }
  }
}

function swapCounts(type: string, a: Draft, b: Draft): void {
  const [ofA, ofB] = [a.receptacles.get(type) ?? 0, b.receptacles.get(type) ?? 0]
  setCount(a.receptacles, type, ofB)
  setCount(b.receptacles, type, ofA)
}

/** Share of the objects of a type starting in receptacles that start in one the plan has; 1 if no object does. */
function homeShare(starts: RowCounts, receptacles: ReadonlyMap<string, number>): number {
  let here = 0
  let all = 0
  for (const [pattern, times] of starts) {
    if (pattern === nowhere) continue
    all += times
    if (hasRoomFor(pattern, receptacles)) here += times
  }
  return all === 0 ? 1 : here / all
}

function withoutOverlaps({ receptacles }: Draft): Map<string, number> {
  return new Map([...receptacles].filter(([type]) => !isOverlap(type)))
}

/** Each pair of types that overlaps in official games overlaps in one plan; if possible no plan has two such pairs. */
function spreadOverlaps(drafts: readonly Draft[], statistics: RoomCounts, random: Random): void {
  const patterns = rowsOfKind(statistics, 'start').flatMap(([, starts]) => [...starts.keys()].filter(isOverlap))
  for (const pattern of new Set(patterns)) {
    const able = shuffled(random, drafts).filter(({ receptacles }) => hasTypes(pattern, receptacles))
    const draft = able.find(({ overlaps }) => overlaps.length === 0) ?? able[0]
    draft?.overlaps.push(pattern)
    draft?.receptacles.set(pattern, 1)
  }
}

/** Whether a sink's basin belongs to the tub and is named after it, as in one official plan. */
function hasTubSink({ receptacles, fixtures }: Draft): boolean {
  return fixtures.has('bathtub') && !receptacles.has('bathtubbasin') && (receptacles.get('sinkbasin') ?? 0) > 1
}

function spreadObjectTypes(drafts: readonly Draft[], statistics: RoomCounts, room: Room, random: Random): void {
  const games = totalOf(row(statistics, 'task'))
  for (const [type, answers] of rowsOfKind(statistics, 'objects')) {
    const isFixture = !can(type, 'pickupable')
    const companion = companions[type]
    if (companion !== undefined) {
      for (const draft of drafts) {
        const count = (draft.receptacles.get(companion) ?? 0) - (type === 'sink' && hasTubSink(draft) ? 1 : 0)
        if (count > 0) draft.fixtures.set(type, count)
      }
      continue
    }
    const present = isFixture ? answers : presence(statistics, type, answers)
    const counts = countsOver(drafts.length, present, games).filter((count) => count > 0)
    const needed = neededUnseen[room].includes(type)
    const chosen = plansFor(type, row(statistics, `start ${type}`), drafts, counts.length, needed, random)
    shuffled(random, counts).forEach((count, index) => {
      if (isFixture) chosen[index]!.fixtures.set(type, count)
      else chosen[index]!.objectTypes.push(type)
    })
  }
}

/**
 * Plans that together have the receptacles in which objects of a type start, each in about as many plans as its share.
 * Chooses at random among equals.
 */
function plansFor(
  type: string,
  starts: RowCounts,
  drafts: readonly Draft[],
  count: number,
  unseen: boolean,
  random: Random,
): Draft[] {
  if (count === drafts.length) return shuffled(random, drafts)
  const total = totalOf(starts)
  const wanted = [...starts]
    .filter(([pattern]) => pattern !== nowhere)
    .map(([pattern, times]) => ({ pattern, plans: Math.min(1, (1.5 * times) / total) * count }))
  const rest = shuffled(random, drafts)
  const chosen = unseen ? rest.filter((draft) => draft.isUnseen) : []
  const worth = (draft: Draft) => {
    const home = (homes[type] ?? []).findIndex((pattern) => hasRoomFor(pattern, draft.receptacles))
    return wanted.reduce(
      (sum, { pattern, plans }) => {
        const have = chosen.filter((other) => hasRoomFor(pattern, other.receptacles)).length
        return sum + (hasRoomFor(pattern, draft.receptacles) ? Math.max(0, Math.min(1, plans - have)) : 0)
      },
      (home < 0 ? 0 : drafts.length / (home + 1)) + (homeShare(starts, draft.receptacles) < leastHome ? 0 : 1),
    )
  }
  while (chosen.length < count) {
    const left = rest.filter((draft) => !chosen.includes(draft))
    const worths = left.map(worth)
    chosen.push(left[worths.indexOf(Math.max(...worths))]!)
  }
  return chosen
}
