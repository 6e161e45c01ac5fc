/**
 * Builds receptacles and objects from the facts of a game, with the names that ALFWorld gives them.
 *
 * Names: an id such as "mug_bar_…" contains type and coordinates. Its noun is the part before "_bar_", plus "basin" if the id
 * contains this word. Ids are sorted as strings, and those of a noun are numbered from the highest number down to 1, including
 * every id in some fact. So an id with facts but without a type (half of a cracked egg, in two official games) is invisible
 * and still uses up a number.
 */
import type { GameObject, GameReceptacle, HouseholdGame } from '../engine/game.ts'
import { accepts, can, receptacleTypes, type Capability } from '../engine/vocabulary.ts'
import { GameFileError } from './game-file-error.ts'
import { typeName } from './goal.ts'
import { isObjectType } from './object-types.ts'
import { shortened, type Predicate, type Problem } from './problem.ts'

interface Scene {
  game: Pick<HouseholdGame, 'receptacles' | 'objects' | 'open' | 'cool' | 'v1Locations'>
  /** [id] the name in the game ("mug 1"). */
  names: ReadonlyMap<string, string>
}

interface Name {
  noun: string
  number: number
}

/** Throws a GameFileError if the facts are not those of an ALFWorld game. */
export function readScene(problem: Problem): Scene {
  const { facts, types, ids } = problem
  const names = namesOf(ids)
  const receptacleIds = ids.filter((id) => types.get(id) === 'receptacle')
  const locationOf = single(facts.receptacleatlocation, 'is at two places')
  const receptacleTypeOf = single(facts.receptacletype, 'has two types')
  const openable = subjects(facts.openable)
  const places = new Map<string, number>()
  const receptacles = receptacleIds.map((id): GameReceptacle => {
    const type = typeName(receptacleTypeOf.get(id) ?? '')
    const location = locationOf.get(id)
    if (type === '') throw new GameFileError(`Its receptacle "${shortened(id)}" has no type.`)
    if (!receptacleTypes.some((known) => known === type)) {
      throw new GameFileError(`It has a receptacle of the unknown type "${shortened(type)}".`)
    }
    if (location === undefined) throw new GameFileError(`Its receptacle "${shortened(id)}" has no place.`)
    if (!places.has(location)) places.set(location, places.size)
    return { type, ...nameOf(names, id), isOpenable: openable.has(id), place: places.get(location)! }
  })
  if (receptacles.length === 0) throw new GameFileError('It has no receptacles, so there is nowhere to go.')
  checkStart(facts.atlocation, places)

  const objectTypeOf = single(facts.objecttype, 'has two types')
  const objectIds = ids.filter((id) => objectTypeOf.has(id))
  const receptacleIndex = indexOf(receptacleIds)
  const objectIndex = indexOf(objectIds)
  const containers = grouped(facts.inreceptacle, receptacleIndex, objectTypeOf)
  const outer = grouped(facts.inreceptacleobject, objectIndex, objectTypeOf)
  const standing = grouped(facts.objectatlocation, places, objectTypeOf)
  const pickupable = subjects(facts.pickupable)
  const objects = objectIds.map((id): GameObject => {
    const type = typeName(objectTypeOf.get(id)!)
    if (!isObjectType(type)) throw new GameFileError(`It has an object of the unknown type "${shortened(type)}".`)
    const where = containers.get(id) ?? []
    const inside = outer.get(id)
    const at = standing.get(id) ?? []
    if (at.length > 1) throw new GameFileError(`Its object "${shortened(id)}" is at two places.`)
    const place = at[0] ?? -1
    const isPickupable = pickupable.has(id)
    return {
      type,
      ...nameOf(names, id),
      in: where,
      ...(place !== (where.length > 0 ? receptacles[where[0]!]!.place : -1) && { place }),
      ...(isPickupable !== can(type, 'pickupable') && { isPickupable }),
      ...(inside && { inside }),
    }
  })
  checkRules(problem, objectIds, objects, receptacles)
  return {
    game: {
      receptacles,
      objects,
      open: indices(facts.opened, receptacleIndex).filter((index) => receptacles[index]!.isOpenable),
      cool: indices(facts.iscool, objectIndex),
      v1Locations: [...places.keys()].map((id) => nameOf(names, id).number),
    },
    names: new Map([...names].map(([id, { noun, number }]) => [id, `${noun} ${number}`])),
  }
}

function namesOf(ids: readonly string[]): Map<string, Name> {
  const nouns = ids.map((id) => {
    const end = id.indexOf('_bar_')
    return end < 0 ? '' : id.slice(0, end) + (id.includes('basin') ? 'basin' : '')
  })
  const left = new Map<string, number>()
  for (const noun of nouns) left.set(noun, (left.get(noun) ?? 0) + 1)
  return new Map(
    ids.map((id, index) => {
      const noun = nouns[index]!
      const number = left.get(noun)!
      left.set(noun, number - 1)
      return [id, { noun, number }]
    }),
  )
}

function nameOf(names: ReadonlyMap<string, Name>, id: string): Name {
  const name = names.get(id)
  if (name === undefined || name.noun === '') {
    throw new GameFileError(`It has a thing called "${shortened(id)}", which is not an ALFWorld name.`)
  }
  return name
}

/** [first argument] second argument, for predicates that hold at most once per object. */
function single(facts: readonly (readonly string[])[], otherwise: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const [about, value] of facts) {
    if (values.has(about!)) throw new GameFileError(`"${shortened(about!)}" ${otherwise}.`)
    values.set(about!, value!)
  }
  return values
}

/** [first argument] positions of the second arguments, ascending; skips those without a position. */
function grouped(
  facts: readonly (readonly string[])[],
  positionOf: ReadonlyMap<string, number>,
  typeOf: ReadonlyMap<string, string>,
): Map<string, number[]> {
  const positions = new Map<string, number[]>()
  for (const [about, value] of facts) {
    if (!typeOf.has(about!)) throw new GameFileError(`Its object "${shortened(about!)}" has no type.`)
    const position = positionOf.get(value!)
    if (position === undefined) continue
    const list = positions.get(about!)
    if (list) list.push(position)
    else positions.set(about!, [position])
  }
  for (const list of positions.values()) list.sort((a, b) => a - b)
  return positions
}

function subjects(facts: readonly (readonly string[])[]): Set<string> {
  return new Set(facts.map(([about]) => about!))
}

function indexOf(ids: readonly string[]): Map<string, number> {
  return new Map(ids.map((id, index) => [id, index]))
}

function indices(facts: readonly (readonly string[])[], positionOf: ReadonlyMap<string, number>): number[] {
  return facts.flatMap(([about]) => positionOf.get(about!) ?? []).sort((a, b) => a - b)
}

function checkStart(facts: readonly (readonly string[])[], places: ReadonlyMap<string, number>): void {
  const [start, ...more] = facts
  if (start === undefined || more.length > 0)
    throw new GameFileError('It does not have exactly one agent at one place.')
  if (places.has(start[1]!)) {
    throw new GameFileError('The agent starts at a receptacle instead of in the middle of the room.')
  }
}

const CAPABILITIES = {
  cleanable: 'cleanable',
  heatable: 'heatable',
  coolable: 'coolable',
  sliceable: 'sliceable',
  isreceptacleobject: 'container',
  toggleable: 'lamp',
} as const satisfies Partial<Record<Predicate, Capability>>

/** The rules for types are the same in all ALFWorld games. The engine would play a file with other rules wrongly. */
function checkRules(
  { facts }: Problem,
  objectIds: readonly string[],
  objects: readonly GameObject[],
  receptacles: readonly GameReceptacle[],
): void {
  for (const [predicate, capability] of Object.entries(CAPABILITIES)) {
    const able = subjects(facts[predicate as keyof typeof CAPABILITIES])
    const wrong = objectIds.findIndex((id, index) => able.has(id) !== can(objects[index]!.type, capability))
    if (wrong < 0) continue
    const states = able.has(objectIds[wrong]!) ? 'says' : 'does not say'
    throw new GameFileError(`It ${states} that a ${objects[wrong]!.type} is "${predicate}", against ALFWorld's rules.`)
  }
  const allowed = new Set(facts.cancontain.map(([holder, held]) => `${typeName(holder!)} ${typeName(held!)}`))
  const heldTypes = new Set(objects.map(({ type }) => type))
  for (const holder of new Set(receptacles.map(({ type }) => type))) {
    for (const held of heldTypes) {
      const isAllowed = allowed.has(`${holder} ${held}`)
      if (isAllowed === accepts(holder, held)) continue
      throw new GameFileError(
        `It ${isAllowed ? 'says' : 'does not say'} that a ${holder} can contain a ${held}, against ALFWorld's rules.`,
      )
    }
  }
}
