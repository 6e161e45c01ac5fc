/** `npm run bench -- --suite NAME`: measures and prints a table, or JSON lines with --json. */
import { type CommandSuiteName, SUITE_NAMES, type Measurement, type Suite } from '../bench/suite.ts'
import { ArgumentError, oneOf, readArguments } from './arguments.ts'
import { type Place, placesOf } from './bench/places.ts'
import { benchTable } from './bench/table.ts'

interface SuiteChoices {
  games?: string | undefined
  places: readonly Place[]
  model?: string | undefined
}

/** Suites, loaded on demand because each imports its peers. */
const SUITES: Record<CommandSuiteName, (options: SuiteChoices) => Promise<Suite>> = {
  generate: (options) => openModelSuite('generate', options),
  train: (options) => openModelSuite('train', options),
  loop: async () => (await import('./bench/models.ts')).loopSuiteInNode(),
  environment: async ({ games }) => (await import('./bench/environment.ts')).environmentSuiteInNode(games),
  cores: async (options) => (await import('./bench/cores.ts')).coresSuiteOnMachine(options.places),
  judge: async () => (await import('./bench/judge.ts')).judgeSuiteInNode(),
}

const NAMES = [...SUITE_NAMES, 'cores'] as const

async function openModelSuite(name: 'train' | 'generate', options: SuiteChoices): Promise<Suite> {
  if (options.model === undefined) return (await import('./bench/models.ts')).modelSuite(name, options.places)
  const { LARGER_MODELS, largerModelSuite } = await import('./bench/larger-models.ts')
  return largerModelSuite(name, oneOf('model', options.model, LARGER_MODELS))
}

const USAGE = `npm run bench -- [--suite ${[...NAMES, 'all'].join('|')}] [--in PLACE] [--games PATH] [--json]

  --suite NAME   what to measure (all)
  --in PLACE     where generate, train and cores run: node, with one thread for all, or chromium, which measures peers with one
                 thread and with two, and WebGPU if there is a graphics adapter (both, one after the other)
  --model SIZE   train and generate in Node with a larger model: 10m or 135m (SmolLM2-135M's shape, random weights)
  --games PATH   official games for the environment suite: ALFWorld's zip, a folder or a file (ALFWORLD_DATA);
                 ALFWORLD_PYTHON names a Python with alfworld and TextWorld to measure beside ours
  --json         prints only measurements to stdout, as JSON lines

npm run bench -- --gpu [--minutes N] [--tiny] [--folder-only] [--platform P] [--with-node] [--library FILE]
                       [--browser [PATH]] [--browser-flags="--FLAG ..."]

  --gpu          measures the graphics adapter, in ten minutes at most, and writes docs/benchmarks/gpu-<adapter>.md;
                 dist/gpu-bench is a folder that does the same on another machine: node run.mjs (docs/benchmarks.md)
  --minutes N    time for everything (10)
  --tiny         the smallest sizes, for a software adapter
  --peak GFLOPS, --bandwidth GBS   the adapter's, if they are known; otherwise measured
  --folder-only  makes the folder without measuring
  --platform P   for another machine: linux-x64, linux-arm64, darwin-universal, win32-x64 or win32-arm64
  --with-node    adds this Node to the folder; --library FILE adds a shared library, such as libvulkan.so.1
  --browser [PATH]   measures in a page of this Chromium, otherwise the one of the page tests, and writes
                 docs/benchmarks/gpu-<adapter>-in-chromium.md
  --browser-flags="--FLAG ..."   flags instead of those that make it use the graphics adapter, or a software adapter with --tiny

JAX_PYTHON names a Python with jax, which train and generate measure in Node on one thread and on two.
`

async function main(): Promise<void> {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: {
      suite: { type: 'string', default: 'all' },
      games: { type: 'string' },
      in: { type: 'string' },
      model: { type: 'string' },
      json: { type: 'boolean' },
      gpu: { type: 'boolean' },
      minutes: { type: 'string' },
      tiny: { type: 'boolean' },
      peak: { type: 'string' },
      bandwidth: { type: 'string' },
      'folder-only': { type: 'boolean', default: false },
      platform: { type: 'string' },
      'with-node': { type: 'boolean', default: false },
      library: { type: 'string', multiple: true, default: [] },
      browser: { type: 'boolean', default: false },
      'browser-flags': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const [unknown] = positionals.slice(values.browser ? 1 : 0)
  if (unknown !== undefined) throw new ArgumentError(`"${unknown}" belongs to no option.`)
  if (values.gpu) {
    const { gpuCommand } = await import('./bench/gpu/command.ts')
    const numbers = (['minutes', 'peak', 'bandwidth'] as const).flatMap((name) =>
      values[name] === undefined ? [] : [`--${name}`, values[name]],
    )
    process.exitCode = await gpuCommand({
      isFolderOnly: values['folder-only'],
      platform: values.platform,
      hasNode: values['with-node'],
      libraries: values.library,
      browser: values.browser ? (positionals[0] ?? '') : undefined,
      rest: [
        ...numbers,
        ...(values.tiny ? ['--tiny'] : []),
        ...(values['browser-flags'] === undefined ? [] : [`--browser-flags=${values['browser-flags']}`]),
      ],
    })
    return
  }
  const wanted = oneOf('suite', values.suite, [...NAMES, 'all'])
  const choices = { ...values, places: placesOf(values.in) }
  for (const name of NAMES.filter((name) => wanted === 'all' || wanted === name)) {
    const suite = await SUITES[name](choices)
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
