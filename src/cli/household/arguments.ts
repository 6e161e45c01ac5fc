/** The arguments of `npm run household`: what they mean, and one line that helps where they are wrong. */
import { parseArgs } from 'node:util'
import { taskTypes } from '../../worlds/household/engine/game.ts'
import { defaultStepLimit, type Dialect } from '../../worlds/household/engine/state.ts'
import { SCENES, SPLITS, type GameFilter } from './games.ts'

export const DIALECTS = ['v1', 'v2'] as const satisfies Dialect[]
export const LARGEST_SEED = 2 ** 31 - 1
export const MOST_STEPS = 1_000_000
/** Generated games that `--list` and the server's `games` show unless they are told otherwise. */
export const LISTED_GAMES = 20

export interface HouseholdArguments {
  mode: 'play' | 'serve' | 'list'
  /** Official games: a zip, a folder or one file. */
  games?: string
  game?: string
  seed?: number
  filter: GameFilter
  dialect: Dialect
  isExplaining: boolean
  steps: number
}

export const USAGE = `npm run household -- [options]

  --seed S            plays the generated game of this seed, or draws an official one (0)
  --games PATH        plays official games: ALFWorld's zip, a folder with games, or one game.tw-pddl
  --game ID           plays this game; of an official one a part of the id will do
  --split NAME        ${SPLITS.join(', ')}; of official games train, valid_seen, valid_unseen (train; official: all)
  --scene NAME        ${SCENES.join(' or ')}: size of generated scenes (full)
  --task TYPE         games of this task type only: ${taskTypes.slice(0, 2).join(', ')},
                      ${taskTypes.slice(2, 4).join(', ')},
                      ${taskTypes.slice(4).join(', ')}
  --dialect NAME      v1: commands of ALFWorld up to 0.3; v2: of 0.4 and later (v2)
  --explain           a refused command says why; ALFWorld says "Nothing happens."
  --steps N           commands after which the game is over (${defaultStepLimit})
  --list              shows ids, splits, task types and goals instead of playing; from --seed on if generated
  --serve             answers JSON lines on standard input and output, see docs/household-protocol.md;
                      the options above are what a reset has unless it says otherwise
  --help              this text

While playing, :help shows what is no command of the game. The exit code is 0 if the game was won, else 1.
`

/** Null when help was asked for; a text says what is wrong. */
export function parseHouseholdArguments(args: readonly string[]): HouseholdArguments | string | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        games: { type: 'string' },
        game: { type: 'string' },
        seed: { type: 'string' },
        split: { type: 'string' },
        scene: { type: 'string' },
        task: { type: 'string' },
        dialect: { type: 'string', default: 'v2' },
        explain: { type: 'boolean', default: false },
        steps: { type: 'string', default: String(defaultStepLimit) },
        list: { type: 'boolean', default: false },
        serve: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return null
    if (values.list && values.serve)
      throw new RangeError('--list and --serve do not go together; a server has `games`.')
    if (values.serve && values.game !== undefined) {
      throw new RangeError('--game is for playing; whoever asks the server names the game in `reset`.')
    }
    if (values.games !== undefined && values.scene !== undefined) {
      throw new RangeError('--scene is the size of generated games; official games have theirs.')
    }
    const { games, game, seed } = values
    if (game !== undefined && seed !== undefined) throw new RangeError('Give --game or --seed, not both.')
    if (game !== undefined && values.list) throw new RangeError('--game is for playing; --list shows all games.')
    return {
      mode: values.serve ? 'serve' : values.list ? 'list' : 'play',
      ...(games !== undefined && { games }),
      ...(game !== undefined && { game }),
      ...(seed !== undefined && { seed: wholeNumber('seed', seed, 0, LARGEST_SEED) }),
      filter: {
        ...(values.split !== undefined && { split: oneOf('split', values.split, SPLITS) }),
        ...(values.scene !== undefined && { scene: oneOf('scene', values.scene, SCENES) }),
        ...(values.task !== undefined && { task: oneOf('task', values.task, taskTypes) }),
      },
      dialect: oneOf('dialect', values.dialect, DIALECTS),
      isExplaining: values.explain,
      steps: wholeNumber('steps', values.steps, 1, MOST_STEPS),
    }
  } catch (error) {
    // Node's own messages go on with advice about dashes.
    if (error instanceof RangeError || error instanceof TypeError) return error.message.split('\n')[0]!
    throw error
  }
}

function oneOf<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((known) => known === text)
  if (name === undefined) throw new RangeError(`--${option} must be one of ${names.join(', ')}, not "${text}".`)
  return name
}

function wholeNumber(option: string, text: string, low: number, high: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < low || number > high) {
    throw new RangeError(`--${option} must be a whole number from ${low} to ${high}, not "${text}".`)
  }
  return number
}
