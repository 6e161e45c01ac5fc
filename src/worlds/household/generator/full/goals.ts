/**
 * The goals of full games and their floor plans. The official games determine how often each task has which type of object
 * and which target; the splits determine which plans, tasks, objects and targets may be combined; and the plans of a split
 * are played in proportion to their weights. Raking (raking.ts) finds odds of all combinations that agree with all of this,
 * so no combination is lost because another one was drawn first.
 *
 * One requirement cannot be met: pairs reserved for `ood` are missing elsewhere, so an object with no other pairs (an alarm
 * clock is only looked at under a desk lamp) is hardly ever a goal in training.
 */
import { officialSplitSizes, type Room } from '../../corpus/statistics.ts'
import type { FloorPlan } from '../floor-plans.ts'
import type { FullCounts } from './object-counts.ts'
import { taskTypes, treatmentOf, type Goal, type TaskType } from '../../engine/game.ts'
import { isSensibleGoal } from '../sensible-goals.ts'
import { rake, type Margin } from './raking.ts'
import { unit, type Random } from '../../../random.ts'
import { row, type RoomCounts } from './scene-counts.ts'
import { sceneStatistics } from './scene-statistics.ts'
import type { Split } from '../../../../method/ports.ts'
import { splitOf } from '../splits.ts'
import { hasRoomFor, nowhere, roomIn, typesOf } from './start-patterns.ts'
import { applianceType } from '../../engine/vocabulary.ts'

interface AskedGoal {
  plan: FloorPlan
  goal: Goal
  split: Split
  /** Share of all games of the room. */
  share: number
}

/** Where the goal's objects never start: they would already be at the target or in the appliance. */
export function barredStart({ taskType, target }: Goal): string | null {
  if (taskType === 'look_at_obj_in_light') return null
  const treatment = treatmentOf(taskType)
  return treatment ? applianceType[treatment] : target
}

export function leastWanted({ taskType }: Goal): 1 | 2 {
  return taskType === 'pick_two_obj_and_place' ? 2 : 1
}

export class FullGoals {
  readonly all: readonly AskedGoal[]
  /** ["split task"] the goals to draw from, and the cumulative sums of their shares. */
  private readonly drawable = new Map<string, AskedGoal[]>()
  private readonly sums = new Map<string, readonly number[]>()
  private readonly planShares = new Map<FloorPlan, number>()
  /** ["plan object"] */
  private readonly byObject = new Map<string, AskedGoal[]>()

  constructor(room: Room, plans: readonly FloorPlan[], counts: FullCounts) {
    const statistics = sceneStatistics[room]
    this.all = rakedGoals(possibleGoals(plans, counts, statistics), statistics)
    for (const asked of this.all) {
      const { plan, goal, split, share } = asked
      this.planShares.set(plan, this.shareOn(plan) + share)
      listIn(this.byObject, `${plan.number} ${goal.object}`).push(asked)
      listIn(this.drawable, `${split} ${goal.taskType}`).push(asked)
    }
    for (const [key, goals] of this.drawable) {
      let sum = 0
      this.sums.set(
        key,
        goals.map(({ share }) => (sum += share)),
      )
    }
  }

  /** Share of the room's games on a plan. */
  shareOn(plan: FloorPlan): number {
    return this.planShares.get(plan) ?? 0
  }

  /** Goals on a plan with objects of a type. */
  askingFor(object: string, plan: FloorPlan): readonly AskedGoal[] {
    return this.byObject.get(`${plan.number} ${object}`) ?? []
  }

  canAsk(split: Split, taskType: TaskType): boolean {
    return this.drawable.has(`${split} ${taskType}`)
  }

  draw(split: Split, taskType: TaskType, random: Random): AskedGoal {
    const goals = this.drawable.get(`${split} ${taskType}`)!
    const sums = this.sums.get(`${split} ${taskType}`)!
    const at = unit(random) * sums.at(-1)!
    let low = 0
    for (let high = sums.length - 1; low < high;) {
      const middle = (low + high) >> 1
      if (sums[middle]! > at) high = middle
      else low = middle + 1
    }
    return goals[low]!
  }
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  let list = lists.get(key)
  if (!list) lists.set(key, (list = []))
  return list
}

function possibleGoals(plans: readonly FloorPlan[], counts: FullCounts, statistics: RoomCounts): AskedGoal[] {
  return plans.flatMap((plan) => {
    const receptacles = roomIn(plan)
    const lamps = new Set(plan.fixtures.filter((fixture) => fixture.in.length > 0).map(({ type }) => type))
    return taskTypes.flatMap((taskType) => {
      const targets = [...row(statistics, `goal ${taskType} target`).keys()].filter((target) =>
        taskType === 'look_at_obj_in_light' ? lamps.has(target) : receptacles.has(target),
      )
      const objects = [...row(statistics, `goal ${taskType} object`).keys()].filter((object) =>
        plan.objectTypes.includes(object),
      )
      return objects.flatMap((object) =>
        targets.flatMap((target): AskedGoal[] => {
          const goal: Goal = { taskType, object, target }
          const split = splitOf(plan.number, goal)
          const isPossible =
            split !== null &&
            isSensibleGoal(goal) &&
            counts.capacity(plan, object) >= leastWanted(goal) &&
            canStart(goal, receptacles, statistics)
          return isPossible ? [{ plan, goal, split, share: 1 }] : []
        }),
      )
    })
  })
}

/** Whether the goal's objects have a receptacle to start in. */
function canStart(goal: Goal, receptacles: ReadonlyMap<string, number>, statistics: RoomCounts): boolean {
  const barred = barredStart(goal)
  return [...row(statistics, `start ${goal.object}`).keys()].some(
    (pattern) => pattern !== nowhere && !typesOf(pattern).has(barred ?? '') && hasRoomFor(pattern, receptacles),
  )
}

function rakedGoals(goals: readonly AskedGoal[], statistics: RoomCounts): AskedGoal[] {
  const weights = new Float64Array(goals.length).fill(1)
  const asked = (goal: Goal, what: 'object' | 'target') =>
    row(statistics, `goal ${goal.taskType} ${what}`).get(goal[what])!
  const weightOf = (split: Split) =>
    [...new Set(goals.filter((one) => one.split === split).map(({ plan }) => plan))].reduce(
      (w, plan) => w + plan.weight,
      0,
    )
  const inAll = { train: weightOf('train'), id: weightOf('id'), ood: weightOf('ood') }
  rake(weights, [
    margin(goals, ({ goal }) => [`${goal.taskType} ${goal.object}`, asked(goal, 'object')]),
    margin(goals, ({ goal }) => [`${goal.taskType} ${goal.target}`, asked(goal, 'target')]),
    margin(goals, ({ split, goal: { taskType } }) => [
      `${split} ${taskType}`,
      officialSplitSizes[split] * row(statistics, 'task').get(taskType)!,
    ]),
    margin(goals, ({ split, plan }) => [
      `${split} ${plan.number}`,
      (officialSplitSizes[split] * plan.weight) / inAll[split],
    ]),
  ])
  return goals.map((one, index) => ({ ...one, share: weights[index]! }))
}

/** `classOf` returns the class of a goal and the sum that the class should have. */
function margin(goals: readonly AskedGoal[], classOf: (asked: AskedGoal) => [name: string, sum: number]): Margin {
  const classes = new Map<string, number>()
  const sums: number[] = []
  const indexes = goals.map((asked) => {
    const [name, sum] = classOf(asked)
    if (!classes.has(name)) {
      classes.set(name, sums.length)
      sums.push(sum)
    }
    return classes.get(name)!
  })
  return { classOf: indexes, sums }
}
