/**
 * `npm run experiments -- paper`: runs the arms of the paper's tables over seeds, side by side, and reports them with paired
 * 95 % intervals. A finished run is kept, so an interrupted command continues where it stopped; see run-folder.ts.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildResults, type TableRuns } from './build-results.ts'
import { parsePaperArguments, PAPER_USAGE, type PaperArguments } from './arguments.ts'
import { differenceOf, joinResults, OverlapError } from './join-results.ts'
import { jobOf, jobsOf, playersOf, type JobOptions } from './jobs.ts'
import { keepRows, onlyArms, whyNotKept } from './keep-rows.ts'
import { startName, withOverrides, type TablePlan } from './plan.ts'
import { currentCommit, hashInputs } from './provenance.ts'
import { publish, readPublished, writeResults } from './publish-results.ts'
import { agreement, textReport } from './report.ts'
import { FolderInUseError, RunFolder } from './run-folder.ts'
import { runJobs } from './run-jobs.ts'
import type { RunRecord } from './run-record.ts'
import { startInChild } from './start-child.ts'
import { planTable } from './tables.ts'
import { counted } from './words.ts'
import { ArgumentError } from '../../arguments.ts'
import type { ResultsFile } from '../../../results/results-file.ts'
import { errorText } from '../../../threads/error-text.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const EXIT_INTERRUPTED = 130

/** The exit code. Throws ArgumentError and SettingsError. */
export async function paperCommand(args: readonly string[]): Promise<number> {
  const options = parsePaperArguments(args)
  if (options === null) {
    process.stdout.write(PAPER_USAGE)
    return 0
  }
  const folder = new RunFolder(options.out)
  try {
    const unlock = await folder.lock()
    try {
      return await runTables(folder, options)
    } finally {
      await unlock()
    }
  } catch (error) {
    if (error instanceof FolderInUseError || error instanceof OverlapError)
      throw new ArgumentError(error.message, { cause: error })
    throw error
  }
}

async function runTables(folder: RunFolder, options: PaperArguments): Promise<number> {
  const { atOnce, backend, budget, models, out, overrides, sharedModels, starts } = options
  const folders = Object.values(starts).filter((start) => start !== null)
  const whole = options.tables.map((table) => withOverrides(planTable(table, budget, Object.keys(starts)), overrides))
  const needsEarlyJudge = whole.some(({ startsEarly }) => startsEarly)
  const shared = whole.some(({ startsShared }) => startsShared) ? sharedModels : null
  const hashes = await hashInputs(models, folders, needsEarlyJudge, shared)
  const jobOptions: JobOptions = { starts, backend, models: hashes }
  const plans = options.arms === null ? whole : whole.map((plan) => onlyArms(plan, options.arms!))
  for (const [index, { arms, table }] of plans.entries()) {
    if (arms.length > 0) continue
    const ids = whole[index]!.arms.map(({ id }) => id).join(', ')
    throw new ArgumentError(`--arm ${options.arms!.join(', ')} is not in the table ${table}; its arms are ${ids}.`)
  }
  const jobs = jobsOf(plans, jobOptions)
  tell(`${counted(jobs.length, 'run')} for ${counted(plans.length, 'table')}, ${atOnce} at once, kept in ${out}.`)

  const abort = new AbortController()
  const stop = () => abort.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const { records, failures } = await runJobs({
    folder,
    jobs,
    atOnce,
    start: startInChild({ out, models, sharedModels, backend }),
    signal: abort.signal,
    now: () => performance.now(),
    onProgress: progressWriter(),
    onFailure: (error) => tell(`${isLive() ? CLEAR_LINE : ''}${errorText(error)}`),
  }).finally(() => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  })
  process.stderr.write('\n')
  if (abort.signal.aborted) {
    tell('Interrupted. The same command continues from here.')
    return EXIT_INTERRUPTED
  }

  const commit = currentCommit(ROOT)
  const commits = new Set([...records.values()].flatMap((record) => record.commits))
  const earlier = [...commits].filter((each) => each !== commit)
  if (earlier.length > 0) {
    tell(
      `Some runs were made at ${earlier.join(', ')}, and not at ${commit}. For runs of this state, use another --out.`,
    )
  }
  const complete: ResultsFile[] = []
  for (const [index, plan] of plans.entries()) {
    const runs = runsOf(plan, jobOptions, records)
    if (runs === null) {
      tell(`The table ${plan.table} is incomplete. The same command tries its failed runs again.`)
      continue
    }
    const own = buildResults(plan, runs, provenanceOf(plan, options, jobOptions))
    complete.push(options.arms === null ? own : await withPublishedRows(own, whole[index]!, options.isPublished))
  }
  for (const results of complete) await report(results, out)
  if (options.isPublished && complete.length > 0) {
    await publish(ROOT, await Promise.all(complete.map(withPublishedSeeds)))
    tell('Published in public/results and docs/results.md.')
  } else if (complete.length > 0) {
    tell(
      `The tables are in ${join(out, 'results')}. With --publish they also go to public/results and docs/results.md.`,
    )
  }
  return failures.length > 0 ? 1 : 0
}

function provenanceOf(plan: TablePlan, options: PaperArguments, { models }: JobOptions) {
  const worlds = new Set(plan.arms.map(({ preset }) => preset.split('+')[0]!))
  const isUsed = (name: string) => [...worlds].some((world) => name.startsWith(`${world}-`))
  // By name, because the same weights may lie in another folder elsewhere.
  const starts = Object.entries(plan.map === undefined ? {} : options.starts).flatMap(([name, folder]) =>
    folder === null ? [] : [[startName(name), models[folder]!] as const],
  )
  return {
    command: `npm run experiments -- paper ${ownArguments(plan, options.given).join(' ')}`,
    date: new Date().toISOString().slice(0, 10),
    models: Object.fromEntries([
      ...Object.entries(playersOf(plan, models)).filter(([name]) => isUsed(name)),
      ...starts,
    ]),
  }
}

/** Options that say where and how fast runs are made, not what comes out; each has a value. */
const LOCAL_OPTIONS = ['--table', '--arm', '--out', '--at-once']

/** The arguments that make this table alone, on any machine. */
function ownArguments({ table }: TablePlan, given: readonly string[]): string[] {
  const others = given.filter((arg, i) => {
    const isValue = LOCAL_OPTIONS.includes(given[i - 1] ?? '')
    const isLocal = LOCAL_OPTIONS.some((name) => arg === name || arg.startsWith(`${name}=`))
    return !isValue && !isLocal && arg !== '--publish'
  })
  return ['--table', table, ...others]
}

/** Runs by arm and seed; null if one is missing. */
function runsOf(plan: TablePlan, options: JobOptions, records: ReadonlyMap<string, RunRecord>): TableRuns | null {
  const runs = new Map<string, Map<number, RunRecord>>()
  for (const arm of plan.arms) {
    const bySeed = new Map<number, RunRecord>()
    for (const seed of plan.seeds) {
      const record = records.get(jobOf(plan, arm, seed, options).key)
      if (record === undefined) return null
      bySeed.set(seed, record)
    }
    runs.set(arm.id, bySeed)
  }
  return runs
}

async function report(results: ResultsFile, out: string): Promise<void> {
  await writeResults(join(out, 'results'), results)
  process.stdout.write(`\n${textReport(results)}`)
  const published = await readPublished(ROOT, results.table)
  if (published === null) return
  const lines = agreement(results, published)
  if (lines.length > 0) process.stdout.write(`\nBeside the published table:\n${lines.join('\n')}\n`)
}

/**
 * With the published rows of the arms that were not run. If they cannot be kept, these arms alone are shown, but not published: throws
 * ArgumentError.
 */
async function withPublishedRows(own: ResultsFile, plan: TablePlan, isPublished: boolean): Promise<ResultsFile> {
  const published = await readPublished(ROOT, own.table)
  const why = whyNotKept(plan, own, published)
  if (why === null) {
    const earlier = published!.commits.filter((commit) => !own.commits.includes(commit))
    if (earlier.length > 0)
      tell(`The other rows of ${own.table} were run at ${earlier.join(', ')}: another state of the code.`)
    return keepRows(plan, own, published!)
  }
  if (!isPublished) {
    tell(`The table ${own.table} is shown without its other arms, since ${why}.`)
    return own
  }
  throw new ArgumentError(
    `The table ${own.table} needs its other arms, too, since ${why}. The runs are kept: omit --arm to add the others.`,
  )
}

/** With the published seeds that were not run here, unless those were measured otherwise: then these replace them. */
async function withPublishedSeeds(results: ResultsFile): Promise<ResultsFile> {
  const published = await readPublished(ROOT, results.table)
  if (published === null) return results
  const difference = differenceOf(results, published)
  if (difference === null) return joinResults(results, published)
  tell(`The published table ${results.table} is replaced: ${difference} changed, so its seeds cannot be kept.`)
  return results
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

const TELL_EVERY_MS = 60_000
const CLEAR_LINE = '\r\u001B[2K'
/** Whether the line of progress is written over, and not repeated. */
const isLive = () => process.stderr.isTTY

/** One line that is written again in a terminal; elsewhere a line when a run ends, and once a minute. */
function progressWriter(): (line: string) => void {
  let lastCount = ''
  let lastTime = -Infinity
  return (line) => {
    if (isLive()) {
      process.stderr.write(CLEAR_LINE + line)
      return
    }
    const count = line.slice(0, line.indexOf(','))
    const now = performance.now()
    if (count === lastCount && now - lastTime < TELL_EVERY_MS) return
    lastCount = count
    lastTime = now
    tell(line)
  }
}
