/** `npm run bench -- --suite NAME`: measures and prints a table, or JSON lines with --json. */
import type { CommandSuiteName, Measurement, Suite } from '../bench/suite.ts'
import { ArgumentError, oneOf } from './arguments.ts'
import { BENCH_USAGE, parseBenchArguments, type SuiteChoices } from './bench/arguments.ts'
import { benchTable } from './bench/table.ts'

/** Suites, loaded on demand because each imports its peers. */
const SUITES: Record<CommandSuiteName, (options: SuiteChoices) => Promise<Suite>> = {
  generate: (options) => openModelSuite('generate', options),
  train: (options) => openModelSuite('train', options),
  loop: async () => (await import('./bench/models.ts')).loopSuiteInNode(),
  environment: async ({ games }) => (await import('./bench/environment.ts')).environmentSuiteInNode(games),
  cores: async (options) => (await import('./bench/cores.ts')).coresSuiteOnMachine(options.places),
  judge: async () => (await import('./bench/judge.ts')).judgeSuiteInNode(),
}

async function openModelSuite(name: 'train' | 'generate', options: SuiteChoices): Promise<Suite> {
  if (options.model === undefined) return (await import('./bench/models.ts')).modelSuite(name, options.places)
  const { LARGER_MODELS, largerModelSuite } = await import('./bench/larger-models.ts')
  return largerModelSuite(name, oneOf('model', options.model, LARGER_MODELS))
}

async function main(): Promise<void> {
  const choices = parseBenchArguments(process.argv.slice(2))
  if (choices === null) process.stdout.write(BENCH_USAGE)
  else if ('gpu' in choices) process.exitCode = await (await import('./bench/gpu/command.ts')).gpuCommand(choices.gpu)
  else await measure(choices.suites)
}

async function measure(choices: SuiteChoices): Promise<void> {
  const { suites, isJson } = choices
  for (const name of suites) {
    const suite = await SUITES[name](choices)
    const measurements: Measurement[] = []
    if (!isJson) process.stdout.write(`\n${suite.name}: ${suite.summary}\n`)
    await suite.run({
      report(measurement) {
        measurements.push(measurement)
        if (isJson) process.stdout.write(`${JSON.stringify(measurement)}\n`)
      },
      progress: (text) => void process.stderr.write(`${text}\n`),
    })
    if (!isJson) process.stdout.write(benchTable(measurements))
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof ArgumentError)) throw error
  process.stderr.write(`${error.message}\n\n${BENCH_USAGE}`)
  process.exitCode = 2
})
