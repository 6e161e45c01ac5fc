/**
 * A game that a person chooses: a small room of the generator, and any goal that makes sense there. The seed arranges the room; the
 * choice determines the game. It is a training game: what measures generalisation is not offered, so that it stays unseen.
 */
import { objectCounts, unseenFloorPlans, type Room } from '../corpus/statistics.ts'
import {
  isCapable,
  treatmentOf,
  withCoolTargets,
  type Goal,
  type HouseholdGame,
  type TaskType,
} from '../engine/game.ts'
import { accepts, applianceType, can, treatmentCapability } from '../engine/vocabulary.ts'
import { seededRandom } from '../../random.ts'
import { compactFloorPlan } from './compact/floor-plans.ts'
import { placeObjects } from './compact/scenes.ts'
import { floorPlansOf, type FloorPlan } from './floor-plans.ts'
import { holdsOne } from './full/start-patterns.ts'
import { isPlayable } from './generate-game.ts'
import { splitOf } from './splits.ts'

export interface OwnGameChoice {
  floorPlan: number
  goal: Goal
  /** Arranges what is in the room. */
  seed: number
}

/** A choice that is no game. The message is for display. */
export class OwnGameError extends Error {
  override readonly name = 'OwnGameError'
}

export function layoutsOf(room: Room): FloorPlan[] {
  return floorPlansOf(room).flatMap((number) => (unseenFloorPlans.includes(number) ? [] : [compactFloorPlan(number)]))
}

/** What can be brought or looked at in a room. */
export function objectsIn({ room }: FloorPlan): string[] {
  return Object.keys(objectCounts[room]).filter((type) => can(type, 'pickupable'))
}

/** Where a room lets things be put; for the lamp task the lamp that stands on furniture. */
export function targetsIn({ receptacles }: FloorPlan, taskType: TaskType): string[] {
  if (taskType === 'look_at_obj_in_light') return ['desklamp']
  return [...new Set(receptacles.map(({ type }) => type))]
}

/** What is wrong with a goal in a room, in a sentence; null if it can be asked. */
export function goalFault(plan: FloorPlan, goal: Goal): string | null {
  const { taskType, object, target } = goal
  const treatment = treatmentOf(taskType)
  const has = (type: string) => plan.receptacles.some((receptacle) => receptacle.type === type)
  if (treatment !== null) {
    const appliance = applianceType[treatment]
    const capable = objectsIn(plan).filter((type) => can(type, treatmentCapability[treatment]))
    if (!has(appliance))
      return `This room has no ${appliance} to ${treatment} a thing in. Choose another layout or goal.`
    if (!isCapable(taskType, object)) return `You cannot ${treatment} ${a(object)}. ${instead(capable)}`
    if (appliance === target) return `The ${appliance} is where you ${treatment} it. Choose another place to put it.`
  }
  if (taskType === 'look_at_obj_in_light') {
    const stands = plan.receptacles.some(({ type }) => accepts(type, target))
    if (!stands) return `Nothing in this room holds ${a(target)}. Choose another layout or goal.`
  } else {
    const open = plan.receptacles.map(({ type }) => type).filter((type) => accepts(type, object))
    if (!accepts(target, object)) return `${capital(a(target))} takes no ${object}. ${instead([...new Set(open)])}`
    if (taskType === 'pick_two_obj_and_place' && holdsOne.has(target))
      return `${capital(a(target))} holds one thing, and the goal is two. Choose another place.`
  }
  const isHeldOut = splitOf(plan.number, goal) !== 'train'
  return isHeldOut ? 'This goal is kept for measuring generalisation. Choose another thing, place or layout.' : null
}

const a = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)
const instead = (types: readonly string[]) =>
  types.length > 0 ? `Choose ${types.join(', ')}.` : 'Choose another layout or goal.'

/** Draws rooms until the goal can be reached in one, with the seed first. Throws OwnGameError. */
export function drawOwnGame({ floorPlan, goal, seed }: OwnGameChoice): HouseholdGame {
  const plan = compactFloorPlan(floorPlan)
  const fault = goalFault(plan, goal)
  if (fault !== null) throw new OwnGameError(fault)
  const { taskType, object, target } = goal
  for (let draw = 0; draw < 50; draw++) {
    const random = seededRandom('own game', floorPlan, taskType, object, target, seed, draw)
    const objects = placeObjects(plan, goal, random)
    if (!objects) continue
    const game = withCoolTargets({
      id: `${taskType}-${object}-${target}-${floorPlan}/own-${seed}`,
      origin: { split: 'train', sceneSize: 'compact', seed },
      floorPlan,
      receptacles: plan.receptacles.map((receptacle) => ({ ...receptacle })),
      objects,
      goal,
      phrasing: 0,
      open: [],
      cool: [],
    })
    if (isPlayable(game, random)) return game
  }
  throw new OwnGameError(
    `No arrangement of this room has ${a(object)} that can be brought to its goal. Choose another layout, thing or place.`,
  )
}
