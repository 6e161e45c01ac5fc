/** `npm run experiments`: experiments behind the documents. They train for minutes, so they are not tests. See --help. */
import { ArgumentError, readArguments } from './arguments.ts'
import { presetSettings } from '../method/presets.ts'
import { SettingsError } from '../method/settings.ts'
import { learnInChromium, type LearningOptions } from './experiments/learning-chromium.ts'
import { gainLines, learningTable, learningVerdicts, type LearningResult } from './experiments/learning-report.ts'
import { kindsOfRun, kindsTable } from './experiments/kinds-report.ts'
import { pushesOfRun, pushesTable } from './experiments/pushes-report.ts'
import { votesOfRun, votesTable } from './experiments/votes-report.ts'
import type { LoggedEvent } from '../method/events.ts'
import { readRunLog } from '../runs/file-store.ts'
import { watchLogSize } from './experiments/log-size-run.ts'
import { watchMainThread } from './experiments/main-thread-run.ts'
import { watchMemory } from './experiments/memory-run.ts'
import type { Fields } from './page/visitor.ts'
import { errorText } from '../threads/error-text.ts'

const USAGE = `npm run experiments -- learning [--preset household] [--seeds 0,1,2,3,4] [--minutes 10] [--at-once 1]
                           [--iterations N] [--evaluation-tasks 100] [--evaluate-every 20]
  Opens the built page with a fresh profile for every seed, presses Run and reads the kept run. Prints the evaluations before
  learning and the mean of the last three, how many seeds rose, and when each left the 95 % interval of its start.
npm run experiments -- main-thread [--preset household] [--after 1] [--seconds 20] [--openings 3]
  How long single tasks block the page's main thread, view by view: the longest of each opening by a link, in every world, then the
  ten longest after an iteration, and in a page that continues the run.
npm run experiments -- memory [--preset household] [--iterations 500] [--every 25] [--tasks-per-iteration N]
                         [--evaluate-every N]
  How much memory the page holds every few iterations, with each of its views open in turn.
npm run experiments -- log-size [--presets household,coding,desktop] [--iterations 4]
  How much of the browser's storage the log of a run takes, an iteration.
npm run experiments -- kinds RUN.jsonl.gz ...
  Which kinds of held-out task runs have learned, from their logs; those of \`paper\` are in .cache/experiments/paper.
npm run experiments -- votes RUN.jsonl.gz ...
  How a judge votes on refused, repeated and other steps, and the advantages that result, at a run's beginning and end.
npm run experiments -- pushes RUN.jsonl.gz ...
  Which way consistency feedback pushes a judge's votes on useful, useless and refused steps, at a run's beginning and end.
npm run experiments -- paper [--table household] [--seeds 0-7] [--quick] [--publish]
  Runs the arms of the paper's tables over seeds and reports paired intervals; -- paper --help lists its options.`

/** Runs one seed without printing anything. */
type Learn = (seed: number) => Promise<LearningResult>

async function learning(seeds: readonly number[], atOnce: number, learn: Learn): Promise<void> {
  const results: LearningResult[] = []
  for (let first = 0; first < seeds.length; first += atOnce) {
    const batch = seeds.slice(first, first + atOnce).map(async (seed) => {
      const result = await learn(seed)
      process.stdout.write(`${JSON.stringify(result)}\n`)
      return result
    })
    results.push(...(await Promise.all(batch)))
  }
  process.stdout.write(`\n${learningTable(results)}\n${learningVerdicts(results)}${gainLines(results)}`)
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value
}

function numberOf(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new ArgumentError(`--${name} must be a number of 0 or more, not "${text}".`)
  }
  return value
}

const OPTIONS = {
  preset: { type: 'string', default: 'household' },
  presets: { type: 'string', default: 'household,coding,desktop' },
  seeds: { type: 'string', default: '0,1,2,3,4' },
  minutes: { type: 'string', default: '10' },
  iterations: { type: 'string' },
  'evaluation-tasks': { type: 'string' },
  'evaluate-every': { type: 'string' },
  'tasks-per-iteration': { type: 'string' },
  'at-once': { type: 'string', default: '1' },
  after: { type: 'string', default: '1' },
  seconds: { type: 'string', default: '20' },
  openings: { type: 'string', default: '3' },
  every: { type: 'string', default: '25' },
} as const

/** Labels of the settings that options of `memory` change. */
const FIELDS = {
  'tasks-per-iteration': /^(Tasks|Problems) per iteration/,
  'evaluate-every': /^Evaluate every/,
} as const

type Values = ReturnType<typeof parse>['values']

function parse(args: readonly string[]) {
  return readArguments({ args: [...args], allowPositionals: true, options: OPTIONS })
}

async function run(args: readonly string[]): Promise<void> {
  const { positionals, values } = parse(args)
  const [name = '', ...rest] = positionals
  if (name === 'kinds') return reportOfLogs(rest, name, kindsOfRun, kindsTable)
  if (name === 'votes') return reportOfLogs(rest, name, votesOfRun, votesTable)
  if (name === 'pushes') return reportOfLogs(rest, name, pushesOfRun, pushesTable)
  if (rest.length > 0) throw new ArgumentError(`Unexpected argument "${rest[0]}": run one experiment at a time.`)
  if (name === 'learning') await learningFrom(values)
  else if (name === 'main-thread') {
    const [after, seconds] = [numberOf('after', values.after), numberOf('seconds', values.seconds)]
    const openings = numberOf('openings', values.openings)
    await watchMainThread({ preset: values.preset, after, seconds, openings }, (watched) =>
      process.stdout.write(`${JSON.stringify(watched, (_, value: unknown) => rounded(value))}\n`),
    )
  } else if (name === 'log-size') {
    const iterations = numberOf('iterations', values.iterations ?? '4')
    if (iterations < 2) throw new ArgumentError('--iterations must be 2 or more.')
    await watchLogSize({ presets: values.presets.split(','), iterations }, (size) =>
      process.stdout.write(`${JSON.stringify(size, (_, value: unknown) => rounded(value))}\n`),
    )
  } else if (name === 'memory') {
    const [iterations, every] = [numberOf('iterations', values.iterations ?? '500'), numberOf('every', values.every)]
    if (every < 1) throw new ArgumentError('--every must be 1 or more.')
    const fields = (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).flatMap((option): Fields => {
      const given = values[option]
      return given === undefined ? [] : [[FIELDS[option], numberOf(option, given)]]
    })
    await watchMemory({ preset: values.preset, fields, iterations, every }, (sample) =>
      process.stdout.write(`${JSON.stringify(sample)}\n`),
    )
  } else throw new ArgumentError(name === '' ? 'Name an experiment.' : `There is no experiment "${name}".`)
}

/** Prints a table of what was read from each log. */
async function reportOfLogs<Read>(
  paths: readonly string[],
  name: string,
  read: (events: readonly LoggedEvent[]) => Read,
  table: (runs: readonly Read[]) => string,
): Promise<void> {
  if (paths.length === 0) throw new ArgumentError(`Name the logs: npm run experiments -- ${name} RUN.jsonl.gz ...`)
  const runs: Read[] = []
  for (const path of paths) {
    try {
      runs.push(read(await readRunLog(path)))
    } catch (error) {
      throw new ArgumentError(`${path}: ${errorText(error)}`, { cause: error })
    }
  }
  process.stdout.write(`${table(runs)}\n`)
}

async function learningFrom(values: Values): Promise<void> {
  const { preset } = values
  // A problem that takes several programs takes longer.
  const ordinaryTasks = presetSettings(preset).evaluationRollouts > 1 ? '64' : '100'
  const options: LearningOptions = {
    preset,
    minutes: numberOf('minutes', values.minutes),
    evaluationTasks: numberOf('evaluation-tasks', values['evaluation-tasks'] ?? ordinaryTasks),
    evaluateEvery: numberOf('evaluate-every', values['evaluate-every'] ?? '20'),
    ...(values.iterations !== undefined && { iterations: numberOf('iterations', values.iterations) }),
  }
  const seeds = values.seeds.split(',').map((seed) => numberOf('seeds', seed))
  const atOnce = Math.max(1, numberOf('at-once', values['at-once']))
  await learnInChromium(options, (learn) => learning(seeds, atOnce, learn))
}

try {
  const args = process.argv.slice(2)
  if (args[0] === 'paper') {
    const { paperCommand } = await import('./experiments/paper/command.ts')
    process.exitCode = await paperCommand(args.slice(1))
  } else if (args.includes('--help')) process.stdout.write(`${USAGE}\n`)
  else await run(args)
} catch (error) {
  if (!(error instanceof ArgumentError || error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n${USAGE}\n`)
  process.exitCode = 2
}
