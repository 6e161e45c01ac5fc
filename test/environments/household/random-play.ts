/** Commands as a careless player would type them, for comparing the engine with other models of the game. */
import { admissibleCommands } from '../../../src/environments/household/commands.ts'
import { step } from '../../../src/environments/household/engine.ts'
import { nextCommandKnowingAll } from '../../../src/environments/household/expert.ts'
import type { HouseholdGame } from '../../../src/environments/household/game.ts'
import { openingText } from '../../../src/environments/household/observations.ts'
import { chance, pick, seededRandom, type Random } from '../../../src/environments/household/random.ts'
import { startGame, type Dialect } from '../../../src/environments/household/state.ts'

const forms = [
  'look', 'inventory', 'help', 'go to A', 'open A', 'close A', 'examine A', 'take A from B', 'move A to B',
  'put A in/on B', 'clean A with B', 'heat A with B', 'cool A with B', 'use A', 'slice A with B', 'A', '',
] as const // prettier-ignore

/** Ways to write a command that one may take for the same. Blanks around it are none of the game's business, all else is. */
const variations: readonly ((command: string) => string)[] = [
  (command) => `  ${command}\n`,
  (command) => `\x1c${command}\x85`,
  (command) => `\ufeff${command}`,
  (command) => command.toUpperCase(),
  (command) => command.replace(' ', '  '),
  (command) => `${command}.`,
  (command) => command.replace(/ \d+$/, ''),
]

/** What kind of command it is; looking around is one kind, as it never changes anything. */
function kindOf(command: string): string {
  const verb = command.split(' ', 1)[0]!
  return ['look', 'inventory', 'help'].includes(verb) ? 'idle' : verb
}

/** Mostly something that can be done, every kind as likely as any other; else something that hardly can. */
export function randomCommand(random: Random, game: HouseholdGame, admissible: readonly string[]): string {
  const name = () => {
    const { noun, number } = pick(random, chance(random, 0.6) ? game.receptacles : game.objects)
    return `${noun} ${number}`
  }
  if (chance(random, 0.2)) return pick(random, forms).replace('A', name).replace('B', name)
  const kinds = [...new Set(admissible.map(kindOf))]
  // Going somewhere is what most of the rest depends on.
  const kind = chance(random, 0.3) && kinds.includes('go') ? 'go' : pick(random, kinds)
  const command = pick(
    random,
    admissible.filter((other) => kindOf(other) === kind),
  )
  return chance(random, 0.1) ? pick(random, variations)(command) : command
}

export interface PlayedStep {
  /** Empty for the start of the game. */
  command: string
  observation: string
  admissible: string[]
  won: boolean
}

export interface PlayOptions {
  dialect: Dialect
  goalText: string
  steps: number
  /** How often the next command is one that leads to the goal. */
  guidance: number
  seed: number
}

/** Plays at random on this project's engine until the game is won or the steps are used up. */
export function randomPlay(
  game: HouseholdGame,
  { dialect, goalText, steps, guidance, seed }: PlayOptions,
): PlayedStep[] {
  const random = seededRandom('random play', game.id, seed)
  const state = startGame(game, { dialect, stepLimit: steps })
  const observed = (command: string, observation: string): PlayedStep => {
    return { command, observation, admissible: admissibleCommands(state), won: state.won }
  }
  const played = [observed('', openingText(state, `${goalText}.`))]
  while (!state.done) {
    const command = chance(random, guidance)
      ? nextCommandKnowingAll(state).command
      : randomCommand(random, game, played.at(-1)!.admissible)
    played.push(observed(command, step(state, command).observation))
  }
  return played
}
