/**
 * Where objects of full scenes start. The official shares ("mugs: 16 % in a fridge") are over all floor plans, but a plan may
 * lack such a receptacle, and the goal's objects must not start at their target. Drawing from the shares of the existing
 * receptacles would favour those that every plan has. So each type has a propensity for each pattern of places, fitted by
 * `columnFactors` so that all plans and goals together give the official shares:
 *
 *     odds of a pattern in a plan = propensity · Π_types (how many receptacles of the type the plan has)^¼
 *
 * The exponent ¼ makes the official games most likely among 0, ¼, ½, ¾ and 1: twenty cabinets attract hardly more
 * objects than ten.
 */
import type { Room } from '../../corpus/statistics.ts'
import type { FloorPlan } from '../floor-plans.ts'
import { meanOf, type FullCounts, type NumberLaw } from './object-counts.ts'
import { barredStart, leastWanted, type FullGoals } from './goals.ts'
import type { Goal } from '../../engine/game.ts'
import { columnFactors } from './raking.ts'
import { chance, unit, type Random } from '../../../random.ts'
import { row, totalOf, type RoomCounts } from './scene-counts.ts'
import { sceneStatistics } from './scene-statistics.ts'
import { drawReceptacles, hasRoomFor, holdsOne, indexTypes, nowhere, roomIn, typesOf } from './start-patterns.ts'

/** Most attempts at placing the goal's objects. */
const mostDraws = 200

/** Items to draw from, with cumulative odds. */
interface Odds<T> {
  items: readonly T[]
  sums: readonly number[]
  total: number
}

interface Ground {
  counts: ReadonlyMap<string, number>
  byType: ReadonlyMap<string, readonly number[]>
  /** ["type barred"] patterns with a receptacle that holds only one object, and all other patterns. */
  starts: Map<string, { single: Odds<string>; other: Odds<string> }>
  /** [pattern] odds that all its receptacles are closed. */
  closed: Map<string, number>
}

export class FullPlacement {
  private readonly statistics: RoomCounts
  private readonly grounds: ReadonlyMap<FloorPlan, Ground>
  /** [object type][pattern] */
  private readonly propensities: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Odds of accepting a draw in which all of the goal's objects are hidden. */
  private readonly hiddenOdds: number

  constructor(
    room: Room,
    plans: readonly FloorPlan[],
    private readonly counts: FullCounts,
    private readonly goals: FullGoals,
  ) {
    this.statistics = sceneStatistics[room]
    this.grounds = new Map(
      plans.map((plan): [FloorPlan, Ground] => [
        plan,
        {
          counts: roomIn(plan),
          byType: indexTypes(plan.receptacles),
          starts: new Map(),
          closed: new Map(),
        },
      ]),
    )
    const types = [...new Set(plans.flatMap(({ objectTypes }) => objectTypes))]
    this.propensities = new Map(types.map((type) => [type, this.fitPropensities(type, plans)]))
    this.hiddenOdds = this.fitHiddenOdds()
  }

  /** The receptacles of each object of a type other than the goal's; empty for an object that is nowhere. */
  drawUnasked(plan: FloorPlan, type: string, taken: Set<number>, random: Random): number[][] {
    return this.draw(plan, type, drawNumber(this.counts.unasked(plan, type), random), null, taken, random)
  }

  /** The receptacles of each of the goal's objects; null if no attempt gave fair places. */
  drawWanted(plan: FloorPlan, goal: Goal, taken: Set<number>, random: Random): number[][] | null {
    const count = drawNumber(this.counts.wanted(plan, goal), random)
    for (let draw = 0; draw < mostDraws; draw++) {
      const wanted = new Set<number>()
      const starts = this.draw(plan, goal.object, count, barredStart(goal), wanted, random)
      if (starts.filter((start) => start.length > 0).length < leastWanted(goal)) continue
      const isVisible = starts.some((start) => start.some((receptacle) => !plan.receptacles[receptacle]!.isOpenable))
      if (!isVisible && !chance(random, this.hiddenOdds)) continue
      for (const receptacle of wanted) taken.add(receptacle)
      return starts
    }
    return null
  }

  /**
   * Draws for all objects together how many of them get a receptacle that holds only one: the expected number by their shares,
   * and never more than there are places. Adds used receptacles to `taken`.
   */
  private draw(
    plan: FloorPlan,
    type: string,
    count: number,
    barred: string | null,
    taken: Set<number>,
    random: Random,
  ): number[][] {
    const { byType } = this.grounds.get(plan)!
    const { single, other } = this.startsOn(plan, type, barred)
    const expected = Math.floor((count * single.total) / (single.total + other.total) + unit(random))
    const held = Math.min(expected, this.holders(plan, single.items))
    return Array.from({ length: count }, (_, index) => {
      const pattern = drawFrom(index < held ? single : other, random)
      let start = drawReceptacles(pattern, byType, random, taken)
      // The holder that overlaps another receptacle may be taken while other holders are free.
      if (index < held && start.some((receptacle) => taken.has(receptacle) && isHolder(plan, receptacle))) {
        start = drawReceptacles(holderIn(pattern)!, byType, random, taken)
      }
      for (const receptacle of start) taken.add(receptacle)
      return start
    })
  }

  private holders(plan: FloorPlan, patterns: readonly string[]): number {
    const { counts } = this.grounds.get(plan)!
    return [...new Set(patterns.map(holderIn))].reduce((sum, type) => sum + counts.get(type!)!, 0)
  }

  private startsOn(
    plan: FloorPlan,
    type: string,
    barred: string | null,
  ): { single: Odds<string>; other: Odds<string> } {
    const { counts, starts } = this.grounds.get(plan)!
    const key = `${type} ${barred ?? ''}`
    let known = starts.get(key)
    if (!known) {
      const odds = [...this.propensities.get(type)!].flatMap(([pattern, propensity]): [string, number][] => {
        const odd = propensity * roomFor(pattern, counts, barred)
        return odd > 0 ? [[pattern, odd]] : []
      })
      known = {
        single: cumulated(odds.filter(([pattern]) => holderIn(pattern) !== undefined)),
        other: cumulated(odds.filter(([pattern]) => holderIn(pattern) === undefined)),
      }
      starts.set(key, known)
    }
    return known
  }

  private fitPropensities(type: string, plans: readonly FloorPlan[]): ReadonlyMap<string, number> {
    const shares = [...row(this.statistics, `start ${type}`)]
    const types = new Set(shares.flatMap(([pattern]) => [...typesOf(pattern).keys()]))
    const odds: number[][] = []
    const weights: number[] = []
    for (const plan of plans) {
      if (!plan.objectTypes.includes(type)) continue
      const { counts } = this.grounds.get(plan)!
      const unasked = meanOf(this.counts.unasked(plan, type))
      /** [barred receptacle type] expected number of objects. */
      const expected = new Map<string | null, number>([[null, this.goals.shareOn(plan) * unasked]])
      for (const { goal, share } of this.goals.askingFor(type, plan)) {
        const barred = types.has(barredStart(goal) ?? '') ? barredStart(goal) : null
        expected.set(barred, (expected.get(barred) ?? 0) + share * meanOf(this.counts.wanted(plan, goal)))
        expected.set(null, expected.get(null)! - share * unasked)
      }
      for (const [barred, number] of expected) {
        odds.push(shares.map(([pattern]) => roomFor(pattern, counts, barred)))
        weights.push(number)
      }
    }
    const factors = columnFactors(
      odds,
      weights,
      shares.map(([, count]) => count),
    )
    return new Map(shares.map(([pattern], index) => [pattern, factors[index]!]))
  }

  /**
   * In the official games, the goal's objects are hidden less often than other objects of their type. So a draw in which all of
   * them are hidden is accepted with odds below 1 that give the official share of hidden games.
   */
  private fitHiddenOdds(): number {
    const visible = row(this.statistics, 'visible')
    const wanted = (visible.get('no') ?? 0) / totalOf(visible)
    const games = this.goals.all.map(({ plan, goal, share }) => ({ share, ...this.outlookOf(plan, goal) }))
    const shareAt = (odds: number) =>
      games.reduce((sum, { share, hidden, seen }) => sum + (share * odds * hidden) / (seen + odds * hidden), 0)
    let [low, high] = [0, 1]
    for (let halving = 0; halving < 20; halving++) {
      const middle = (low + high) / 2
      if (shareAt(middle) < wanted) low = middle
      else high = middle
    }
    return (low + high) / 2
  }

  /** Odds that enough objects are within reach and all of them hidden, or some visible. */
  private outlookOf(plan: FloorPlan, goal: Goal): { hidden: number; seen: number } {
    const { single, other } = this.startsOn(plan, goal.object, barredStart(goal))
    let [closed, away] = [0, 0]
    for (const [pattern, odd] of [single, other].flatMap(oddsIn)) {
      const odds = odd / (single.total + other.total)
      if (pattern === nowhere) away += odds
      else closed += odds * this.shareClosed(plan, pattern)
    }
    let [hidden, reached] = [0, 0]
    for (const [count, odds] of this.counts.wanted(plan, goal)) {
      // Odds that fewer objects than needed are within reach: all are away, or all but one.
      const tooFew = (within: number) =>
        away ** count + (leastWanted(goal) === 2 ? count * away ** (count - 1) * within : 0)
      hidden += odds * ((closed + away) ** count - tooFew(closed))
      reached += odds * (1 - tooFew(1 - away))
    }
    return { hidden, seen: reached - hidden }
  }

  /** Odds that all receptacles of a pattern are closed. */
  private shareClosed(plan: FloorPlan, pattern: string): number {
    const { byType, closed } = this.grounds.get(plan)!
    let share = closed.get(pattern)
    if (share === undefined) {
      share = 1
      for (const [type, times] of typesOf(pattern)) {
        const all = byType.get(type)!
        share *= (all.filter((index) => plan.receptacles[index]!.isOpenable).length / all.length) ** times
      }
      closed.set(pattern, share)
    }
    return share
  }
}

/** How much room a plan offers to a pattern; 0 if the plan lacks a type or has to avoid one. */
function roomFor(pattern: string, counts: ReadonlyMap<string, number>, barred: string | null): number {
  if (!hasRoomFor(pattern, counts)) return 0
  let product = 1
  for (const type of typesOf(pattern).keys()) product *= type === barred ? 0 : Math.sqrt(Math.sqrt(counts.get(type)!))
  return product
}

function isHolder(plan: FloorPlan, receptacle: number): boolean {
  return holdsOne.has(plan.receptacles[receptacle]!.type)
}

/** The type in a pattern that holds only one object. */
function holderIn(pattern: string): string | undefined {
  for (const type of typesOf(pattern).keys()) if (holdsOne.has(type)) return type
  return undefined
}

function cumulated<T>(odds: readonly (readonly [T, number])[]): Odds<T> {
  let total = 0
  return { items: odds.map(([item]) => item), sums: odds.map(([, odd]) => (total += odd)), total }
}

function oddsIn<T>({ items, sums }: Odds<T>): [T, number][] {
  return items.map((item, index) => [item, sums[index]! - (sums[index - 1] ?? 0)])
}

function drawFrom<T>({ items, sums, total }: Odds<T>, random: Random): T {
  const at = unit(random) * total
  const index = sums.findIndex((sum) => at < sum)
  return items[index < 0 ? items.length - 1 : index]!
}

function drawNumber(law: NumberLaw, random: Random): number {
  let left = unit(random)
  let last = 0
  for (const [number, odds] of law) {
    if (odds === 0) continue
    last = number
    left -= odds
    if (left < 0) break
  }
  return last
}
