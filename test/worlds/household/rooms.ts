/** Small games written by hand, and tiny ones drawn at random, for tests. */
import fc from 'fast-check'
import type { Goal, GameObject, HouseholdGame, TaskType } from '../../../src/worlds/household/engine/game.ts'
import { taskTypes } from '../../../src/worlds/household/engine/game.ts'

/**
 * Builds a game from lines like "drawer 1 closed @2: mug 1, pen 2"; "@2" is its place (a new place if left
 * out), "closed" or "open" makes it openable. Lines and contents must be in listing order. A name that occurs in several
 * lines is one object listed twice; the line "nowhere: pan 1" is for objects out of reach.
 */
export function room(text: string, goal: Goal, overrides: Partial<HouseholdGame> = {}): HouseholdGame {
  const receptacles: HouseholdGame['receptacles'] = []
  const objects = new Map<string, GameObject>()
  const open: number[] = []
  for (const line of text.trim().split('\n')) {
    const [, noun, number, lid, place, contents] = /^\s*(\w+) ?(\d+)? ?(closed|open)? ?(?:@(\d+))?: ?(.*)$/.exec(line)!
    if (noun !== 'nowhere') {
      if (lid === 'open') open.push(receptacles.length)
      receptacles.push({
        type: noun!,
        noun: noun!,
        number: Number(number),
        isOpenable: lid !== undefined,
        place: place === undefined ? 10 + receptacles.length : Number(place),
      })
    }
    for (const name of contents!.split(', ').filter((item) => item !== '' && item !== 'nothing')) {
      const [type, count] = name.split(' ')
      const object = objects.get(name) ?? { type: type!, noun: type!, number: Number(count), in: [] }
      objects.set(name, object)
      if (noun !== 'nowhere') object.in.push(receptacles.length - 1)
    }
  }
  const sorted = [...objects.values()].sort((a, b) =>
    a.noun < b.noun ? -1 : a.noun > b.noun ? 1 : b.number - a.number,
  )
  return { id: 'room', floorPlan: 1, receptacles, objects: sorted, goal, phrasing: 0, open, cool: [], ...overrides }
}

const kitchenTypes = ['cabinet', 'countertop', 'drawer', 'fridge', 'microwave', 'sinkbasin'] as const
const openable: ReadonlySet<string> = new Set(['cabinet', 'drawer', 'fridge', 'microwave'])

/** Objects and targets of tiny games: some pairs accepted, some not. */
const objectOf: Readonly<Record<TaskType, readonly string[]>> = {
  pick_and_place_simple: ['mug', 'spoon'],
  look_at_obj_in_light: ['mug', 'spoon'],
  pick_clean_then_place_in_recep: ['mug', 'spoon'],
  pick_heat_then_place_in_recep: ['mug'],
  pick_cool_then_place_in_recep: ['mug'],
  pick_two_obj_and_place: ['mug', 'spoon'],
}

/** A game of up to 4 receptacles and 3 objects, with shared places, double listings and objects that fit nowhere. */
export const tinyGame: fc.Arbitrary<HouseholdGame> = fc
  .record({
    taskType: fc.constantFrom(...taskTypes),
    types: fc.array(fc.constantFrom(...kitchenTypes), { minLength: 2, maxLength: 4 }),
    lids: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    places: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    opened: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    objects: fc.array(
      fc.record({
        type: fc.constantFrom('mug', 'mug', 'spoon', 'papertowelroll'),
        in: fc.uniqueArray(fc.nat(3), { minLength: 0, maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    objectChoice: fc.nat(),
    targetChoice: fc.nat(),
    lampAt: fc.uniqueArray(fc.nat(3), { minLength: 0, maxLength: 2 }),
    isCool: fc.boolean(),
  })
  .map((draw) => {
    const types = [...draw.types].sort()
    const usedPlaces = [...new Set(types.map((_, i) => draw.places[i]!))]
    const receptacles = types.map((type, i) => ({
      type,
      noun: type,
      number: types.slice(i).filter((other) => other === type).length,
      isOpenable: openable.has(type) && draw.lids[i]!,
      place: usedPlaces.indexOf(draw.places[i]!),
    }))
    const placed: GameObject[] = draw.objects.map((object) => ({
      type: object.type,
      noun: object.type,
      number: 0,
      in: [...new Set(object.in.map((r) => r % types.length))],
    }))
    const isLampTask = draw.taskType === 'look_at_obj_in_light'
    if (isLampTask) {
      placed.push({
        type: 'desklamp',
        noun: 'desklamp',
        number: 0,
        in: [...new Set(draw.lampAt.map((r) => r % types.length))],
      })
    }
    placed.sort((a, b) => (a.noun < b.noun ? -1 : a.noun > b.noun ? 1 : 0))
    const objects = placed.map((object, i) => ({
      ...object,
      number: placed.slice(i).filter((other) => other.noun === object.noun).length,
    }))
    const wanted = objectOf[draw.taskType]
    return {
      id: 'tiny',
      floorPlan: 1,
      receptacles,
      objects,
      goal: {
        taskType: draw.taskType,
        object: wanted[draw.objectChoice % wanted.length]!,
        target: isLampTask ? 'desklamp' : types[draw.targetChoice % types.length]!,
      },
      phrasing: 0,
      open: receptacles.flatMap((receptacle, i) => (receptacle.isOpenable && draw.opened[i] ? [i] : [])),
      cool: draw.isCool && draw.taskType !== 'pick_cool_then_place_in_recep' ? objects.map((_, i) => i) : [],
    }
  })

/** A plausible command: known words around known and unknown names. */
export function anyCommand(game: HouseholdGame): fc.Arbitrary<string> {
  const names = [...game.receptacles, ...game.objects].map(({ noun, number }) => `${noun} ${number}`)
  const name = fc.constantFrom(...names, 'unicorn 1')
  const form = fc.constantFrom(
    'look', 'inventory', 'help', 'go to A', 'open A', 'close A', 'examine A', 'take A from B', 'move A to B',
    'put A in/on B', 'clean A with B', 'heat A with B', 'cool A with B', 'use A', 'slice A with B', 'A', '',
  ) // prettier-ignore
  const formed = fc.tuple(form, name, name).map(([text, a, b]) => text.replace('A', a).replace('B', b))
  return fc.oneof({ weight: 9, arbitrary: formed }, { weight: 1, arbitrary: fc.string() })
}
