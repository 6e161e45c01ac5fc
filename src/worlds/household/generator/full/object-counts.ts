/** How many objects of each type full scenes have, and how many of the goal's type. */
import type { Room } from '../../corpus/statistics.ts'
import type { FloorPlan } from '../floor-plans.ts'
import type { Goal, TaskType } from '../../engine/game.ts'
import { columnFactors } from './raking.ts'
import { row, type RoomCounts } from './scene-counts.ts'
import { sceneStatistics } from './scene-statistics.ts'
import { hasRoomFor, holdsOne, nowhere, roomIn, typesOf } from './start-patterns.ts'

/** [number of objects] its odds, which sum to 1. */
export type NumberLaw = ReadonlyMap<number, number>

export class FullCounts {
  private readonly statistics: RoomCounts
  /** ["plan type"] */
  private readonly capacities = new Map<string, number>()
  private readonly laws = new Map<string, NumberLaw>()
  /** [task][type] odds of 1 to 4 objects if there is room for them. */
  private readonly asked = new Map<TaskType, ReadonlyMap<string, readonly number[]>>()
  /** ["plan task type"] */
  private readonly askedLaws = new Map<string, NumberLaw>()

  constructor(room: Room, plans: readonly FloorPlan[]) {
    this.statistics = sceneStatistics[room]
    for (const type of new Set(plans.flatMap(({ objectTypes }) => objectTypes))) {
      this.fitLaws(
        type,
        plans.filter(({ objectTypes }) => objectTypes.includes(type)),
      )
    }
  }

  /** How many objects of a type have a receptacle to start in: unlimited, unless each such receptacle holds only one. */
  capacity(plan: FloorPlan, type: string): number {
    return this.capacities.get(`${plan.number} ${type}`)!
  }

  /** How many objects of a type there are in games with another goal. */
  unasked(plan: FloorPlan, type: string): NumberLaw {
    return this.laws.get(`${plan.number} ${type}`)!
  }

  /** How many objects of the goal's type there are. */
  wanted(plan: FloorPlan, { taskType, object }: Goal): NumberLaw {
    const key = `${plan.number} ${taskType} ${object}`
    let law = this.askedLaws.get(key)
    if (!law) {
      let odds = this.asked.get(taskType)
      if (!odds) this.asked.set(taskType, (odds = askedOdds(this.statistics, taskType)))
      law = lawOf([1, 2, 3, 4], upTo(this.capacity(plan, object), [1, 2, 3, 4], odds.get(object)!))
      this.askedLaws.set(key, law)
    }
    return law
  }

  /** Fits the plans together to the official law, while no plan exceeds its capacity. */
  private fitLaws(type: string, plans: readonly FloorPlan[]): void {
    const law = row(this.statistics, `objects ${type}`)
    const numbers = [...law.keys()].map(Number)
    const odds = plans.map((plan) => {
      const capacity = capacityOf(plan, [...row(this.statistics, `start ${type}`).keys()])
      this.capacities.set(`${plan.number} ${type}`, capacity)
      // Objects that are nowhere need no room.
      return upTo(capacity === 0 ? Infinity : capacity, numbers, [...law.values()])
    })
    const factors = columnFactors(
      odds,
      plans.map(({ weight }) => weight),
      [...law.values()],
    )
    plans.forEach((plan, index) => {
      const own = lawOf(
        numbers,
        odds[index]!.map((odd, column) => odd * factors[column]!),
      )
      this.laws.set(`${plan.number} ${type}`, own)
    })
  }
}

function capacityOf(plan: FloorPlan, patterns: readonly string[]): number {
  const counts = roomIn(plan)
  const usable = patterns.filter((pattern) => pattern !== nowhere && hasRoomFor(pattern, counts))
  const single = usable.map((pattern) => [...typesOf(pattern).keys()].find((type) => holdsOne.has(type)))
  if (single.includes(undefined)) return Infinity
  return [...new Set(single)].reduce((sum, type) => sum + counts.get(type!)!, 0)
}

function upTo(most: number, numbers: readonly number[], odds: readonly number[]): number[] {
  return odds.map((odd, index) => (numbers[index]! <= most ? odd : 0))
}

function lawOf(numbers: readonly number[], odds: readonly number[]): NumberLaw {
  const sum = odds.reduce((total, odd) => total + odd, 0)
  return new Map(numbers.map((number, index) => [number, odds[index]! / sum]))
}

export function meanOf(law: NumberLaw): number {
  let mean = 0
  for (const [number, odds] of law) mean += number * odds
  return mean
}

/**
 * [type] odds of 1 to 4 objects. Summed over types they match the task's official games; types of which rooms rarely have three
 * get fewer than others. The counts in games with other goals show that, extrapolated to four by their last ratio.
 */
function askedOdds(statistics: RoomCounts, taskType: TaskType): ReadonlyMap<string, readonly number[]> {
  const types = [...row(statistics, `goal ${taskType} object`)]
  const own = types.map(([type]) => {
    const [one, two, three] = ['1', '2', '3'].map((number) => row(statistics, `objects ${type}`).get(number) ?? 0)
    return [one!, two!, three!, Math.min(three!, three! ** 2 / Math.max(1, two!))]
  })
  const factors = columnFactors(
    own,
    types.map(([, games]) => games),
    ['1', '2', '3', '4'].map((number) => row(statistics, `goal ${taskType} count`).get(number) ?? 0),
  )
  return new Map(types.map(([type], index) => [type, own[index]!.map((odd, column) => odd * factors[column]!)]))
}
