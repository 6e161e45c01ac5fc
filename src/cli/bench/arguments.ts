/** The arguments of `npm run bench`. */
import { type CommandSuiteName, SUITE_NAMES } from '../../bench/suite.ts'
import { ArgumentError, oneOf, readArguments, refuseOptions } from '../arguments.ts'
import type { GpuCommandOptions } from './gpu/command.ts'
import { type Place, placesOf } from './places.ts'

const NAMES = [...SUITE_NAMES, 'cores'] as const

/** What `npm run bench` measures without --gpu. */
export interface SuiteChoices {
  suites: readonly CommandSuiteName[]
  places: readonly Place[]
  games: string | undefined
  /** One of LARGER_MODELS, not checked yet. */
  model: string | undefined
  isJson: boolean
}

/** Suites that an option changes. */
const SUITES_OF = {
  in: ['generate', 'train', 'cores'],
  model: ['generate', 'train'],
  games: ['environment'],
} satisfies Record<string, readonly CommandSuiteName[]>

export const BENCH_USAGE = `npm run bench -- [--suite ${[...NAMES, 'all'].join('|')}] [--in PLACE] [--games PATH] [--json]

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
                 .cache/gpu-bench is a folder that does the same on another machine: node run.mjs (docs/benchmarks.md)
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

/** Null for --help. Throws ArgumentError. */
export function parseBenchArguments(
  args: readonly string[],
): { gpu: GpuCommandOptions } | { suites: SuiteChoices } | null {
  const { values, positionals } = readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      suite: { type: 'string' },
      games: { type: 'string' },
      in: { type: 'string' },
      model: { type: 'string' },
      json: { type: 'boolean', default: false },
      gpu: { type: 'boolean' },
      minutes: { type: 'string' },
      tiny: { type: 'boolean', default: false },
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
  if (values.help) return null
  const [unknown] = positionals.slice(values.browser ? 1 : 0)
  if (unknown !== undefined) throw new ArgumentError(`"${unknown}" belongs to no option.`)
  const measuring = ['minutes', 'tiny', 'peak', 'bandwidth', 'browser', 'browser-flags'] as const
  if (values.gpu) {
    refuseOptions(values, ['suite', 'in', 'model', 'games', 'json'], 'has no use with --gpu')
    if (values['folder-only']) refuseOptions(values, measuring, 'has no use with --folder-only, which measures nothing')
    const numbers = (['minutes', 'peak', 'bandwidth'] as const).flatMap((name) =>
      values[name] === undefined ? [] : [`--${name}`, values[name]],
    )
    return {
      gpu: {
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
      },
    }
  }
  refuseOptions(values, [...measuring, 'folder-only', 'platform', 'with-node', 'library'], 'requires --gpu')
  const wanted = oneOf('suite', values.suite ?? 'all', [...NAMES, 'all'])
  for (const option of ['in', 'model', 'games'] as const) {
    const suites: readonly string[] = SUITES_OF[option]
    if (wanted !== 'all' && !suites.includes(wanted))
      refuseOptions(values, [option], `is for ${suites.join(', ')}, not for the suite ${wanted}`)
  }
  const places = placesOf(values.in)
  if (values.model !== undefined && values.in === 'chromium')
    throw new ArgumentError('--model measures in Node; omit --in chromium.')
  const suites = NAMES.filter((name) => wanted === 'all' || wanted === name)
  return { suites: { suites, places, games: values.games, model: values.model, isJson: values.json } }
}
