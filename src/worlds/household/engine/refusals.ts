/**
 * Explains why nothing happens. ALFWorld never does; this option adds one short sentence to the answer to a refused command.
 *
 * A reason reveals only what the player can already know: names of receptacles (the opening lists them), what is in the
 * hand, and what is visible here. It does not reveal whether an unseen thing exists, or where.
 */
import { formatCommand, parseCommand, stripped } from './commands.ts'
import { worldOf, type World } from './rooms.ts'
import { contentsOf, isAccessible, isHere, type GameState } from './state.ts'
import { formOf, nearestVerb, verbOf, type Verb } from './verbs.ts'
import { applianceType, can, type Treatment } from './vocabulary.ts'

/** Refers to receptacles and objects by their index in the game's lists. */
export type Refusal =
  /** The game is already won or lost. */
  | { kind: 'over' }
  | { kind: 'silent' }
  /** No command begins like this; `form` is the closest form, or an overview. */
  | { kind: 'unknown'; form: string }
  /** A command begins like this but continues differently. */
  | { kind: 'incomplete'; form: string }
  /** A command of the other dialect. */
  | { kind: 'other-dialect'; form: string }
  /** A command about things in view, except for capitals, articles, blanks or a full stop. */
  | { kind: 'misspelt'; command: string }
  /** A kind of receptacle without a number. */
  | { kind: 'unnumbered'; receptacle: number }
  | { kind: 'no-receptacle' }
  | { kind: 'already-there'; receptacle: number; sharedWith: readonly number[] }
  | { kind: 'elsewhere'; receptacle: number }
  | { kind: 'not-openable'; receptacle: number }
  | { kind: 'already-open' | 'already-closed' | 'closed'; receptacle: number }
  | { kind: 'hand-full'; held: number }
  /** `held` is -1 if the hand is empty. */
  | { kind: 'not-held'; held: number }
  | { kind: 'not-seen'; receptacle: number }
  | { kind: 'fixed'; object: number }
  | { kind: 'not-accepted'; object: number; receptacle: number }
  | { kind: 'wrong-appliance'; treatment: Treatment; receptacle: number }
  | { kind: 'untreatable'; treatment: Treatment; object: number }
  | { kind: 'no-lamp' }
  | { kind: 'lamp-elsewhere' }
  /** Neither a receptacle nor the object in the hand. */
  | { kind: 'not-examinable' }
  | { kind: 'blunt'; held: number }
  | { kind: 'not-sliceable' }
  | { kind: 'not-at-hand' }

/** Longer lines are not corrected: they are no slip of the keyboard. */
const longestLine = 200

/** Why a command is refused. Call it only for refused commands: for an admissible one the answer is wrong. */
export function refusalOf(state: GameState, line: string): Refusal {
  if (state.done) return { kind: 'over' }
  const text = stripped(line)
  if (text === '') return { kind: 'silent' }
  const { dialect } = state
  const world = worldOf(state.game)
  if (parseCommand(world, dialect, text) === null) {
    const command = meantCommand(world, state, text)
    if (command !== null) return { kind: 'misspelt', command }
  }
  const space = text.indexOf(' ')
  const word = space < 0 ? text : text.slice(0, space)
  const rest = space < 0 ? '' : text.slice(space + 1)
  if (word === (dialect === 'v2' ? 'put' : 'move')) return { kind: 'other-dialect', form: formOf('move', dialect) }
  const verb = verbOf(word, dialect)
  if (verb === null) return { kind: 'unknown', form: formOf(nearestVerb(text, dialect), dialect) }
  return refusalOfVerb(world, state, verb, rest) ?? { kind: 'incomplete', form: formOf(verb, dialect) }
}

/** What prevents a command of this verb; null if the command is incomplete. */
function refusalOfVerb(world: World, state: GameState, verb: Verb, rest: string): Refusal | null {
  switch (verb) {
    case 'look':
      return /^(at|in|into|inside|on) /.test(rest) ? { kind: 'unknown', form: formOf('examine', state.dialect) } : null
    case 'inventory':
    case 'help':
      return null
    case 'go': {
      const name = rest.startsWith('to ') ? rest.slice('to '.length) : null
      return name === null ? null : refusalOfGoing(world, state, name)
    }
    case 'open':
    case 'close':
      return rest === '' ? null : refusalOfLid(world, state, verb, rest)
    case 'examine':
      return rest === '' ? null : refusalOfExamining(world, state, rest)
    case 'use':
      return rest === '' ? null : can(nounOf(rest), 'lamp') ? { kind: 'lamp-elsewhere' } : { kind: 'no-lamp' }
    case 'take': {
      const [object, receptacle] = split(rest, ' from ')
      return receptacle === null ? null : refusalOfTaking(world, state, object, receptacle)
    }
    case 'move': {
      const [object, receptacle] = split(rest, state.dialect === 'v1' ? ' in/on ' : ' to ')
      return receptacle === null ? null : refusalOfMoving(world, state, object, receptacle)
    }
    case 'clean':
    case 'heat':
    case 'cool': {
      const [object, receptacle] = split(rest, ' with ')
      return receptacle === null ? null : refusalOfTreating(world, state, verb, object, receptacle)
    }
    case 'slice': {
      const [object, knife] = split(rest, ' with ')
      return knife === null ? null : refusalOfSlicing(world, state, object, knife)
    }
  }
}

function split(text: string, between: string): [string, string | null] {
  const at = text.indexOf(between)
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + between.length)]
}

/** The index of a receptacle, or what is wrong with its name. */
function receptacleNamed(world: World, name: string): number | Refusal {
  const receptacle = world.receptacleNamed.get(name)
  if (receptacle !== undefined) return receptacle
  const kind = world.receptacles.find((other) => nounOf(other.name) === name)
  return kind ? { kind: 'unnumbered', receptacle: kind.index } : { kind: 'no-receptacle' }
}

function nounOf(name: string): string {
  return name.replace(/ \d+$/, '')
}

function refusalOfGoing(world: World, state: GameState, name: string): Refusal {
  const receptacle = receptacleNamed(world, name)
  if (typeof receptacle !== 'number') return receptacle
  const sharedWith = (world.receptaclesAt[state.place] ?? []).filter((other) => other !== receptacle)
  return { kind: 'already-there', receptacle, sharedWith }
}

function refusalOfLid(world: World, state: GameState, verb: 'open' | 'close', name: string): Refusal {
  const receptacle = receptacleNamed(world, name)
  if (typeof receptacle !== 'number') return receptacle
  if (!isHere(world, state, receptacle)) return { kind: 'elsewhere', receptacle }
  if (!world.receptacles[receptacle]!.isOpenable) return { kind: 'not-openable', receptacle }
  return { kind: verb === 'open' ? 'already-open' : 'already-closed', receptacle }
}

function refusalOfExamining(world: World, state: GameState, name: string): Refusal {
  const receptacle = receptacleNamed(world, name)
  if (typeof receptacle === 'number') return { kind: 'elsewhere', receptacle }
  return receptacle.kind === 'unnumbered' ? receptacle : { kind: 'not-examinable' }
}

function refusalOfTaking(world: World, state: GameState, name: string, from: string): Refusal {
  if (state.held >= 0) return { kind: 'hand-full', held: state.held }
  const receptacle = receptacleNamed(world, from)
  if (typeof receptacle !== 'number') return receptacle
  if (!isHere(world, state, receptacle)) return { kind: 'elsewhere', receptacle }
  if (!isAccessible(world, state, receptacle)) return { kind: 'closed', receptacle }
  const object = world.objectNamed.get(name)
  if (object === undefined || !contentsOf(state, receptacle).includes(object)) return { kind: 'not-seen', receptacle }
  return { kind: 'fixed', object }
}

function refusalOfMoving(world: World, state: GameState, name: string, to: string): Refusal {
  const object = heldObject(world, state, name)
  if (typeof object !== 'number') return object
  const receptacle = receptacleNamed(world, to)
  if (typeof receptacle !== 'number') return receptacle
  if (!world.accepts[receptacle]![object]) return { kind: 'not-accepted', object, receptacle }
  if (!isHere(world, state, receptacle)) return { kind: 'elsewhere', receptacle }
  return { kind: 'closed', receptacle }
}

function refusalOfTreating(world: World, state: GameState, treatment: Treatment, name: string, by: string): Refusal {
  const object = heldObject(world, state, name)
  if (typeof object !== 'number') return object
  const { isCleanable, isHeatable, isCoolable } = world.objects[object]!
  if (!{ clean: isCleanable, heat: isHeatable, cool: isCoolable }[treatment]) {
    return { kind: 'untreatable', treatment, object }
  }
  const receptacle = receptacleNamed(world, by)
  if (typeof receptacle !== 'number') return receptacle
  if (world.receptacles[receptacle]!.type !== applianceType[treatment]) {
    return { kind: 'wrong-appliance', treatment, receptacle }
  }
  return { kind: 'elsewhere', receptacle }
}

function refusalOfSlicing(world: World, state: GameState, name: string, knife: string): Refusal {
  const held = heldObject(world, state, knife)
  if (typeof held !== 'number') return held
  if (!world.objects[held]!.isKnife) return { kind: 'blunt', held }
  return can(nounOf(name), 'sliceable') ? { kind: 'not-at-hand' } : { kind: 'not-sliceable' }
}

function heldObject(world: World, state: GameState, name: string): number | Refusal {
  const { held } = state
  return held >= 0 && world.objects[held]!.name === name ? held : { kind: 'not-held', held }
}

/**
 * The command that a line means once superfluous capitals, articles, blanks and full stops are removed. Null if there is none, also
 * where it names an object out of view: to correct it would reveal that there is one.
 */
function meantCommand(world: World, state: GameState, text: string): string | null {
  if (text.length > longestLine) return null
  const { dialect } = state
  const plain = text
    .toLowerCase()
    .replace(/[.!]+$/, '')
    .split(/\s+/)
    .filter((word) => !['a', 'an', 'the', ''].includes(word))
    .join(' ')
  const command = parseCommand(world, dialect, plain)
  if (command === null) return null
  const objects = [...('object' in command ? [command.object] : []), ...('knife' in command ? [command.knife] : [])]
  return objects.every((object) => isInView(world, state, object)) ? formatCommand(world, dialect, command) : null
}

function isInView(world: World, state: GameState, object: number): boolean {
  const isOpenHere = (receptacle: number) => isHere(world, state, receptacle) && isAccessible(world, state, receptacle)
  return object === state.held || state.whereabouts[object]!.some(isOpenHere)
}
