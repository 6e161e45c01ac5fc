/** `npm run bench -- --suite NAME`: measures and prints a table, or JSON lines with --json. */
import { SUITE_NAMES, type Measurement, type Suite, type SuiteName } from '../bench/suite.ts'
import { ArgumentError, oneOf, readArguments } from './arguments.ts'
import { benchTable } from './bench/table.ts'

/** Suites, loaded on demand because each imports its peers. */
const SUITES: Record<SuiteName, (options: { games?: string; in?: string }) => Promise<Suite>> = {
  generate: async (options) => (await import('./bench/models.ts')).modelSuite('generate', options.in),
  train: async (options) => (await import('./bench/models.ts')).modelSuite('train', options.in),
  loop: async () => (await import('./bench/models.ts')).loopSuiteInNode(),
  environment: async ({ games }) => (await import('./bench/environment.ts')).environmentSuiteInNode(games),
  judge: async () => (await import('./bench/judge.ts')).judgeSuiteInNode(),
}

const USAGE = `npm run bench -- [--suite ${[...SUITE_NAMES, 'all'].join('|')}] [--in PLACE] [--games PATH] [--json]

  --suite NAME   what to measure (all)
  --in PLACE     where generate and train run: node, with one thread for all, or chromium, which measures peers with one
                 thread and with two, and WebGPU if there is a graphics adapter (both, one after the other)
  --games PATH   official games for the environment suite: ALFWorld's zip, a folder or a file (ALFWORLD_DATA);
                 ALFWORLD_PYTHON names a Python with alfworld and TextWorld to measure beside ours
  --json         prints only measurements to stdout, as JSON lines
`

async function main(): Promise<void> {
  const { values } = readArguments({
    options: {
      suite: { type: 'string', default: 'all' },
      games: { type: 'string' },
      in: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const wanted = oneOf('suite', values.suite, [...SUITE_NAMES, 'all'])
  for (const name of SUITE_NAMES.filter((name) => wanted === 'all' || wanted === name)) {
    const suite = await SUITES[name](values)
    const measurements: Measurement[] = []
    if (!values.json) process.stdout.write(`\n${suite.name}: ${suite.summary}\n`)
    await suite.run({
      report(measurement) {
        measurements.push(measurement)
        if (values.json) process.stdout.write(`${JSON.stringify(measurement)}\n`)
      },
      progress: (text) => void process.stderr.write(`${text}\n`),
    })
    if (!values.json) process.stdout.write(benchTable(measurements))
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
})
