/** `npm run household`: ALFWorld's text game in a terminal, or for agents in any language. See --help. */
import { ArgumentError } from './arguments.ts'
import {
  parseHouseholdArguments,
  HOUSEHOLD_USAGE,
  LISTED_GAMES,
  type HouseholdArguments,
} from './household/arguments.ts'
import { GeneratedShelf, NoGameError, OfficialShelf, type GameShelf } from './household/games.ts'
import { playHousehold } from './household/player.ts'
import { LONGEST_LINE, RequestError } from './household/requests.ts'
import { HouseholdServer, refused } from './household/server.ts'
import { answerLines } from './household/json-lines.ts'

const EXIT_NOT_WON = 1
const EXIT_BAD_ARGUMENTS = 2

async function run(options: HouseholdArguments): Promise<number> {
  const { games } = options
  const shelf = games === undefined ? new GeneratedShelf(complain) : await OfficialShelf.open(games, complain)
  switch (options.mode) {
    case 'list':
      await list(shelf, options)
      return 0
    case 'serve':
      await serve(shelf, options)
      return 0
    case 'play':
      return (await play(shelf, options)) ? 0 : EXIT_NOT_WON
  }
}

async function list(shelf: GameShelf, { games, seed = 0, filter }: HouseholdArguments): Promise<void> {
  const count = games === undefined ? LISTED_GAMES : Infinity
  let isEmpty = true
  for await (const { id, split, task, goal } of shelf.list(seed, count, filter)) {
    isEmpty = false
    process.stdout.write(`${[id, split ?? '-', task, goal].join('\t')}\n`)
  }
  if (isEmpty) throw new NoGameError('There is no game to list.')
}

async function serve(shelf: GameShelf, options: HouseholdArguments): Promise<void> {
  const { seed = 0, ...defaults } = options
  const server = new HouseholdServer(shelf, { ...defaults, seed })
  const tooLong = refused(
    null,
    new RequestError('line-too-long', `A line may have at most ${LONGEST_LINE} characters.`),
  )
  await answerLines(process.stdin, process.stdout, LONGEST_LINE, (line) =>
    line === null ? tooLong : server.answer(line),
  )
}

async function play(shelf: GameShelf, options: HouseholdArguments): Promise<boolean> {
  const { game: id, seed = 0, filter, dialect, steps, isExplaining } = options
  const game = id === undefined ? await shelf.bySeed(seed, filter) : await shelf.byId(id, filter)
  return playHousehold(
    game,
    { dialect, stepLimit: steps, explainRefusals: isExplaining },
    { input: process.stdin, output: process.stdout, isInteractive: process.stdin.isTTY && process.stdout.isTTY },
  )
}

function complain(problem: string): void {
  process.stderr.write(`${problem}\n`)
}

// The reader has closed the pipe, so there is no reason to continue.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

try {
  const options = parseHouseholdArguments(process.argv.slice(2))
  if (options === null) process.stdout.write(HOUSEHOLD_USAGE)
  else process.exitCode = await run(options)
} catch (error) {
  if (!(error instanceof ArgumentError || error instanceof NoGameError)) throw error
  complain(error.message)
  process.exitCode = EXIT_BAD_ARGUMENTS
}
