/**
 * A game as plain data: what stands where, what lies in it and what is asked. Everything a game is made of is listed
 * in the order in which observations name it (nouns alphabetical, numbers descending), and refers to the rest by
 * position in these lists.
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
  /** Decides what it accepts and does. */
  type: string
  /** What it is called, without the number: the type in all but one floor plan, whose bathtub has a sink's basin. */
  noun: string
  number: number
  isOpenable: boolean
  /** Receptacles with equal places share one standing place. */
  place: number
}

export interface GameObject {
  type: string
  noun: string
  number: number
  /** The receptacles that list it at the start: usually one; two or more for a pan over two burners; none if unreachable. */
  in: number[]
  /** The place its "objectAtLocation" fact names where that is not its receptacle's; -1 is a place without receptacles. */
  place?: number
  /** Set where it differs from what the type says (about half of all footstools can be picked up). */
  isPickupable?: boolean
  /** The objects it lies in (two in 14 official games), told when those are examined; never changes. */
  inside?: number[]
}

/** Where a generated game comes from. */
interface GameOrigin {
  split: Split
  sceneSize: SceneSize
  seed: number
}

export type SceneSize = 'compact' | 'full'

export interface HouseholdGame {
  id: string
  /** Missing in games that were not generated here. */
  origin?: GameOrigin
  floorPlan: number
  receptacles: GameReceptacle[]
  objects: GameObject[]
  goal: Goal
  /** Which of the two goal sentences is used. */
  phrasing: 0 | 1
  /** Used instead of them, word for word and with its own full stop: what a crowd worker called this goal. */
  sentence?: string
  /** Receptacles that start open (never in official games). */
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

/** What the agent is told to do: "put a clean mug in cabinet." */
export function taskSentence({ goal, phrasing, sentence }: HouseholdGame): string {
  return sentence ?? `${goalSentence(goal, phrasing)}.`
}

/** What has to be done to the object on its way, if anything. */
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
