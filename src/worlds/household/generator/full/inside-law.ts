/**
 * What lies in what: spoons in mugs, pots in pots. Examined in the hand, a mug tells of the spoon; nothing else comes of
 * it. As in the official games, most of what lies in something is listed by the receptacle that lists the outer object,
 * not all of it is, and none is of the type that is asked for.
 */
import type { GameObject, Goal } from '../../engine/game.ts'
import { chance, pickWeighted, unit, type Random } from '../../../random.ts'
import { row, rowsOfKind, shareOfYes, totalOf, type RoomCounts, type RowCounts } from './scene-counts.ts'

/** Pots and pans overlap on the stove, and then each often lies in the other. */
const overlapping: ReadonlySet<string> = new Set(['pot', 'pan'])

interface Pair {
  outer: GameObject
  /** The outer object's. */
  index: number
  inner: GameObject
  odds: number
  isTogether: boolean
}

type PairOdds = ReadonlyMap<string, ReadonlyMap<string, number>>

export class InsideLaw {
  /** [outer type][inner type] odds of each such pair, where the outer one does not lie in the inner one as well. */
  private readonly odds: PairOdds
  /** [one type][other type] chance that each lies in the other. */
  private readonly mutual: PairOdds
  /** Mean number of objects that lie in others, mutual pairs apart. */
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

/** How many such pairs all official games of the room have, about; each pair of the same type in both orders. */
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
