/**
 * Writes a game as the text of a "game.tw-pddl", so that reading gives the same game again, with every oddity that
 * official games have: objects in two receptacles or in none, two nouns for one type, places without receptacles, unused
 * numbers. Ids are our own and sort in the order of the game's lists.
 */
import {
  taskSentence,
  type GameObject,
  type GameReceptacle,
  type Goal,
  type HouseholdGame,
} from '../../../../src/worlds/household/engine/game.ts'
import { accepts, can } from '../../../../src/worlds/household/engine/vocabulary.ts'

export interface GameText {
  /** "Your task is to: …"; the game's own if left out. */
  sentence?: string
  walkthrough?: readonly string[]
}

export function gameText(game: HouseholdGame, { sentence = taskSentence(game), walkthrough }: GameText = {}): string {
  return JSON.stringify({
    pddl_domain: '(define (domain alfred))',
    grammar: `grammar :: """\n{ "task": [\n  {\n    "rhs": "Your task is to: ${sentence}"\n  }\n] }\n""";`,
    pddl_problem: problemText(game),
    solvable: true,
    ...(walkthrough && { walkthrough }),
  })
}

const FLAGS = {
  cleanable: 'cleanable',
  heatable: 'heatable',
  coolable: 'coolable',
  sliceable: 'sliceable',
  isReceptacleObject: 'container',
  toggleable: 'lamp',
} as const

export function problemText(game: HouseholdGame): string {
  const receptacles = identified(game.receptacles)
  const objects = identified(game.objects)
  const locations = locationsOf(game)
  const receptacleTypes = game.receptacles.map(({ type }) => type)
  const objectTypes = game.objects.map(({ type }) => type)
  const asked = game.goal.taskType === 'look_at_obj_in_light' ? 'lamp' : 'receptacle'
  const declared = new Map<string, string[]>([
    ['agent', ['agent1']],
    ['location', locations.all],
    ['receptacle', receptacles.ids],
    ['object', [...objects.ids, ...objects.phantoms]],
    ['rtype', typeNames(asked === 'lamp' ? receptacleTypes : [...receptacleTypes, game.goal.target])],
    ['otype', typeNames([...objectTypes, game.goal.object, ...(asked === 'lamp' ? [game.goal.target] : [])])],
  ])
  const facts = [
    ['atLocation', 'agent1', locations.start],
    ...receptacles.ids.flatMap((id, index) => {
      const { type, place, isOpenable } = game.receptacles[index]!
      return [
        ['receptacleType', id, typeNamed(type)],
        ['receptacleAtLocation', id, locations.of(place)],
        ...(isOpenable ? [['openable', id]] : []),
      ]
    }),
    ...objects.ids.flatMap((id, index) => objectFacts(game.objects[index]!, id)),
    ...game.objects.flatMap(({ in: holders, inside = [] }, index) => [
      ...holders.map((holder) => ['inReceptacle', objects.ids[index]!, receptacles.ids[holder]!]),
      ...inside.map((outer) => ['inReceptacleObject', objects.ids[index]!, objects.ids[outer]!]),
    ]),
    ...objects.phantoms.map((id) => ['pickupable', id]),
    ...locations.objects.map(([object, location]) => ['objectAtLocation', objects.ids[object]!, location]),
    ...canContain(game),
    ...game.open.map((receptacle) => ['opened', receptacles.ids[receptacle]!]),
    ...game.cool.map((object) => ['isCool', objects.ids[object]!]),
  ]
  return [
    `(define (problem plan_trial_${game.id.replace(/\W/g, '_')})`,
    '(:domain alfred)',
    '(:objects',
    ...[...declared].flatMap(([type, ids]) => [...new Set(ids)].map((id) => `    ${id} - ${type}`)),
    ')',
    '(:init ; what holds at the start',
    ...facts.map((fact) => `    (${fact.join(' ')})`),
    ')',
    `(:goal (and ${goalText(game.goal)}))`,
    ')',
  ].join('\n')
}

function objectFacts({ type, isPickupable }: GameObject, id: string): string[][] {
  const flags = Object.entries(FLAGS).filter(([, capability]) => can(type, capability))
  return [
    ['objectType', id, typeNamed(type)],
    ...((isPickupable ?? can(type, 'pickupable')) ? [['pickupable', id]] : []),
    ...flags.map(([predicate]) => [predicate, id]),
  ]
}

/** Ids in the order of the list. Numbers that the list skips need an id as well, without other facts. */
function identified(things: readonly (GameReceptacle | GameObject)[]): { ids: string[]; phantoms: string[] } {
  const phantoms: string[] = []
  const ids = things.map(({ noun, number }, index) => {
    const stem = noun.replace(/basin$/, '')
    const basin = stem === noun ? '' : `_bar_${capitalised(stem)}Basin`
    const id = `${capitalised(stem)}_bar__plus_${String(index).padStart(4, '0')}${basin}`
    const next = things[index + 1]
    const isLast = next?.noun !== noun
    for (let skipped = number - 1; skipped > (isLast ? 0 : next.number); skipped--) {
      phantoms.push(`${id}_bar_${capitalised(stem)}Cracked_${1000 - skipped}`)
    }
    return id
  })
  return { ids, phantoms }
}

/**
 * Locations are numbered downwards in the order of their ids, and `v1Locations` says which number each place has. The
 * numbers between belong to places without receptacles: the agent's and those of things that are out of the way.
 */
function locationsOf(game: HouseholdGame) {
  const count = Math.max(...game.receptacles.map(({ place }) => place)) + 1
  const numbers = game.v1Locations ?? Array.from({ length: count }, (_, place) => count - place)
  const highest = Math.max(...numbers)
  const isTaken = new Set(numbers)
  const free = Array.from({ length: highest }, (_, i) => i + 1).filter((number) => !isTaken.has(number))
  const named = (number: number) => `loc_bar_${String(9999 - number)}_bar_60`
  const start = named(free.pop() ?? highest + 1)
  const of = (place: number) => named(numbers[place]!)
  const objects: [object: number, location: string][] = []
  game.objects.forEach((object, index) => {
    const place = object.place ?? (object.in.length > 0 ? game.receptacles[object.in[0]!]!.place : -1)
    if (place >= 0) objects.push([index, of(place)])
    else if (free.length > 0) objects.push([index, named(free.pop()!)])
  })
  // If there are more free numbers than such objects, one object is at all remaining places.
  if (free.length > 0) objects.push(...free.map((number): [number, string] => [0, named(number)]))
  return { start, of, objects, all: [start, ...numbers.map(named), ...objects.map(([, location]) => location)] }
}

function canContain({ receptacles, objects }: HouseholdGame): string[][] {
  const held = [...new Set(objects.map(({ type }) => type))]
  return [...new Set(receptacles.map(({ type }) => type))].flatMap((holder) =>
    held.filter((type) => accepts(holder, type)).map((type) => ['canContain', typeNamed(holder), typeNamed(type)]),
  )
}

const TREATED = {
  pick_clean_then_place_in_recep: '(cleanable ?o) (isClean ?o)',
  pick_heat_then_place_in_recep: '(heatable ?o) (isHot ?o)',
  pick_cool_then_place_in_recep: '(coolable ?o) (isCool ?o)',
  pick_and_place_simple: '',
} as const

function goalText({ taskType, object, target }: Goal): string {
  const thing = (variable: string) => `(objectType ${variable} ${typeNamed(object)})`
  const there = `(receptacleType ?r ${typeNamed(target)})`
  switch (taskType) {
    case 'look_at_obj_in_light':
      return (
        `(exists (?t - object ?r - receptacle ?a - agent ?l - location) (and (objectType ?t ${typeNamed(target)}) ` +
        '(toggleable ?t) (isToggled ?t) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?t ?r))) ' +
        `(exists (?o - object ?a - agent) (and ${thing('?o')} (holds ?a ?o)))`
      )
    case 'pick_two_obj_and_place':
      return (
        `(exists (?r - receptacle) (exists (?o - object) (and ${thing('?o')} ${there} (inReceptacle ?o ?r) ` +
        `(exists (?p - object) (and (not (= ?o ?p)) ${thing('?p')} ${there} (inReceptacle ?p ?r))))))`
      )
    default:
      return (
        `(exists (?r - receptacle) (exists (?o - object) ` +
        `(and ${TREATED[taskType]} ${thing('?o')} ${there} (inReceptacle ?o ?r))))`
      )
  }
}

function typeNames(types: readonly string[]): string[] {
  return types.map(typeNamed)
}

function typeNamed(type: string): string {
  return `${capitalised(type)}Type`
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
