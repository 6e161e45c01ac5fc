/**
 * What an agent knows after reading every observation so far, without a list of admissible commands. Only the agent changes the
 * world, so what it has seen stays known, and a few flags over the true state are enough.
 */
import { parseCommand } from '../engine/commands.ts'
import type { HouseholdGame } from '../engine/game.ts'
import type { View } from './plan.ts'
import { isAccessible, isHere, type GameState } from '../engine/state.ts'
import { startPlacement } from '../corpus/statistics.ts'
import { accepts, openableTypes } from '../engine/vocabulary.ts'
import { worldOf, type World } from '../engine/rooms.ts'

export class Knowledge {
  /** [receptacle] 1 if its contents have been seen. */
  readonly examined: Uint8Array
  /** [receptacle] 1 if its place is known: the agent went there, or found that it was already there. */
  readonly placed: Uint8Array
  /** [receptacle] 1 if the agent knows whether it is closed. */
  private readonly lidSeen: Uint8Array
  /** Pairs (object, receptacle) known from a hint or a `move`, as object · receptacles + receptacle. */
  private readonly told: Set<number>

  constructor(game: HouseholdGame, other?: Knowledge) {
    const count = worldOf(game).receptacles.length
    this.examined = other ? other.examined.slice() : new Uint8Array(count)
    this.placed = other ? other.placed.slice() : new Uint8Array(count)
    this.lidSeen = other ? other.lidSeen.slice() : new Uint8Array(count)
    this.told = new Set(other?.told)
  }

  clone(game: HouseholdGame): Knowledge {
    return new Knowledge(game, this)
  }

  tell(object: number, receptacle: number): void {
    this.told.add(object * this.examined.length + receptacle)
  }

  /** Adds what a command revealed. `state` is the state after it. */
  update(command: string, accepted: boolean, state: GameState): void {
    const world = worldOf(state.game)
    const parsed = parseCommand(world, state.dialect, command)
    if (parsed === null) return
    if (parsed.verb === 'look')
      for (const receptacle of world.receptaclesAt[state.place] ?? []) this.placed[receptacle] = 1
    if (!('receptacle' in parsed)) return
    const { verb, receptacle } = parsed
    if (!accepted) {
      // "Nothing happens." reveals that the agent is already there or, if it is there, that the receptacle does not open.
      if (verb === 'go') this.placed[receptacle] = 1
      if (verb === 'open' && this.placed[receptacle] === 1 && isHere(world, state, receptacle))
        this.lidSeen[receptacle] = 1
      return
    }
    this.placed[receptacle] = 1
    if (verb === 'move') this.tell(parsed.object, receptacle)
    else if (verb === 'go' || verb === 'open' || verb === 'close' || verb === 'examine') {
      this.lidSeen[receptacle] = 1
      if (isAccessible(world, state, receptacle)) this.examined[receptacle] = 1
    }
  }

  isKnownIn(object: number, receptacle: number): boolean {
    return this.examined[receptacle] === 1 || this.told.has(object * this.examined.length + receptacle)
  }

  /** Receptacles that currently list the object, as far as the agent knows. */
  knownWhereabouts(state: GameState, object: number): number[] {
    return state.whereabouts[object]!.filter((receptacle) => this.isKnownIn(object, receptacle))
  }

  isLocated(state: GameState, object: number): boolean {
    return state.held === object || state.whereabouts[object]!.some((receptacle) => this.isKnownIn(object, receptacle))
  }

  /** The world as the agent believes it to be: unseen receptacles share no place, and are closed if their type can be. */
  believedView(state: GameState): View {
    const world = worldOf(state.game)
    const places = world.receptaclesAt.length
    return {
      placeOf: world.receptacles.map(({ place }, r) => (this.placed[r] ? place : places + r)),
      closed: world.receptacles.map(({ type, isOpenable }, r) =>
        (this.lidSeen[r] ? isOpenable && state.open[r] === 0 : openableTypes.has(type)) ? 1 : 0,
      ),
      whereabouts: state.whereabouts.map((_, object) => this.knownWhereabouts(state, object)),
    }
  }

  /** Types of which the agent does not know enough objects to reach the goal: those it has to search for. */
  missingTypes(state: GameState): string[] {
    const world = worldOf(state.game)
    const { taskType, object, target } = state.game.goal
    const needed = taskType === 'pick_two_obj_and_place' ? 2 : 1
    const located = (objects: readonly number[]) => objects.filter((o) => this.isLocated(state, o)).length
    const missing: string[] = []
    if (located(world.goalObjects) < needed) missing.push(object)
    if (taskType === 'look_at_obj_in_light' && located(world.goalLamps) === 0) missing.push(target)
    return missing
  }
}

/**
 * The likelihood, up to a common factor, that one receptacle of a type holds an unseen object of a type: the share of such
 * objects that start in this receptacle type, divided among its receptacles.
 */
export function searchPrior(world: World, objectType: string, receptacleType: string): number {
  const count = world.receptacles.filter((r) => r.type === receptacleType).length
  return placementWeight(objectType, receptacleType) / Math.max(1, count)
}

/** Percentage of the type's objects that start in this receptacle type; a small value if the statistics list none. */
export function placementWeight(objectType: string, receptacleType: string): number {
  return startPlacement[objectType]?.[receptacleType] ?? (accepts(receptacleType, objectType) ? 1 : 0)
}
