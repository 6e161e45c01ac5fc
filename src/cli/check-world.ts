/** `npm run check:world -- FILE`: checks a world of one's own. Prints a line for each check; exits with 1 if one fails. */
import { loadEngine } from '../worlds/sandbox/engine-binary.ts'
import { checkWorld } from '../worlds/own/check.ts'
import { OwnGuest } from '../worlds/own/guest.ts'
import { ArgumentError, readArguments } from './arguments.ts'
import { asArgument, readWorldFile } from './world-file.ts'

const USAGE = `Usage: npm run check:world -- FILE
  Loads the file of a world (docs/own-worlds.md) and plays it: tasks, splits, refusals, expert, distance, rewrites.
`

async function run(path: string): Promise<number> {
  const module = await readWorldFile(path)
  const guest = await asArgument(async () => OwnGuest.open(await loadEngine(), module))
  console.log(`${guest.name} (${module.file}): ${[...guest.parts].join(', ')}`)
  let failed = 0
  for await (const { name, passed, detail } of checkWorld(guest)) {
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}: ${detail}`)
    if (!passed) failed++
  }
  console.log(failed === 0 ? 'All checks passed.' : `${failed} failed.`)
  return failed === 0 ? 0 : 1
}

try {
  const { values, positionals } = readArguments({
    args: process.argv.slice(2),
    options: { help: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [path] = positionals
  if (values.help) process.stdout.write(USAGE)
  else if (path === undefined || positionals.length > 1) throw new ArgumentError('Give the file of one world.')
  else process.exitCode = await run(path)
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n${USAGE}`)
  process.exitCode = 2
}
