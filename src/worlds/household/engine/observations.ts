/** The sentences of the game, verbatim from ALFWorld: the only article is "a", and its commas and typos are kept. */
import { taskSentence } from './game.ts'
import { condition, contentsOf, isHere, type GameState } from './state.ts'
import { worldOf, type World } from './rooms.ts'

export const nothingHappens = 'Nothing happens.'

export const helpText = `Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
`

/** "nothing", "a mug 1", "a mug 2, and a mug 1", "a cup 1, a mug 2, and a mug 1". */
export function listing(names: readonly string[], article = 'a '): string {
  if (names.length === 0) return 'nothing'
  const parts = names.map((name) => article + name)
  if (parts.length === 1) return parts[0]!
  return `${parts.slice(0, -1).join(', ')}, and ${parts[parts.length - 1]}`
}

/** The first observation: the room and the task. `instruction` replaces the game's own goal sentence. */
export function openingText(state: GameState, instruction = taskSentence(state.game)): string {
  const receptacles = worldOf(state.game).receptacles.map((receptacle) => receptacle.name)
  return (
    '-= Welcome to TextWorld, ALFRED! =-\n\n' +
    `You are in the middle of a room. Looking quickly around you, you see ${listing(receptacles)}.\n\n` +
    `Your task is to: ${instruction}`
  )
}

export function receptacleText(state: GameState, receptacle: number): string {
  const world = worldOf(state.game)
  const { name, isOpenable } = world.receptacles[receptacle]!
  if (isOpenable && state.open[receptacle] === 0) return `The ${name} is closed.`
  const contents = listing(contentsOf(state, receptacle).map((object) => world.objects[object]!.name))
  return isOpenable ? `The ${name} is open. In it, you see ${contents}.` : `On the ${name}, you see ${contents}.`
}

export function arrivalText(state: GameState, receptacle: number): string {
  const { name, place } = worldOf(state.game).receptacles[receptacle]!
  return `You arrive at ${state.dialect === 'v1' ? `loc ${v1Location(state, place)}` : name}. ${receptacleText(state, receptacle)}`
}

function v1Location(state: GameState, place: number): number {
  const world = worldOf(state.game)
  return state.game.v1Locations?.[place] ?? world.receptaclesAt.length - place
}

/** In the middle of the room `look` reports nothing, although the opening text has just listed the room. */
export function lookText(state: GameState): string {
  const world = worldOf(state.game)
  if (state.place < 0) return 'You are in the middle of a room. Looking quickly around you, you see nothing.'
  const here = world.receptaclesAt[state.place]!
  return (
    `You are facing the ${listing(
      here.map((receptacle) => world.receptacles[receptacle]!.name),
      '',
    )}. ` + `Next to it, you see ${listing(floorObjects(world, state))}.`
  )
}

/** Objects at this place that were taken out of a receptacle here and not put back into it. */
function floorObjects(world: World, state: GameState): string[] {
  const names: string[] = []
  for (const pair of [...state.takenOut].sort((a, b) => a - b)) {
    const object = Math.floor(pair / world.receptacles.length)
    if (isHere(world, state, pair % world.receptacles.length) && state.standingAt[object]!.includes(state.place)) {
      names.push(world.objects[object]!.name)
    }
  }
  return names
}

export function inventoryText(state: GameState): string {
  if (state.held < 0) return 'You are not carrying anything.'
  return `You are carrying: a ${worldOf(state.game).objects[state.held]!.name}.`
}

export function objectText(state: GameState, object: number): string {
  const world = worldOf(state.game)
  const { name, isContainer, inside } = world.objects[object]!
  if (isContainer) {
    return `This is a normal ${name}. In it, you see ${listing(inside.map((inner) => world.objects[inner]!.name))}.`
  }
  const has = (bits: number) => (state.conditions[object]! & bits) === bits
  const { hot, cool, clean, sliced } = condition
  if (has(sliced)) {
    if (has(clean | hot)) return `This is a hot and clean sliced ${name}.`
    if (has(clean | cool)) return `This is a cool and clean sliced ${name}.`
    if (has(clean)) return `This is a clean sliced ${name}.`
    if (has(hot)) return `This is a hot sliced ${name}.`
    if (has(cool)) return `This is a cool sliced ${name}.`
  }
  if (has(clean | hot)) return `This is a hot and clean ${name}.`
  if (has(clean | cool)) return `This is a cool and clean ${name}.`
  if (has(hot)) return `This is a hot ${name}.`
  if (has(clean)) return `This is a clean ${name}.`
  if (has(cool)) return `This is a cold ${name}.`
  if (has(sliced)) return `This is a sliced ${name}.`
  return `There's nothing special about ${name}.`
}
