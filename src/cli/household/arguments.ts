/** The arguments of `npm run household`. */
import { ArgumentError, oneOf, readArguments, refuseOptions, wholeNumber } from '../arguments.ts'
import { taskTypes } from '../../worlds/household/engine/game.ts'
import { defaultStepLimit, type Dialect } from '../../worlds/household/engine/state.ts'
import { SCENES, SPLITS, type GameFilter } from './games.ts'

export const DIALECTS = ['v1', 'v2'] as const satisfies Dialect[]
export const LARGEST_SEED = 2 ** 31 - 1
export const MOST_STEPS = 1_000_000
/** How many generated games `--list` and the server's `games` show by default. */
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

export const HOUSEHOLD_USAGE = `npm run household -- [options]

  --seed S            plays the generated game of this seed, or draws an official one (0)
  --games PATH        plays official games: ALFWorld's zip, a folder with games, or one game.tw-pddl
  --game ID           plays this game; a part of the id is enough for an official one
  --split NAME        ${SPLITS.join(', ')}; of official games id is valid_seen, ood valid_unseen (train; official: all)
  --scene NAME        ${SCENES.join(' or ')}: size of generated scenes (full)
  --task TYPE         games of this task type only: ${taskTypes.slice(0, 2).join(', ')},
                      ${taskTypes.slice(2, 4).join(', ')},
                      ${taskTypes.slice(4).join(', ')}
  --dialect NAME      v1: commands of ALFWorld up to 0.3; v2: of 0.4 and later (v2)
  --explain           explains refused commands; ALFWorld says "Nothing happens."
  --steps N           commands after which the game ends (${defaultStepLimit})
  --list              lists ids, splits, task types and goals; generated games start at --seed
  --serve             answers JSON lines on standard input and output, see docs/household-protocol.md;
                      the options above are the defaults of a reset
  --help              shows this text

While playing, :help lists the commands that are not part of the game. The exit code is 0 if the game was won, else 1.
`

/** Null for --help. Throws ArgumentError. */
export function parseHouseholdArguments(args: readonly string[]): HouseholdArguments | null {
  const { values } = readArguments({
    args: [...args],
    options: {
      games: { type: 'string' },
      game: { type: 'string' },
      seed: { type: 'string' },
      split: { type: 'string' },
      scene: { type: 'string' },
      task: { type: 'string' },
      dialect: { type: 'string' },
      explain: { type: 'boolean', default: false },
      steps: { type: 'string' },
      list: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  if (values.list && values.serve)
    throw new ArgumentError('--list and --serve cannot be combined; ask the server for `games` instead.')
  if (values.serve && values.game !== undefined) {
    throw new ArgumentError('--game is for playing; name the game in the request `reset` to the server instead.')
  }
  if (values.games !== undefined && values.scene !== undefined) {
    throw new ArgumentError('--scene is only for generated games; omit it with --games.')
  }
  const { games, game, seed } = values
  if (game !== undefined && seed !== undefined) throw new ArgumentError('Use --game or --seed, not both.')
  if (game !== undefined && values.list) throw new ArgumentError('--game is for playing; --list shows all games.')
  if (game !== undefined && games === undefined)
    refuseOptions(values, ['split', 'scene', 'task'], 'has no use with --game: the id of a generated game contains it')
  if (values.list) refuseOptions(values, ['dialect', 'explain', 'steps'], 'is for playing; omit it with --list')
  if (values.list && games !== undefined)
    refuseOptions(values, ['seed'], 'has no use here: --list with --games lists all games')
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
    dialect: oneOf('dialect', values.dialect ?? 'v2', DIALECTS),
    isExplaining: values.explain,
    steps: wholeNumber('steps', values.steps ?? String(defaultStepLimit), 1, MOST_STEPS),
  }
}
