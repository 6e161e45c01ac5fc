/** The arguments of `npm run experiments -- paper`. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { SHARED_MODELS } from '../../../roles/shipped-models.ts'
import { BACKENDS, type BackendName } from '../../../language-model/backends/backend.ts'
import { TABLES, type TableName } from '../../../results/results-file.ts'
import type { Settings } from '../../../method/settings.ts'
import { ArgumentError, oneOf, readArguments, wholeNumber } from '../../arguments.ts'
import { readAssignment } from '../../loop/arguments.ts'
import { SHIPPED } from './plan.ts'
import { FULL, QUICK, type Budget } from './budget.ts'
import { QUICK_TABLES } from './tables.ts'

export const PAPER_USAGE = `npm run experiments -- paper [options]

  --table NAME        ${TABLES.join(', ')}; may be repeated (all, or with --quick
                      ${QUICK_TABLES.join(', ')})
  --seeds LIST        0-7 or 0,1,5; for every table
  --iterations N      iterations of every run, over the table in budget.ts
  --arm NAME          runs only this arm of the tables, such as full; may be repeated. The other rows keep their
                      published values, if nothing that acts on them has changed
  --quick             fewer seeds, iterations and held-out tasks: minutes instead of hours
  --at-once N         runs side by side, each on one core (as many as there are cores)
  --out DIR           keeps runs and logs there, and continues what was interrupted (.cache/experiments/paper)
  --set KEY=VALUE     a setting of every arm, under the arm's own; may be repeated
  --policy-model NAME=DIR
                      a start policy of the map, a folder as \`npm run pretrain\` writes it; may be repeated
                      (shipped, without a folder: the built-in one, and what it starts from without this option)
  --models DIR        folder with the built-in models (public/models)
  --shared-models DIR folder with the start models of the table across (${SHARED_MODELS}), which
                      \`npm run pretrain -- --world shared\` makes
  --backend NAME      ${BACKENDS.join(', ')} (cpu)
  --publish           also writes the tables to public/results and docs/results.md, and keeps the published values
                      of other seeds, if they were measured alike
  --help              shows this text
`

const OPTIONS = {
  table: { type: 'string', multiple: true },
  seeds: { type: 'string' },
  iterations: { type: 'string' },
  arm: { type: 'string', multiple: true },
  quick: { type: 'boolean', default: false },
  'at-once': { type: 'string' },
  out: { type: 'string', default: '.cache/experiments/paper' },
  set: { type: 'string', multiple: true },
  'policy-model': { type: 'string', multiple: true },
  models: { type: 'string', default: 'public/models' },
  'shared-models': { type: 'string', default: SHARED_MODELS },
  backend: { type: 'string', default: 'cpu' },
  publish: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const MOST_SEED = 2 ** 31 - 1
const MOST_SEEDS = 1000

export interface PaperArguments {
  tables: readonly TableName[]
  budget: Budget
  /** Ids of the arms to run; null for all. */
  arms: readonly string[] | null
  atOnce: number
  out: string
  overrides: Partial<Settings>
  /** Absolute paths of the map's start policies by name; null is the shipped one. */
  starts: Readonly<Record<string, string | null>>
  models: string
  /** Folder of the models that worlds share. */
  sharedModels: string
  backend: BackendName
  isPublished: boolean
  /** The arguments as given, for provenance. */
  given: readonly string[]
}

/** Null for --help. Throws ArgumentError. */
export function parsePaperArguments(args: readonly string[]): PaperArguments | null {
  const { values } = readArguments({ args: [...args], options: OPTIONS })
  if (values.help) return null
  if (values.quick && values.publish) {
    throw new ArgumentError('--publish is for results at full size; omit --quick.')
  }
  const chosen = values.table?.map((name) => oneOf('table', name, TABLES))
  return {
    tables: [...new Set(chosen ?? (values.quick ? QUICK_TABLES : TABLES))],
    budget: budgetFrom(values.quick ? QUICK : FULL, values.seeds, values.iterations),
    arms: values.arm ?? null,
    atOnce:
      values['at-once'] === undefined ? availableParallelism() : wholeNumber('at-once', values['at-once'], 1, 256),
    out: values.out,
    // parseSettings checks the values, together with those of each arm.
    overrides: Object.fromEntries((values.set ?? []).map(readAssignment)),
    starts: startsFrom(values['policy-model'] ?? []),
    models: values.models,
    sharedModels: values['shared-models'],
    backend: oneOf('backend', values.backend, BACKENDS),
    isPublished: values.publish,
    given: args,
  }
}

function budgetFrom(base: Budget, seeds: string | undefined, iterations: string | undefined): Budget {
  const list = seeds === undefined ? null : parseSeeds(seeds)
  const count = iterations === undefined ? null : wholeNumber('iterations', iterations, 1, 1_000_000)
  return {
    ...base,
    ...(list && { seeds: list, sweepSeeds: list, mapSeeds: list }),
    ...(count !== null && {
      iterations: { household: count, coding: count, desktop: count },
      longerIterations: count,
      mapIterations: count,
      acrossIterations: count,
    }),
  }
}

/** "0-3,8" -> [0, 1, 2, 3, 8]. Throws ArgumentError. */
export function parseSeeds(text: string): number[] {
  const seeds = text.split(',').flatMap((part) => {
    const [, from, to] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part) ?? []
    if (from === undefined) throw new ArgumentError(`--seeds must be like 0-7 or 0,1,5, not "${text}".`)
    const first = wholeNumber('seeds', from, 0, MOST_SEED)
    const last = to === undefined ? first : wholeNumber('seeds', to, 0, MOST_SEED)
    if (last < first || last - first >= MOST_SEEDS) {
      throw new ArgumentError(`--seeds ${part.trim()} must name 1 to ${MOST_SEEDS} seeds, the smaller first.`)
    }
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
  return [...new Set(seeds)].sort((a, b) => a - b)
}

function startsFrom(given: readonly string[]): Record<string, string | null> {
  if (given.length === 0) return { [SHIPPED]: null }
  return Object.fromEntries(
    given.map((text): [string, string | null] => {
      if (text === SHIPPED) return [SHIPPED, null]
      const [, name, folder] = /^([\w-]+)=(.+)$/s.exec(text) ?? []
      if (name === undefined || folder === undefined) {
        throw new ArgumentError(
          `--policy-model must be NAME=DIR, as in weak=models/weak, or ${SHIPPED}, not "${text}".`,
        )
      }
      return [name, resolve(folder)]
    }),
  )
}
