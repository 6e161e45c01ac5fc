/** `npm run publish:run`: makes a run log small enough to ship with the page. See --help. */
import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { LoggedEvent } from '../method/events.ts'
import { DEFAULTS } from '../method/settings.ts'
import { heldOutExcerpt } from '../runs/held-out-excerpt.ts'
import { episodeExcerpt } from '../runs/episode-excerpt.ts'
import { readRunLog } from '../runs/file-store.ts'
import { publishedLog } from '../runs/published-log.ts'
import { tokenExcerpt } from '../runs/token-excerpt.ts'
import { serialiseRunLog } from '../runs/run-log.ts'
import { ArgumentError, readArguments, wholeNumber } from './arguments.ts'

const USAGE = `Usage: npm run publish:run -- run.jsonl[.gz] [out.jsonl.gz] [options]
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

/** Files beside a world's run, by the option that makes them. Null if the log has nothing for one. */
const EXCERPTS = {
  episode: (_log, events) => episodeExcerpt(events()),
  tokens: (log, events) => tokenExcerpt(log, events()),
  'before-after': (log) => heldOutExcerpt(log, 'id'),
} satisfies Record<
  string,
  (log: readonly LoggedEvent[], published: () => readonly LoggedEvent[]) => LoggedEvent[] | null
>
const PARTS = Object.keys(EXCERPTS) as (keyof typeof EXCERPTS)[]

async function publish(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
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
  if (values.help) return void process.stdout.write(USAGE)
  const [source, out] = positionals
  if (source === undefined) throw new ArgumentError('Name the log to publish: npm run publish:run -- run.jsonl')
  const most = (option: 'last' | 'groups' | 'every') =>
    values[option] === undefined ? {} : { [option]: wholeNumber(option, values[option], 1, 1_000_000) }
  const log = await readRunLog(source)
  // Where the page looks for each world's run.
  const world = log.find((event) => event.type === 'run-started')?.settings.world ?? DEFAULTS.world
  const part = PARTS.find((name) => values[name])
  const target = out ?? `public/runs/${world}${part ? `-${part}` : ''}.jsonl.gz`
  const events = () => publishedLog(log, { ...most('last'), ...most('groups'), ...most('every') })
  const kept = part ? EXCERPTS[part](log, events) : events()
  if (kept === null && values['before-after'])
    throw new ArgumentError(`${source} has no two evaluations, so there is nothing to compare.`)
  if (kept === null) throw new ArgumentError(`${source} has no episode with advantages, so there is none to show.`)
  const text = serialiseRunLog(kept)
  const packed = gzipSync(text, { level: 9 })
  await writeFile(target, packed)
  console.log(`${target}: ${(packed.length / 1e3).toFixed(0)} kB, ${(text.length / 1e6).toFixed(2)} MB unpacked`)
}

try {
  await publish(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
