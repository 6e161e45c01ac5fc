/** `npm run experiments`: experiments behind the documents. They train for minutes, so they are not tests. See --help. */
import { ArgumentError } from './arguments.ts'
import { presetSettings } from '../method/presets.ts'
import { SettingsError } from '../method/settings.ts'
import { parseExperiment, type ExperimentValues } from './experiments/arguments.ts'
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

const PRESET = 'household'

/** Labels of the settings that options of `memory` change. */
const FIELDS = {
  'tasks-per-iteration': /^(Tasks|Problems) per iteration/,
  'evaluate-every': /^Evaluate every/,
} as const

async function run(args: readonly string[]): Promise<void> {
  const experiment = parseExperiment(args)
  switch (experiment.name) {
    case 'kinds':
      return reportOfLogs(experiment.logs, kindsOfRun, kindsTable)
    case 'votes':
      return reportOfLogs(experiment.logs, votesOfRun, votesTable)
    case 'pushes':
      return reportOfLogs(experiment.logs, pushesOfRun, pushesTable)
    case 'learning':
      return learningFrom(experiment.values)
    case 'main-thread':
      return mainThreadFrom(experiment.values)
    case 'log-size':
      return logSizeFrom(experiment.values)
    case 'memory':
      return memoryFrom(experiment.values)
  }
}

async function mainThreadFrom(values: ExperimentValues): Promise<void> {
  const options = {
    preset: values.preset ?? PRESET,
    after: numberOf('after', values.after ?? '1'),
    seconds: numberOf('seconds', values.seconds ?? '20'),
    openings: numberOf('openings', values.openings ?? '3'),
  }
  await watchMainThread(options, (watched) =>
    process.stdout.write(`${JSON.stringify(watched, (_, value: unknown) => rounded(value))}\n`),
  )
}

async function logSizeFrom(values: ExperimentValues): Promise<void> {
  const presets = (values.presets ?? 'household,coding,desktop').split(',')
  const iterations = numberOf('iterations', values.iterations ?? '4')
  if (iterations < 2) throw new ArgumentError('--iterations must be 2 or more.')
  await watchLogSize({ presets, iterations }, (size) =>
    process.stdout.write(`${JSON.stringify(size, (_, value: unknown) => rounded(value))}\n`),
  )
}

async function memoryFrom(values: ExperimentValues): Promise<void> {
  const iterations = numberOf('iterations', values.iterations ?? '500')
  const every = numberOf('every', values.every ?? '25')
  if (every < 1) throw new ArgumentError('--every must be 1 or more.')
  const fields = (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).flatMap((option): Fields => {
    const given = values[option]
    return given === undefined ? [] : [[FIELDS[option], numberOf(option, given)]]
  })
  await watchMemory({ preset: values.preset ?? PRESET, fields, iterations, every }, (sample) =>
    process.stdout.write(`${JSON.stringify(sample)}\n`),
  )
}

/** Prints a table of what was read from each log. */
async function reportOfLogs<Read>(
  paths: readonly string[],
  read: (events: readonly LoggedEvent[]) => Read,
  table: (runs: readonly Read[]) => string,
): Promise<void> {
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

async function learningFrom(values: ExperimentValues): Promise<void> {
  const { preset = PRESET } = values
  // A problem that takes several programs takes longer.
  const ordinaryTasks = presetSettings(preset).evaluationRollouts > 1 ? '64' : '100'
  const options: LearningOptions = {
    preset,
    minutes: numberOf('minutes', values.minutes ?? '10'),
    evaluationTasks: numberOf('evaluation-tasks', values['evaluation-tasks'] ?? ordinaryTasks),
    evaluateEvery: numberOf('evaluate-every', values['evaluate-every'] ?? '20'),
    ...(values.iterations !== undefined && { iterations: numberOf('iterations', values.iterations) }),
  }
  const seeds = (values.seeds ?? '0,1,2,3,4').split(',').map((seed) => numberOf('seeds', seed))
  const atOnce = Math.max(1, numberOf('at-once', values['at-once'] ?? '1'))
  await learnInChromium(options, (learn) => learning(seeds, atOnce, learn))
}

let usage = USAGE
try {
  const args = process.argv.slice(2)
  if (args[0] === 'paper') {
    usage = (await import('./experiments/paper/arguments.ts')).PAPER_USAGE
    const { paperCommand } = await import('./experiments/paper/command.ts')
    process.exitCode = await paperCommand(args.slice(1))
  } else if (args.includes('--help')) process.stdout.write(`${USAGE}\n`)
  else await run(args)
} catch (error) {
  if (!(error instanceof ArgumentError || error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n${usage.trimEnd()}\n`)
  process.exitCode = 2
}
