/**
 * A game as plain data: receptacles, objects and the goal. Lists are in the order in which observations name things (nouns
 * alphabetical, numbers descending), and things refer to each other by index in these lists.
 */
import type { Split } from '../../../method/ports.ts'
import { can, treatmentCapability, type Treatment } from './vocabulary.ts'

export const taskTypes = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const

export type TaskType = (typeof taskTypes)[number]

export interface Goal {
  taskType: TaskType
  /** Type of the object to bring ("mug"). */
  object: string
  /** Type of the receptacle to bring it to, or of the lamp to look at it with. */
  target: string
}

export interface GameReceptacle {
  /** Determines what it accepts and does. */
  type: string
  /** Its name without the number. Equals the type, except in one floor plan where the bathtub's basin is a sink's. */
  noun: string
  number: number
  isOpenable: boolean
  /** The agent reaches all receptacles with the same place from one spot. */
  place: number
}

export interface GameObject {
  type: string
  noun: string
  number: number
  /** The receptacles that list it at the start: usually one; several for a pan across two burners; none if unreachable. */
  in: number[]
  /** The place in its "objectAtLocation" fact, if that is not its receptacle's; -1 is a place without receptacles. */
  place?: number
  /** Set if it differs from the type's rule (about half of all footstools can be picked up). */
  isPickupable?: boolean
  /** The objects that contain it (two in 14 official games); examining those reveals it. Never changes. */
  inside?: number[]
}

/** The generator options that produced a game. */
interface GameOrigin {
  split: Split
  sceneSize: SceneSize
  seed: number
}

export type SceneSize = 'compact' | 'full'

export interface HouseholdGame {
  id: string
  /** Absent from imported games. */
  origin?: GameOrigin
  floorPlan: number
  receptacles: GameReceptacle[]
  objects: GameObject[]
  goal: Goal
  /** Selects one of the two goal sentences. */
  phrasing: 0 | 1
  /** Replaces them, verbatim and with its own full stop: a crowd worker's description of the goal. */
  sentence?: string
  /** Receptacles that start open (none in official games). */
  open: number[]
  /** Objects that start cool. */
  cool: number[]
  /** v1 calls the place p "loc v1Locations[p]"; counts down by default. */
  v1Locations?: number[]
}

const goalSentences: Readonly<Record<TaskType, readonly [string, string]>> = {
  pick_and_place_simple: ['put a {object} in {target}', 'put some {object} on {target}'],
  look_at_obj_in_light: ['look at {object} under the {target}', 'examine the {object} with the {target}'],
  pick_clean_then_place_in_recep: ['put a clean {object} in {target}', 'clean some {object} and put it in {target}'],
  pick_heat_then_place_in_recep: ['put a hot {object} in {target}', 'heat some {object} and put it in {target}'],
  pick_cool_then_place_in_recep: ['put a cool {object} in {target}', 'cool some {object} and put it in {target}'],
  pick_two_obj_and_place: ['put two {object} in {target}', 'find two {object} and put them in {target}'],
}

/** "put a clean mug in cabinet", without a final full stop. */
export function goalSentence(goal: Goal, phrasing: 0 | 1): string {
  return goalSentences[goal.taskType][phrasing].replace('{object}', goal.object).replace('{target}', goal.target)
}

/** The instruction to the agent: "put a clean mug in cabinet." */
export function taskSentence({ goal, phrasing, sentence }: HouseholdGame): string {
  return sentence ?? `${goalSentence(goal, phrasing)}.`
}

/** The treatment that the object needs before delivery, if any. */
export function treatmentOf(taskType: TaskType): Treatment | null {
  switch (taskType) {
    case 'pick_clean_then_place_in_recep':
      return 'clean'
    case 'pick_heat_then_place_in_recep':
      return 'heat'
    case 'pick_cool_then_place_in_recep':
      return 'cool'
    default:
      return null
  }
}

/** Whether objects of this type can be picked up and treated as the task type asks. */
export function isCapable(taskType: TaskType, objectType: string): boolean {
  const treatment = treatmentOf(taskType)
  return can(objectType, 'pickupable') && (treatment === null || can(objectType, treatmentCapability[treatment]))
}

export function nameOf(entity: { noun: string; number: number }): string {
  return `${entity.noun} ${entity.number}`
}

/** Marks goal objects that start in a fridge as cool, unless cooling is the task; so does every official game. */
export function withCoolTargets(game: HouseholdGame): HouseholdGame {
  const isCool = ({ type, in: receptacles }: GameObject) =>
    game.goal.taskType !== 'pick_cool_then_place_in_recep' &&
    type === game.goal.object &&
    receptacles.some((receptacle) => game.receptacles[receptacle]!.type === 'fridge')
  return { ...game, cool: game.objects.flatMap((object, index) => (isCool(object) ? [index] : [])) }
}
