/** `npm run publish:run -- run.jsonl[.gz] [out.jsonl.gz] [last iteration]`: makes a run log small enough to ship with the page. */
import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { DEFAULTS } from '../method/settings.ts'
import { readRunLog } from '../runs/file-store.ts'
import { publishedLog } from '../runs/published-log.ts'
import { serialiseRunLog } from '../runs/run-log.ts'

const USAGE = 'Usage: npm run publish:run -- run.jsonl[.gz] [out.jsonl.gz] [last iteration]\n'

const [source, out, last = 'Infinity'] = process.argv.slice(2)
if (source === '--help') process.stdout.write(USAGE)
else if (source === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  const log = await readRunLog(source)
  // Where the page looks for each world's run.
  const world = log.find((event) => event.type === 'run-started')?.settings.world ?? DEFAULTS.world
  const target = out ?? `public/runs/${world}.jsonl.gz`
  const text = serialiseRunLog(publishedLog(log, Number(last)))
  const packed = gzipSync(text, { level: 9 })
  await writeFile(target, packed)
  console.log(`${target}: ${(packed.length / 1e3).toFixed(0)} kB, ${(text.length / 1e6).toFixed(1)} MB unpacked`)
}
