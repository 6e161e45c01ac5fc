/**
 * The household text game of ALFWorld 0.5.0 (dialect v2, optionally v1), without planner, TextWorld or PDDL: a small
 * deterministic set of facts. An admissible command changes them; any other gets "Nothing happens." Both use up a step.
 */
import { isAdmissible, parseCommand, type Command } from './commands.ts'
import {
  arrivalText,
  helpText,
  inventoryText,
  lookText,
  nothingHappens,
  objectText,
  receptacleText,
} from './observations.ts'
import { reasonFor } from './refusal-sentences.ts'
import { condition, isGoalMet, type GameState } from './state.ts'
import { worldOf, type World } from './rooms.ts'

export interface StepOutcome {
  observation: string
  /** The only sign of success. */
  won: boolean
  /** Won or out of steps. */
  done: boolean
  /** Whether the command was admissible. */
  accepted: boolean
}

/** Plays one command and changes `state`. Has no effect once the game is over. */
export function step(state: GameState, text: string): StepOutcome {
  if (state.done) return { observation: refusalText(state, text), won: state.won, done: true, accepted: false }
  const world = worldOf(state.game)
  const command = parseCommand(world, state.dialect, text)
  const accepted = command !== null && isAdmissible(world, state, command)
  const observation = accepted ? play(world, state, command) : refusalText(state, text)
  state.steps++
  // A refused command changes no facts, so it cannot meet the goal.
  if (accepted) state.won = isGoalMet(state)
  state.done = state.won || state.steps >= state.stepLimit
  return { observation, won: state.won, done: state.done, accepted }
}

function refusalText(state: GameState, text: string): string {
  return state.explainRefusals ? `${nothingHappens} ${reasonFor(state, text)}` : nothingHappens
}

/** Applies an admissible command and returns the observation. */
function play(world: World, state: GameState, command: Command): string {
  const object = 'object' in command ? world.objects[command.object]!.name : ''
  const receptacle = 'receptacle' in command ? world.receptacles[command.receptacle]!.name : ''
  switch (command.verb) {
    case 'look':
      return lookText(state)
    case 'inventory':
      return inventoryText(state)
    case 'help':
      return helpText
    case 'go':
      state.place = world.receptacles[command.receptacle]!.place
      return arrivalText(state, command.receptacle)
    case 'open':
      state.open[command.receptacle] = 1
      return `You open the ${receptacle}. ${receptacleText(state, command.receptacle)}`
    case 'close':
      state.open[command.receptacle] = 0
      return `You close the ${receptacle}.`
    case 'examine':
      return receptacleText(state, command.receptacle)
    case 'examine-object':
      return objectText(state, command.object)
    case 'take':
      take(world, state, command.object, command.receptacle)
      return `You pick up the ${object} from the ${receptacle}.`
    case 'move':
      put(world, state, command.object, command.receptacle)
      return state.dialect === 'v1'
        ? `You put the ${object} in/on the ${receptacle}.`
        : `You move the ${object} to the ${receptacle}.`
    case 'clean':
      state.conditions[command.object]! |= condition.clean
      return `You clean the ${object} using the ${receptacle}.`
    case 'heat':
      state.conditions[command.object] = (state.conditions[command.object]! & ~condition.cool) | condition.hot
      return `You heat the ${object} using the ${receptacle}.`
    case 'cool':
      state.conditions[command.object] = (state.conditions[command.object]! & ~condition.hot) | condition.cool
      return `You cool the ${object} using the ${receptacle}.`
    case 'use':
      state.conditions[command.object]! |= condition.used
      return `You turn on the ${object}.`
    case 'slice':
      state.conditions[command.object]! |= condition.sliced
      return `You sliced the ${object} with the ${world.objects[command.knife]!.name}.`
  }
}

/** Removes only this pair: an object listed by two receptacles stays listed by the other one, even while it is carried. */
function take(world: World, state: GameState, object: number, receptacle: number): void {
  state.held = object
  state.whereabouts[object] = state.whereabouts[object]!.filter((other) => other !== receptacle)
  state.standingAt[object] = state.standingAt[object]!.filter((place) => place !== state.place)
  const pair = object * world.receptacles.length + receptacle
  if (!state.takenOut.includes(pair)) state.takenOut = [...state.takenOut, pair]
}

function put(world: World, state: GameState, object: number, receptacle: number): void {
  state.held = -1
  const receptacles = state.whereabouts[object]!
  if (!receptacles.includes(receptacle)) state.whereabouts[object] = [...receptacles, receptacle]
  const places = state.standingAt[object]!
  if (!places.includes(state.place)) state.standingAt[object] = [...places, state.place]
  const pair = object * world.receptacles.length + receptacle
  if (state.takenOut.includes(pair)) state.takenOut = state.takenOut.filter((other) => other !== pair)
}
