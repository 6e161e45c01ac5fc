/** The changing facts of a running game. Plain data: structured-cloneable and cheap to copy. */
import type { HouseholdGame } from './game.ts'
import { worldOf, type World } from './rooms.ts'

/** v1: alfworld up to 0.3, "put mug 1 in/on shelf 2"; v2: 0.4 and later, "move mug 1 to shelf 2", with `help`. */
export type Dialect = 'v1' | 'v2'

export const condition = { hot: 1, cool: 2, clean: 4, sliced: 8, used: 16 } as const

export interface GameState {
  readonly game: HouseholdGame
  readonly dialect: Dialect
  /** The number of commands after which the game is over, won or not. */
  readonly stepLimit: number
  /** Whether "Nothing happens." is followed by a reason, which ALFWorld never gives. */
  readonly explainRefusals: boolean
  /** -1 is the middle of the room, which the agent leaves with its first `go to` and never returns to. */
  place: number
  /** The object in the hand, or -1. */
  held: number
  /** [object] bits of `condition`. */
  conditions: Uint8Array
  /** [receptacle] 1 if open. */
  open: Uint8Array
  /** [object] receptacles that list it. Replaced, never mutated. */
  whereabouts: (readonly number[])[]
  /** [object] places in its "objectAtLocation" facts. Replaced, never mutated. */
  standingAt: (readonly number[])[]
  /** Pairs (object, receptacle) where the object was taken out and not put back, as object · receptacles + receptacle. */
  takenOut: readonly number[]
  steps: number
  won: boolean
  /** Won or out of steps: further commands have no effect. */
  done: boolean
}

export interface StartOptions {
  dialect?: Dialect
  stepLimit?: number
  /** Defaults to false, as in ALFWorld. */
  explainRefusals?: boolean
}

export const defaultStepLimit = 50

export function startGame(game: HouseholdGame, options: StartOptions = {}): GameState {
  const world = worldOf(game)
  const state: GameState = {
    game,
    dialect: options.dialect ?? 'v2',
    stepLimit: options.stepLimit ?? defaultStepLimit,
    explainRefusals: options.explainRefusals ?? false,
    place: -1,
    held: -1,
    conditions: new Uint8Array(world.objects.length),
    open: new Uint8Array(world.receptacles.length),
    whereabouts: game.objects.map((object) => object.in),
    standingAt: game.objects.map((object) => {
      const place = object.place ?? (object.in.length > 0 ? world.receptacles[object.in[0]!]!.place : -1)
      return place < 0 ? [] : [place]
    }),
    takenOut: [],
    steps: 0,
    won: false,
    done: false,
  }
  for (const object of game.cool) state.conditions[object]! |= condition.cool
  for (const receptacle of game.open) state.open[receptacle] = 1
  state.won = isGoalMet(state)
  state.done = state.won
  return state
}

export function cloneState(state: GameState): GameState {
  return {
    ...state,
    conditions: state.conditions.slice(),
    open: state.open.slice(),
    whereabouts: state.whereabouts.slice(),
    standingAt: state.standingAt.slice(),
  }
}

/** Whether the agent can reach into a receptacle, wherever it is. */
export function isAccessible(world: World, state: GameState, receptacle: number): boolean {
  return !world.receptacles[receptacle]!.isOpenable || state.open[receptacle] === 1
}

export function isHere(world: World, state: GameState, receptacle: number): boolean {
  return world.receptacles[receptacle]!.place === state.place
}

/** The contents of a receptacle, in listing order. */
export function contentsOf(state: GameState, receptacle: number): number[] {
  const contents: number[] = []
  const { whereabouts } = state
  for (let object = 0; object < whereabouts.length; object++) {
    if (whereabouts[object]!.includes(receptacle)) contents.push(object)
  }
  return contents
}

/** The condition bit that the goal's treatment sets; 0 if the goal requires no treatment. */
export function goalCondition(game: HouseholdGame): number {
  switch (game.goal.taskType) {
    case 'pick_clean_then_place_in_recep':
      return condition.clean
    case 'pick_heat_then_place_in_recep':
      return condition.hot
    case 'pick_cool_then_place_in_recep':
      return condition.cool
    default:
      return 0
  }
}

export function isGoalMet(state: GameState): boolean {
  const world = worldOf(state.game)
  const { goal } = state.game
  if (goal.taskType === 'look_at_obj_in_light') {
    if (state.held < 0 || world.objects[state.held]!.type !== goal.object) return false
    return world.goalLamps.some(
      (lamp) =>
        (state.conditions[lamp]! & condition.used) !== 0 &&
        state.whereabouts[lamp]!.some((receptacle) => isHere(world, state, receptacle)),
    )
  }
  const wanted = goalCondition(state.game)
  if (goal.taskType !== 'pick_two_obj_and_place') {
    return world.goalTypeObjects.some(
      (object) =>
        (state.conditions[object]! & wanted) === wanted &&
        state.whereabouts[object]!.some((receptacle) => world.receptacles[receptacle]!.type === goal.target),
    )
  }
  return world.goalReceptacles.some((receptacle) => {
    let count = 0
    for (const object of world.goalTypeObjects) if (state.whereabouts[object]!.includes(receptacle)) count++
    return count >= 2
  })
}
