/**
 * Objects inside other objects: spoons in mugs, pots in pots. The only effect is that examining a mug in the hand lists the
 * spoon. As in the official games, most inner objects, but not all, are listed by the receptacle of the outer object, and none
 * are of the goal's type.
 */
import type { GameObject, Goal } from '../../engine/game.ts'
import { chance, pickWeighted, unit, type Random } from '../../../random.ts'
import { row, rowsOfKind, shareOfYes, totalOf, type RoomCounts, type RowCounts } from './scene-counts.ts'

/** Pots and pans overlap on the stove, and then often each is in the other. */
const overlapping: ReadonlySet<string> = new Set(['pot', 'pan'])

interface Pair {
  outer: GameObject
  /** Index of the outer object. */
  index: number
  inner: GameObject
  odds: number
  isTogether: boolean
}

type PairOdds = ReadonlyMap<string, ReadonlyMap<string, number>>

export class InsideLaw {
  /** [outer type][inner type] odds of each such pair, unless the outer object is in the inner one as well. */
  private readonly odds: PairOdds
  /** [one type][other type] odds that each is in the other. */
  private readonly mutual: PairOdds
  /** Mean number of inner objects, without mutual pairs. */
  private readonly mean: number
  private readonly togetherShare: number

  constructor(statistics: RoomCounts) {
    const mutualShare = shareOfYes(statistics, 'mutual')
    const rows = rowsOfKind(statistics, 'inside')
    const shareOf = (outer: string, inner: string) => (overlap(outer, inner) ? mutualShare : 0)
    const oddsOf = (outer: string, answers: RowCounts, share: (inner: string) => number) =>
      new Map(
        [...answers].flatMap(([inner, times]): [string, number][] =>
          share(inner) > 0 ? [[inner, (times * share(inner)) / pairsOf(statistics, outer, inner)]] : [],
        ),
      )
    this.odds = new Map(
      rows.map(([outer, answers]) => [outer, oddsOf(outer, answers, (inner) => 1 - shareOf(outer, inner))]),
    )
    this.mutual = new Map(
      rows.map(([outer, answers]) => [outer, oddsOf(outer, answers, (inner) => shareOf(outer, inner))]),
    )
    const drawn = rows.flatMap(([outer, answers]) =>
      [...answers].map(([inner, times]) => times * (1 - shareOf(outer, inner))),
    )
    this.mean = drawn.reduce((sum, times) => sum + times, 0) / totalOf(row(statistics, 'task'))
    this.togetherShare = shareOfYes(statistics, 'inside-place')
  }

  /** Sets `inside` in a scene's objects. */
  apply(objects: readonly GameObject[], goal: Goal, random: Random): void {
    this.overlapPots(objects, goal, random)
    const left = drawPoisson(this.mean, random)
    if (left === 0) return
    const pairs = this.pairsAmong(objects, goal)
    for (let drawn = 0; drawn < left; drawn++) {
      const isTogether = chance(random, this.togetherShare)
      const pair = pickWeighted(random, pairs, (candidate) =>
        candidate.isTogether === isTogether ? candidate.odds : 0,
      )
      if (!pair) return
      layInto(pair.inner, pair.index)
      pair.odds = 0
    }
  }

  private overlapPots(objects: readonly GameObject[], goal: Goal, random: Random): void {
    const pots = objects.flatMap((object, index) =>
      overlapping.has(object.type) && object.type !== goal.object ? [index] : [],
    )
    for (const one of pots) {
      for (const other of pots) {
        const both = this.mutual.get(objects[one]!.type)?.get(objects[other]!.type) ?? 0
        if (other >= one || !chance(random, both)) continue
        layInto(objects[one]!, other)
        layInto(objects[other]!, one)
      }
    }
  }

  private pairsAmong(objects: readonly GameObject[], goal: Goal): Pair[] {
    const pairs: Pair[] = []
    objects.forEach((outer, index) => {
      const law = this.odds.get(outer.type)
      if (!law || outer.in.length === 0) return
      for (const inner of objects) {
        const odds = law.get(inner.type)
        if (odds === undefined || inner === outer || inner.type === goal.object) continue
        pairs.push({
          outer,
          index,
          inner,
          odds,
          isTogether: inner.in.some((receptacle) => outer.in.includes(receptacle)),
        })
      }
    })
    return pairs
  }
}

/** Approximate number of such pairs in all official games of the room. Counts pairs of one type in both orders. */
function pairsOf(statistics: RoomCounts, outer: string, inner: string): number {
  if (outer !== inner) {
    const [a, b] = [outer, inner].map((type) => totalOf(row(statistics, `start ${type}`)))
    return (a! * b!) / totalOf(row(statistics, 'task'))
  }
  let pairs = 0
  for (const [number, games] of row(statistics, `objects ${outer}`))
    pairs += games * Number(number) * (Number(number) - 1)
  return pairs
}

function overlap(a: string, b: string): boolean {
  return overlapping.has(a) && overlapping.has(b)
}

function layInto(inner: GameObject, outer: number): void {
  if (!inner.inside?.includes(outer)) inner.inside = [...(inner.inside ?? []), outer]
}

function drawPoisson(mean: number, random: Random): number {
  let left = unit(random)
  let odds = Math.exp(-mean)
  for (let number = 0; ; number++, odds *= mean / number) {
    left -= odds
    if (left < 0 || odds < 1e-9) return number
  }
}
