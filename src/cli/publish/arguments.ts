/** The arguments of `npm run publish:run`. */
import { ArgumentError, readArguments, refuseOptions, wholeNumber } from '../arguments.ts'

export const PUBLISH_USAGE = `Usage: npm run publish:run -- run.jsonl[.gz] [out.jsonl.gz] [options]
  --last N     the last iteration to keep (all)
  --groups N   of each iteration, keep the episodes of the N tasks that are solved most nearly half the time,
               and of as many rewrites on trial; of the others only the outcomes (all)
  --every N    keep episodes only of the first and of every Nth iteration (1)
  --episode    keep only the run's most telling episode and the other rollouts of its task: what the page shows first
  --tokens     keep only the tokens of the episodes that these options keep: the page loads them when somebody asks for them
  --before-after
               keep only the held-out tasks of known kinds, played before training and after it, at the evaluation temperature
  --help       shows this text

Without out.jsonl.gz it becomes the run that the page opens with, or the part of it that the option names.
`

/** Options that each keep another part of the log. */
const PARTS = ['episode', 'tokens', 'before-after'] as const
export type Part = (typeof PARTS)[number]

export interface PublishArguments {
  source: string
  /** Absent for the file where the page looks. */
  out: string | undefined
  part: Part | undefined
  /** What `publishedLog` keeps; absent for all. */
  bounds: Partial<Record<'last' | 'groups' | 'every', number>>
}

/** Null for --help. Throws ArgumentError. */
export function parsePublishArguments(args: readonly string[]): PublishArguments | null {
  const { values, positionals } = readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      last: { type: 'string' },
      groups: { type: 'string' },
      every: { type: 'string' },
      episode: { type: 'boolean', default: false },
      tokens: { type: 'boolean', default: false },
      'before-after': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const [source, out, extra] = positionals
  if (source === undefined) throw new ArgumentError('Name the log to publish: npm run publish:run -- run.jsonl')
  if (extra !== undefined) throw new ArgumentError(`"${extra}" is one file too many: name a log and where to write it.`)
  const [part, another] = PARTS.filter((name) => values[name])
  if (another !== undefined) throw new ArgumentError(`--${part} and --${another} keep different parts; choose one.`)
  const bounds = ['last', 'groups', 'every'] as const
  if (part === 'before-after')
    refuseOptions(values, bounds, 'has no use with --before-after, which keeps all that it compares')
  return {
    source,
    out,
    part,
    bounds: Object.fromEntries(
      bounds.flatMap((name) =>
        values[name] === undefined ? [] : [[name, wholeNumber(name, values[name], 1, 1_000_000)]],
      ),
    ),
  }
}
