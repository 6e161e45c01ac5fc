/**
 * Compact scenes for small models: a few objects in a few receptacles, with the official games' shares. Shipped models were
 * trained on these games, so a seed must always give the same game.
 */
import { rooms, targetCounts, taskMix, unseenFloorPlans, type Room } from '../../corpus/statistics.ts'
import { floorPlansOf, type FloorPlan } from '../floor-plans.ts'
import { compactFloorPlan } from './floor-plans.ts'
import { treatmentOf, type GameObject, type Goal, type TaskType } from '../../engine/game.ts'
import { isSensibleGoal } from '../sensible-goals.ts'
import { numbered } from '../numbering.ts'
import { drawPlacement } from '../../corpus/placement.ts'
import { chance, integer, pick, pickWeighted, shuffled, type Random } from '../../../random.ts'
import type { Scene } from '../scene.ts'
import type { Split } from '../../../../method/ports.ts'
import { splitOf } from '../splits.ts'
import { applianceType, receptacleTypes } from '../../engine/vocabulary.ts'

/**
 * Odds of a visible target, one that is found without opening anything. About 75 % of the games have one, because games with
 * hidden targets are rejected more often. The agent must need to search.
 */
const visibleTargetShare = 0.66

/** Null if the draw found no goal of the type, or no fair places for its objects. */
export function drawCompactScene(split: Split, taskType: TaskType, random: Random): Scene | null {
  const room = pickWeighted(random, rooms, (r) => taskMix[taskType][r] ?? 0)
  if (!room) return null
  const plan = compactFloorPlan(pick(random, floorPlansFor(room, split)))
  const goals = goalsOn(plan, taskType).filter((candidate) => splitOf(plan.number, candidate) === split)
  if (goals.length === 0) return null
  const goal = pick(random, goals)
  const objects = placeObjects(plan, goal, random)
  return objects && { plan, goal, objects }
}

function floorPlansFor(room: Room, split: Split): number[] {
  return floorPlansOf(room).filter((number) => unseenFloorPlans.includes(number) === (split === 'ood'))
}

function goalsOn(plan: FloorPlan, taskType: TaskType): Goal[] {
  const present = new Set(plan.receptacles.map((receptacle) => receptacle.type))
  const targets =
    taskType === 'look_at_obj_in_light' ? ['desklamp'] : receptacleTypes.filter((type) => present.has(type))
  return plan.objectTypes.flatMap((object) =>
    targets
      .filter((target) => taskType !== 'look_at_obj_in_light' || plan.objectTypes.includes(target))
      .map((target) => ({ taskType, object, target }))
      .filter(isSensibleGoal),
  )
}

/** Places the goal's objects and others. Null if the draw found no fair places. */
export function placeObjects(plan: FloorPlan, goal: Goal, random: Random): GameObject[] | null {
  const targets = placeTargets(plan, goal, random)
  if (!targets) return null
  const placed = targets.map((where) => ({ type: goal.object, in: where }))
  const others = plan.objectTypes.filter((type) => type !== goal.object)
  const addObject = (type: string) => {
    const where = drawPlacement(random, plan.receptacles, type)
    if (where !== null) placed.push({ type, in: [where] })
  }
  const isLampTask = goal.taskType === 'look_at_obj_in_light'
  if (isLampTask) addObject(goal.target)
  const wanted = Math.max(integer(random, 6, 12), placed.length)
  const drawable = others.filter((type) => !isLampTask || type !== goal.target)
  while (placed.length < wanted) {
    const before = placed.length
    for (const type of shuffled(random, drawable)) if (placed.length < wanted) addObject(type)
    if (placed.length === before) break
  }
  return numbered(placed, random)
}

/** Where the goal's objects start; null if the draw found no fair places. */
function placeTargets(plan: FloorPlan, goal: Goal, random: Random): number[][] | null {
  const isTwo = goal.taskType === 'pick_two_obj_and_place'
  const treatment = treatmentOf(goal.taskType)
  const atLeast = isTwo ? 2 : 1
  const counts = targetCounts.map((_, i) => i + 1).filter((count) => count >= atLeast && count <= atLeast + 1)
  const count = pickWeighted(random, counts, (n) => targetCounts[n - 1]!)!
  const isVisible = chance(random, visibleTargetShare)
  const isBarred = (receptacle: number) => {
    const { type } = plan.receptacles[receptacle]!
    return (!isTwo && !treatment && type === goal.target) || (treatment !== null && type === applianceType[treatment])
  }
  for (let attempt = 0; attempt < 60; attempt++) {
    const places: number[][] = []
    for (let i = 0; i < count; i++) {
      const where = drawPlacement(random, plan.receptacles, goal.object, isBarred)
      places.push(where === null ? [] : [where])
    }
    const within = places.flat().map((receptacle) => plan.receptacles[receptacle]!)
    const visible = within.some((receptacle) => !receptacle.isOpenable)
    const atGoal = within.filter((receptacle) => receptacle.type === goal.target).length
    if (within.length >= atLeast && visible === isVisible && (!isTwo || atGoal <= 1)) return places
  }
  return null
}
