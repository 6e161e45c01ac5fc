/** Commands of a careless player, for comparing the engine with other models of the game. */
import { admissibleCommands, stripped } from '../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { nextCommandKnowingAll } from '../../../src/worlds/household/planning/expert.ts'
import type { HouseholdGame } from '../../../src/worlds/household/engine/game.ts'
import { nothingHappens, openingText } from '../../../src/worlds/household/engine/observations.ts'
import { chance, pick, seededRandom, type Random } from '../../../src/worlds/random.ts'
import { startGame, type Dialect } from '../../../src/worlds/household/engine/state.ts'

const forms = [
  'look', 'inventory', 'help', 'go to A', 'open A', 'close A', 'examine A', 'take A from B', 'move A to B',
  'put A in/on B', 'clean A with B', 'heat A with B', 'cool A with B', 'use A', 'slice A with B', 'A', '',
] as const // prettier-ignore

/** Variants of a command that look equivalent. The game ignores only outer blanks. */
const variations: readonly ((command: string) => string)[] = [
  (command) => `  ${command}\n`,
  (command) => `\x1c${command}\x85`,
  (command) => `\ufeff${command}`,
  (command) => command.toUpperCase(),
  (command) => command.replace(' ', '  '),
  (command) => `${command}.`,
  (command) => command.replace(/ \d+$/, ''),
]

/** The kind of a command. Commands that change nothing are one kind. */
function kindOf(command: string): string {
  const verb = command.split(' ', 1)[0]!
  return ['look', 'inventory', 'help'].includes(verb) ? 'idle' : verb
}

/** Usually an admissible command, with all kinds equally likely; otherwise one that is hardly ever admissible. */
export function randomCommand(random: Random, game: HouseholdGame, admissible: readonly string[]): string {
  const name = () => {
    const { noun, number } = pick<{ noun: string; number: number }>(
      random,
      chance(random, 0.6) ? game.receptacles : game.objects,
    )
    return `${noun} ${number}`
  }
  if (chance(random, 0.2)) return pick(random, forms).replace('A', name).replace('B', name)
  const kinds = [...new Set(admissible.map(kindOf))]
  // Most other commands depend on going somewhere.
  const kind = chance(random, 0.3) && kinds.includes('go') ? 'go' : pick(random, kinds)
  const command = pick(
    random,
    admissible.filter((other) => kindOf(other) === kind),
  )
  return chance(random, 0.1) ? pick(random, variations)(command) : command
}

/** What a player observes after a command. */
export interface Observed {
  observation: string
  admissible: readonly string[]
  won: boolean
}

/** The command is empty for the start of the game. */
export interface PlayedStep extends Observed {
  command: string
}

/** Per game: two random plays, and one in which about every third command leads to the goal. */
const GUIDANCE = [0, 0, 0.3]
const STEPS = 50

/** Plays a game at random on this project's engine, until it is won or after 50 commands. */
export function randomPlays(game: HouseholdGame, dialect: Dialect): PlayedStep[][] {
  return GUIDANCE.map((guidance, seed) => {
    const random = seededRandom('random play', game.id, seed)
    const state = startGame(game, { dialect, stepLimit: STEPS })
    const observed = (command: string, observation: string): PlayedStep => {
      return { command, observation, admissible: admissibleCommands(state), won: state.won }
    }
    const played = [observed('', openingText(state))]
    while (!state.done) {
      const command = chance(random, guidance)
        ? nextCommandKnowingAll(state).command
        : randomCommand(random, game, played.at(-1)!.admissible)
      played.push(observed(command, step(state, command).observation))
    }
    return played
  })
}

/** Describes the first step at which another model of the game differs; null if there is none. */
export function firstDifference(played: readonly PlayedStep[], others: readonly Observed[]): string | null {
  const textOf = ({ observation, admissible, won }: Observed) => JSON.stringify({ observation, admissible, won })
  const index = played.findIndex((step, i) => others[i] === undefined || textOf(step) !== textOf(others[i]))
  if (index < 0) return null
  const { command } = played[index]!
  const other = others[index] ? textOf(others[index]) : 'nothing'
  return `step ${index}, ${JSON.stringify(command)}: ${textOf(played[index]!)} for ${other}`
}

/** "3 plays, 150 steps, 1 won: go 60, refused 40, …" */
export function summaryOf(plays: readonly (readonly PlayedStep[])[]): string {
  const counts = new Map<string, number>()
  for (const { command, observation } of plays.flatMap((played) => played.slice(1))) {
    const verb = observation === nothingHappens ? 'refused' : stripped(command).split(' ', 1)[0]!
    counts.set(verb, (counts.get(verb) ?? 0) + 1)
  }
  const verbs = [...counts].sort((a, b) => b[1] - a[1]).map(([verb, count]) => `${verb} ${count}`)
  const steps = plays.reduce((sum, played) => sum + played.length - 1, 0)
  const won = plays.filter((played) => played.at(-1)!.won).length
  return `${plays.length} plays, ${steps} steps, ${won} won: ${verbs.join(', ')}`
}
