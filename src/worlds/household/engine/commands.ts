/** The command language: which commands exist, and which of them are admissible now. */
import { contentsOf, isAccessible, isHere, type Dialect, type GameState } from './state.ts'
import { applianceType, treatments, type Treatment } from './vocabulary.ts'
import { worldOf, type World } from './rooms.ts'

/** Refers to objects and receptacles by their index in the game's lists. */
export type Command =
  | { verb: 'look' | 'inventory' | 'help' }
  | { verb: 'go' | 'open' | 'close' | 'examine'; receptacle: number }
  | { verb: 'take' | 'move' | Treatment; object: number; receptacle: number }
  | { verb: 'use' | 'examine-object'; object: number }
  | { verb: 'slice'; object: number; knife: number }

/** Whether Python's `strip`, which ALFWorld uses, removes the character. `trim` keeps five of these and removes U+FEFF. */
function isBlank(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f)
  return code === 0x85 || (code !== 0xfeff && String.fromCharCode(code).trim() === '')
}

/** Whether a character is certainly not blank. Nearly every command begins and ends with such a character. */
const isPlain = (code: number) => code > 0x20 && code < 0x7f

/** A command without surrounding blanks. */
export function stripped(text: string): string {
  let start = 0
  let end = text.length
  if (end > 0 && isPlain(text.charCodeAt(0)) && isPlain(text.charCodeAt(end - 1))) return text
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Reads one command; null if it matches no form or names something that does not exist. */
export function parseCommand(world: World, dialect: Dialect, line: string): Command | null {
  const text = stripped(line)
  const space = text.indexOf(' ')
  if (space < 0) {
    return text === 'look' || text === 'inventory' || (text === 'help' && dialect === 'v2') ? { verb: text } : null
  }
  const verb = text.slice(0, space)
  const rest = text.slice(space + 1)
  switch (verb) {
    case 'go':
      return rest.startsWith('to ') ? withReceptacle(world, 'go', rest.slice(3)) : null
    case 'open':
    case 'close':
      return withReceptacle(world, verb, rest)
    case 'examine':
      return withReceptacle(world, verb, rest) ?? withObject(world, 'examine-object', rest)
    case 'use':
      return withObject(world, verb, rest)
    case 'take':
      return withBoth(world, verb, rest, ' from ')
    case 'move':
      return dialect === 'v2' ? withBoth(world, verb, rest, ' to ') : null
    case 'put':
      return dialect === 'v1' ? withBoth(world, 'move', rest, ' in/on ') : null
    case 'clean':
    case 'heat':
    case 'cool':
      return withBoth(world, verb, rest, ' with ')
    case 'slice': {
      const [object, knife] = rest.split(' with ').map((name) => world.objectNamed.get(name))
      return object !== undefined &&
        knife !== undefined &&
        rest === `${world.objects[object]!.name} with ${world.objects[knife]!.name}`
        ? { verb, object, knife }
        : null
    }
    default:
      return null
  }
}

function withReceptacle(world: World, verb: 'go' | 'open' | 'close' | 'examine', name: string): Command | null {
  const receptacle = world.receptacleNamed.get(name)
  return receptacle === undefined ? null : { verb, receptacle }
}

function withObject(world: World, verb: 'use' | 'examine-object', name: string): Command | null {
  const object = world.objectNamed.get(name)
  return object === undefined ? null : { verb, object }
}

function withBoth(world: World, verb: 'take' | 'move' | Treatment, rest: string, between: string): Command | null {
  const at = rest.indexOf(between)
  if (at < 0) return null
  const object = world.objectNamed.get(rest.slice(0, at))
  const receptacle = world.receptacleNamed.get(rest.slice(at + between.length))
  return object === undefined || receptacle === undefined ? null : { verb, object, receptacle }
}

export function formatCommand(world: World, dialect: Dialect, command: Command): string {
  const object = 'object' in command ? world.objects[command.object]!.name : ''
  const receptacle = 'receptacle' in command ? world.receptacles[command.receptacle]!.name : ''
  switch (command.verb) {
    case 'go':
      return `go to ${receptacle}`
    case 'open':
    case 'close':
    case 'examine':
      return `${command.verb} ${receptacle}`
    case 'take':
      return `take ${object} from ${receptacle}`
    case 'move':
      return dialect === 'v1' ? `put ${object} in/on ${receptacle}` : `move ${object} to ${receptacle}`
    case 'clean':
    case 'heat':
    case 'cool':
      return `${command.verb} ${object} with ${receptacle}`
    case 'use':
      return `use ${object}`
    case 'examine-object':
      return `examine ${object}`
    case 'slice':
      return `slice ${object} with ${world.objects[command.knife]!.name}`
    default:
      return command.verb
  }
}

/**
 * Checks the preconditions of a command. Two of them look like mistakes but are ALFWorld's: the agent cannot go to the place
 * where it is, not even to another receptacle there (the planner drops operators without effect), and it can examine only
 * the object in its hand (a stray comma in the PDDL domain).
 */
export function isAdmissible(world: World, state: GameState, command: Command): boolean {
  switch (command.verb) {
    case 'look':
    case 'inventory':
      return true
    case 'help':
      return state.dialect === 'v2'
    case 'go':
      return !isHere(world, state, command.receptacle)
    case 'examine':
      return isHere(world, state, command.receptacle)
    case 'open':
    case 'close':
      return (
        isHere(world, state, command.receptacle) &&
        world.receptacles[command.receptacle]!.isOpenable &&
        state.open[command.receptacle] === (command.verb === 'open' ? 0 : 1)
      )
    case 'take':
      return (
        state.held < 0 &&
        world.objects[command.object]!.isPickupable &&
        isHere(world, state, command.receptacle) &&
        isAccessible(world, state, command.receptacle) &&
        state.whereabouts[command.object]!.includes(command.receptacle)
      )
    case 'move':
      return (
        state.held === command.object &&
        isHere(world, state, command.receptacle) &&
        isAccessible(world, state, command.receptacle) &&
        world.accepts[command.receptacle]![command.object]!
      )
    case 'clean':
    case 'heat':
    case 'cool':
      return (
        state.held === command.object &&
        isTreatable(world, command.object, command.verb) &&
        isHere(world, state, command.receptacle) &&
        world.receptacles[command.receptacle]!.type === applianceType[command.verb]
      )
    case 'use':
      return (
        world.objects[command.object]!.isLamp &&
        state.whereabouts[command.object]!.some((receptacle) => isHere(world, state, receptacle))
      )
    case 'examine-object':
      return state.held === command.object
    case 'slice':
      return (
        state.held === command.knife &&
        world.objects[command.knife]!.isKnife &&
        world.objects[command.object]!.isSliceable &&
        state.standingAt[command.object]!.includes(state.place)
      )
  }
}

function isTreatable(world: World, object: number, treatment: Treatment): boolean {
  const { isCleanable, isHeatable, isCoolable } = world.objects[object]!
  return treatment === 'clean' ? isCleanable : treatment === 'heat' ? isHeatable : isCoolable
}

/** Commands that depend only on the agent's place. */
function commandsAnywhere(world: World, dialect: Dialect, place: number): Command[] {
  const commands: Command[] = [{ verb: 'look' }, { verb: 'inventory' }]
  if (dialect === 'v2') commands.push({ verb: 'help' })
  for (const { index, place: other } of world.receptacles) {
    if (other !== place) commands.push({ verb: 'go', receptacle: index })
  }
  return commands
}

/** Commands that depend on what is within reach. */
function commandsHere(world: World, state: GameState): Command[] {
  const { held } = state
  const commands: Command[] = []
  const offer = (command: Command) => {
    if (isAdmissible(world, state, command)) commands.push(command)
  }
  for (const receptacle of world.receptaclesAt[state.place] ?? []) {
    commands.push({ verb: 'examine', receptacle })
    if (world.receptacles[receptacle]!.isOpenable) {
      commands.push({ verb: state.open[receptacle] === 1 ? 'close' : 'open', receptacle })
    }
    if (held >= 0) {
      offer({ verb: 'move', object: held, receptacle })
      for (const verb of treatments) offer({ verb, object: held, receptacle })
    } else if (isAccessible(world, state, receptacle)) {
      for (const object of contentsOf(state, receptacle)) offer({ verb: 'take', object, receptacle })
    }
  }
  for (const object of world.lamps) offer({ verb: 'use', object })
  if (held >= 0) {
    commands.push({ verb: 'examine-object', object: held })
    if (world.objects[held]!.isKnife) {
      for (const object of world.sliceables) offer({ verb: 'slice', object, knife: held })
    }
  }
  return commands
}

/** [world][dialect][place + 1] `commandsAnywhere` as sorted text. Cached, since these are nine tenths of a kitchen's list. */
const phrasesAnywhere = new WeakMap<World, Record<Dialect, (readonly string[])[]>>()

function sortedAnywhere(world: World, { dialect, place }: GameState): readonly string[] {
  let phrases = phrasesAnywhere.get(world)
  if (!phrases) phrasesAnywhere.set(world, (phrases = { v1: [], v2: [] }))
  return (phrases[dialect][place + 1] ??= inWords(world, dialect, commandsAnywhere(world, dialect, place)))
}

function inWords(world: World, dialect: Dialect, commands: readonly Command[]): string[] {
  return commands.map((command) => formatCommand(world, dialect, command)).sort()
}

/** All admissible commands, sorted by code point as in ALFWorld. */
export function admissibleCommands(state: GameState): string[] {
  const world = worldOf(state.game)
  return merged(sortedAnywhere(world, state), inWords(world, state.dialect, commandsHere(world, state)))
}

/** Merges two sorted lists. */
function merged(some: readonly string[], others: readonly string[]): string[] {
  const all: string[] = []
  let i = 0
  for (const other of others) {
    while (i < some.length && some[i]! < other) all.push(some[i++]!)
    all.push(other)
  }
  while (i < some.length) all.push(some[i++]!)
  return all
}
