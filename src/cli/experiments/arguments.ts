/** The arguments of `npm run experiments`, apart from those of `paper`. */
import { ArgumentError, readArguments, refuseOptions } from '../arguments.ts'

const OPTIONS = {
  preset: { type: 'string' },
  presets: { type: 'string' },
  seeds: { type: 'string' },
  minutes: { type: 'string' },
  iterations: { type: 'string' },
  'evaluation-tasks': { type: 'string' },
  'evaluate-every': { type: 'string' },
  'tasks-per-iteration': { type: 'string' },
  'at-once': { type: 'string' },
  after: { type: 'string' },
  seconds: { type: 'string' },
  openings: { type: 'string' },
  every: { type: 'string' },
} as const
type Option = keyof typeof OPTIONS

/** Options by experiment. */
const OPTIONS_OF = {
  learning: ['preset', 'seeds', 'minutes', 'at-once', 'iterations', 'evaluation-tasks', 'evaluate-every'],
  'main-thread': ['preset', 'after', 'seconds', 'openings'],
  memory: ['preset', 'iterations', 'every', 'tasks-per-iteration', 'evaluate-every'],
  'log-size': ['presets', 'iterations'],
  kinds: [],
  votes: [],
  pushes: [],
} as const satisfies Record<string, readonly Option[]>

/** Those that read logs, which are their arguments. */
const READERS = ['kinds', 'votes', 'pushes'] as const
export type LogReader = (typeof READERS)[number]

export type ExperimentValues = Partial<Record<Option, string>>
export type ExperimentArguments =
  | { name: LogReader; logs: string[] }
  | { name: Exclude<keyof typeof OPTIONS_OF, LogReader>; values: ExperimentValues }

/** Throws ArgumentError. */
export function parseExperiment(args: readonly string[]): ExperimentArguments {
  const { positionals, values } = readArguments({ args: [...args], allowPositionals: true, options: OPTIONS })
  const [given, ...rest] = positionals
  if (given === undefined) throw new ArgumentError('Name an experiment.')
  const name = (Object.keys(OPTIONS_OF) as (keyof typeof OPTIONS_OF)[]).find((known) => known === given)
  if (name === undefined) throw new ArgumentError(`There is no experiment "${given}".`)
  const own: readonly Option[] = OPTIONS_OF[name]
  const others = (Object.keys(OPTIONS) as Option[]).filter((option) => !own.includes(option))
  const valid = own.length === 0 ? 'no options' : own.map((option) => `--${option}`).join(', ')
  refuseOptions(values, others, `has no use with ${name}, which takes ${valid}`)
  const reader = READERS.find((known) => known === name)
  if (reader !== undefined) {
    if (rest.length === 0) throw new ArgumentError(`Name the logs: npm run experiments -- ${reader} RUN.jsonl.gz ...`)
    return { name: reader, logs: rest }
  }
  if (rest.length > 0) throw new ArgumentError(`Unexpected argument "${rest[0]}": run one experiment at a time.`)
  return { name: name as Exclude<typeof name, LogReader>, values }
}
