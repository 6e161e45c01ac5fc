/** Lookup tables of a game: names, acceptance and places. Built once per game, immutable, shared by all its states. */
import { isCapable, nameOf, treatmentOf, type HouseholdGame } from './game.ts'
import { accepts, applianceType, can, knifeTypes } from './vocabulary.ts'

interface WorldReceptacle {
  index: number
  name: string
  type: string
  isOpenable: boolean
  place: number
}

interface WorldObject {
  index: number
  name: string
  type: string
  isPickupable: boolean
  isCleanable: boolean
  isHeatable: boolean
  isCoolable: boolean
  isSliceable: boolean
  isLamp: boolean
  isKnife: boolean
  isContainer: boolean
  /** Objects in it. */
  inside: readonly number[]
}

export interface World {
  game: HouseholdGame
  receptacles: readonly WorldReceptacle[]
  objects: readonly WorldObject[]
  receptacleNamed: ReadonlyMap<string, number>
  objectNamed: ReadonlyMap<string, number>
  /** [receptacle] */
  placeOf: readonly number[]
  /** [place] receptacles within reach there, in listing order. */
  receptaclesAt: readonly (readonly number[])[]
  /** [receptacle][object]; receptacles of one type share a row. */
  accepts: readonly (readonly boolean[])[]
  /** Objects that can be turned on and objects that can be sliced, both in listing order. */
  lamps: readonly number[]
  sliceables: readonly number[]
  /** Objects of the goal's type; `goalObjects` are those that can be picked up and treated as the goal requires. */
  goalTypeObjects: readonly number[]
  goalObjects: readonly number[]
  /** Receptacles of the goal's type; empty in the lamp task. */
  goalReceptacles: readonly number[]
  /** Lamps of the goal's type; empty in all other tasks. */
  goalLamps: readonly number[]
  /** Appliances for the goal's treatment; empty if it requires none. */
  appliances: readonly number[]
}

const worlds = new WeakMap<HouseholdGame, World>()

/** The tables of a game, which must not change after its first use. */
export function worldOf(game: HouseholdGame): World {
  let world = worlds.get(game)
  if (!world) {
    world = buildWorld(game)
    worlds.set(game, world)
  }
  return world
}

function buildWorld(game: HouseholdGame): World {
  const { goal } = game
  const receptacles = game.receptacles.map(({ type, isOpenable, place, ...name }, index): WorldReceptacle => ({
    index,
    name: nameOf(name),
    type,
    isOpenable,
    place,
  }))
  const inside = game.objects.map((): number[] => [])
  game.objects.forEach((object, index) => {
    for (const outer of object.inside ?? []) inside[outer]?.push(index)
  })
  const objects = game.objects.map((object, index): WorldObject => ({
    index,
    name: nameOf(object),
    type: object.type,
    isPickupable: object.isPickupable ?? can(object.type, 'pickupable'),
    isCleanable: can(object.type, 'cleanable'),
    isHeatable: can(object.type, 'heatable'),
    isCoolable: can(object.type, 'coolable'),
    isSliceable: can(object.type, 'sliceable'),
    isLamp: can(object.type, 'lamp'),
    isKnife: knifeTypes.has(object.type),
    isContainer: can(object.type, 'container'),
    inside: inside[index]!,
  }))
  const receptaclesAt = Array.from({ length: Math.max(-1, ...receptacles.map((r) => r.place)) + 1 }, (): number[] => [])
  for (const receptacle of receptacles) receptaclesAt[receptacle.place]!.push(receptacle.index)
  const acceptedBy = new Map(
    [...new Set(receptacles.map((r) => r.type))].map((type) => [type, objects.map((o) => accepts(type, o.type))]),
  )
  const isLampTask = goal.taskType === 'look_at_obj_in_light'
  const treatment = treatmentOf(goal.taskType)
  const goalTypeObjects = objects.filter((object) => object.type === goal.object).map((object) => object.index)
  const receptaclesOfType = (type: string) => receptacles.filter((r) => r.type === type).map((r) => r.index)
  return {
    game,
    receptacles,
    objects,
    receptacleNamed: new Map(receptacles.map((r) => [r.name, r.index])),
    objectNamed: new Map(objects.map((o) => [o.name, o.index])),
    placeOf: receptacles.map((r) => r.place),
    receptaclesAt,
    accepts: receptacles.map((r) => acceptedBy.get(r.type)!),
    lamps: objects.filter((o) => o.isLamp).map((o) => o.index),
    sliceables: objects.filter((o) => o.isSliceable).map((o) => o.index),
    goalTypeObjects,
    goalObjects: goalTypeObjects.filter((o) => objects[o]!.isPickupable && isCapable(goal.taskType, goal.object)),
    goalReceptacles: isLampTask ? [] : receptaclesOfType(goal.target),
    goalLamps: isLampTask ? objects.filter((o) => o.isLamp && o.type === goal.target).map((o) => o.index) : [],
    appliances: treatment ? receptaclesOfType(applianceType[treatment]) : [],
  }
}
