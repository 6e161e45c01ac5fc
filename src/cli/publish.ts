/** `npm run publish:run`: makes a run log small enough to ship with the page. See --help. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { LoggedEvent } from '../method/events.ts'
import { DEFAULTS } from '../method/settings.ts'
import { heldOutExcerpt } from '../runs/held-out-excerpt.ts'
import { episodeExcerpt } from '../runs/episode-excerpt.ts'
import { readRunLog } from '../runs/file-store.ts'
import { publishedLog } from '../runs/published-log.ts'
import { tokenExcerpt } from '../runs/token-excerpt.ts'
import { serialiseRunLog } from '../runs/run-log.ts'
import { errorText } from '../threads/error-text.ts'
import { ArgumentError } from './arguments.ts'
import { parsePublishArguments, PUBLISH_USAGE, type Part, type PublishArguments } from './publish/arguments.ts'

/** Files beside a world's run, by the option that makes them. Null if the log has nothing for one. */
const EXCERPTS: Record<
  Part,
  (log: readonly LoggedEvent[], published: () => readonly LoggedEvent[]) => LoggedEvent[] | null
> = {
  episode: (_log, events) => episodeExcerpt(events()),
  tokens: (log, events) => tokenExcerpt(log, events()),
  'before-after': (log) => heldOutExcerpt(log, 'id'),
}

async function publish({ source, out, part, bounds }: PublishArguments): Promise<void> {
  const log = await readRunLog(source)
  // Where the page looks for each world's run.
  const world = log.find((event) => event.type === 'run-started')?.settings.world ?? DEFAULTS.world
  const target = out ?? `public/runs/${world}${part ? `-${part}` : ''}.jsonl.gz`
  if (resolve(target) === resolve(source))
    throw new ArgumentError(
      `${source} is the log itself, and what is published keeps less. Name another file to write.`,
    )
  const events = () => publishedLog(log, bounds)
  const kept = part ? EXCERPTS[part](log, events) : events()
  if (kept === null && part === 'before-after')
    throw new ArgumentError(`${source} has no two evaluations, so there is nothing to compare.`)
  if (kept === null) throw new ArgumentError(`${source} has no episode with advantages, so there is none to show.`)
  const text = serialiseRunLog(kept)
  const packed = gzipSync(text, { level: 9 })
  await writeFile(target, packed)
  console.log(`${target}: ${(packed.length / 1e3).toFixed(0)} kB, ${(text.length / 1e6).toFixed(2)} MB unpacked`)
}

try {
  const options = parsePublishArguments(process.argv.slice(2))
  if (options === null) process.stdout.write(PUBLISH_USAGE)
  else await publish(options)
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`)
  process.exitCode = error instanceof ArgumentError ? 2 : 1
}
