/** `npm run screenshots`: pictures of every view of the built page, to look at after a change. See --help. */
import { ArgumentError, oneOf, readArguments } from './arguments.ts'
import { SHIPPED_WORLDS } from '../worlds/index.ts'
import { LOOK_NAMES, MAIN_LOOKS } from './screenshots/looks.ts'
import { takeScreenshots } from './screenshots/take.ts'

const USAGE = `npm run screenshots -- --out DIR [--views start,loop] [--worlds household] [--looks ${MAIN_LOOKS.join(',')}]
                           [--unfold]
  Draws each view of the built page, whole, as DIR/WORLD-VIEW-LOOK.png. Without options: every view and world in light and dark,
  wide and narrow, and the other looks in the first world. --unfold opens what is folded. The looks are ${LOOK_NAMES.join(', ')}.
  projector is 1920 × 1080 enlarged to 150 %, zoom is 200 %, and still prefers reduced motion.`

const OPTIONS = {
  out: { type: 'string' },
  views: { type: 'string' },
  worlds: { type: 'string' },
  looks: { type: 'string' },
  unfold: { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const

/** The names in a list separated by commas; undefined without the option. Throws ArgumentError. */
function listOf<Name extends string>(option: string, text: string | undefined, names: readonly Name[]) {
  return text?.split(',').map((name) => oneOf(option, name.trim(), names))
}

try {
  const { values } = readArguments({ args: process.argv.slice(2), options: OPTIONS })
  if (values.help === true) process.stdout.write(`${USAGE}\n`)
  else {
    if (values.out === undefined) throw new ArgumentError('--out is missing: name a folder for the pictures.')
    const plan = {
      folder: values.out,
      views: values.views?.split(',').map((name) => name.trim()),
      worlds: listOf('worlds', values.worlds, SHIPPED_WORLDS),
      looks: listOf('looks', values.looks, LOOK_NAMES),
      isUnfolded: values.unfold,
    }
    await takeScreenshots(plan, (file) => process.stdout.write(`${file}\n`))
  }
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n${USAGE}\n`)
  process.exitCode = 2
}
