/**
 * An expert that knows no more than an agent: what it has seen, what hints say, and where objects of a type usually are. It
 * follows a shortest plan if it knows one; otherwise it searches where the missing object is most likely per command.
 */
import { formatCommand, type Command } from '../engine/commands.ts'
import { nameOf } from '../engine/game.ts'
import { Knowledge, searchPrior } from './knowledge.ts'
import { goalAim, type Aim } from './aim.ts'
import { shortestPlan, trueView, type Errand, type Plan, type View } from './plan.ts'
import { pick, type Random } from '../../random.ts'
import { cloneState, type GameState } from '../engine/state.ts'
import { step } from '../engine/step.ts'
import type { Treatment } from '../engine/vocabulary.ts'
import { worldOf, type World } from '../engine/rooms.ts'

/** The purpose of a command. Names include the number. */
export type Subgoal =
  /** Look for an object of a type; `receptacle` is the next place to look. */
  | { kind: 'find'; noun: string; receptacle: string }
  | { kind: 'take'; object: string; receptacle: string }
  /** Carry the object to the appliance, or treat it there. */
  | { kind: 'go-to-appliance'; treatment: Treatment; object: string; receptacle: string }
  | { kind: 'treat'; treatment: Treatment; object: string; receptacle: string }
  /** Carry the object to a receptacle, or put it there. */
  | { kind: 'go-to-receptacle'; object: string; receptacle: string }
  | { kind: 'put'; object: string; receptacle: string }
  /** Put away an object that is in the way. */
  | { kind: 'put-away'; object: string; receptacle: string }
  | { kind: 'go-to-lamp'; lamp: string; receptacle: string }
  | { kind: 'use'; lamp: string; receptacle: string }
  /** Nothing useful is left to try. */
  | { kind: 'stuck' }

interface Decision {
  command: string
  subgoal: Subgoal
}

/** The next command and its purpose. Randomness only breaks ties between equally promising receptacles. */
export function decide(state: GameState, knowledge: Knowledge, random: Random): Decision {
  const world = worldOf(state.game)
  const view = knowledge.believedView(state)
  const plan = shortestPlan(state, view, goalAim(world)) ?? partialPlan(world, state, view)
  if (plan) return follow(world, state, view, plan)
  return search(world, state, knowledge, random) ?? stuck
}

/** The first command of a shortest plan under full knowledge. */
export function nextCommandKnowingAll(state: GameState): Decision {
  const view = trueView(state)
  const plan = shortestPlan(state, view, goalAim(worldOf(state.game)))
  return plan ? follow(worldOf(state.game), state, view, plan) : stuck
}

const stuck: Decision = { command: 'look', subgoal: { kind: 'stuck' } }

/** A plan for what can already be done while an object is still missing. */
function partialPlan(world: World, state: GameState, view: View): Plan | null {
  const objects = world.goalObjects
  if (state.game.goal.taskType === 'look_at_obj_in_light') {
    return objects.includes(state.held) ? null : shortestPlan(state, view, { kind: 'hold', objects })
  }
  if (state.game.goal.taskType !== 'pick_two_obj_and_place') return null
  const isDelivered = (object: number) => view.whereabouts[object]!.some((r) => world.goalReceptacles.includes(r))
  if (objects.some(isDelivered)) return null
  const aim: Aim = { kind: 'deliver', objects, receptacles: world.goalReceptacles, treatment: null, appliances: [] }
  return shortestPlan(state, view, aim)
}

function follow(world: World, state: GameState, view: View, plan: Plan): Decision {
  const errand = plan.errands[0]!
  const { verb, object, receptacle } = errand
  const isAway = view.placeOf[receptacle] !== state.place
  const reachesInto = verb === 'take' || verb === 'move'
  const command: Command = isAway
    ? { verb: 'go', receptacle }
    : reachesInto && view.closed[receptacle]
      ? { verb: 'open', receptacle }
      : verb === 'use'
        ? { verb, object }
        : verb === 'visit'
          ? { verb: 'go', receptacle }
          : { verb, object, receptacle }
  return { command: formatCommand(world, state.dialect, command), subgoal: subgoalOf(world, state, errand, isAway) }
}

function subgoalOf(world: World, state: GameState, errand: Errand, isAway: boolean): Subgoal {
  const object = world.objects[errand.object]!.name
  const receptacle = world.receptacles[errand.receptacle]!.name
  switch (errand.verb) {
    case 'take':
      return { kind: 'take', object, receptacle }
    case 'move':
      if (!world.goalObjects.includes(errand.object) || !world.goalReceptacles.includes(errand.receptacle)) {
        return { kind: 'put-away', object, receptacle }
      }
      return { kind: isAway ? 'go-to-receptacle' : 'put', object, receptacle }
    case 'use':
    case 'visit':
      return { kind: isAway ? 'go-to-lamp' : 'use', lamp: object, receptacle }
    default:
      return { kind: isAway ? 'go-to-appliance' : 'treat', treatment: errand.verb, object, receptacle }
  }
}

/** Looks into the receptacle with the best odds per command; null if all have been examined. */
function search(world: World, state: GameState, knowledge: Knowledge, random: Random): Decision | null {
  const missing = knowledge.missingTypes(state)
  const noun = missing[0]
  if (noun === undefined) return null
  const { closed, placeOf } = knowledge.believedView(state)
  let best = -1
  let ties: number[] = []
  for (let receptacle = 0; receptacle < world.receptacles.length; receptacle++) {
    if (knowledge.examined[receptacle]) continue
    const isAway = placeOf[receptacle] !== state.place
    const commands = isAway ? 1 + closed[receptacle]! : 1
    // Never 0: in an imported game an object may be where the statistics do not expect it.
    const worth = (searchPrior(world, noun, world.receptacles[receptacle]!.type) + 1e-3) / commands
    if (worth > best) {
      best = worth
      ties = []
    }
    if (worth === best) ties.push(receptacle)
  }
  if (ties.length === 0) return null
  const receptacle = pick(random, ties)
  const isAway = placeOf[receptacle] !== state.place
  const command: Command = { verb: isAway ? 'go' : closed[receptacle] ? 'open' : 'examine', receptacle }
  return {
    command: formatCommand(world, state.dialect, command),
    subgoal: { kind: 'find', noun, receptacle: nameOf(state.game.receptacles[receptacle]!) },
  }
}

interface ExpertRun {
  won: boolean
  commands: string[]
}

/** Plays a copy of the state with the expert until the game is over or the expert is stuck. */
export function playExpert(state: GameState, knowledge: Knowledge, random: Random): ExpertRun {
  const game = cloneState(state)
  const known = knowledge.clone(state.game)
  const commands: string[] = []
  while (!game.done) {
    const { command, subgoal } = decide(game, known, random)
    if (subgoal.kind === 'stuck') break
    commands.push(command)
    const { accepted } = step(game, command)
    known.update(command, accepted, game)
  }
  return { won: game.won, commands }
}
