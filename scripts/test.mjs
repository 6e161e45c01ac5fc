/**
 * `npm test`: installs what is missing, then runs the checks, the unit tests and the page tests in a real Chromium, except files
 * named `*.slow.test.ts`. `npm run test:all` adds those. The last lines name what was skipped and what failed, and sum up all parts:
 * `412 passed, 0 failed`.
 * `--only checks|unit|browser` runs a part.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { runChecks } from './check.mjs'
import { ensure, isMain, root, say, toolFile } from './ensure.mjs'
import { buildIfStale } from './start.mjs'

/** From here on, all projects of vitest.config.ts run side by side. */
const MANY_CORES = 4
/** Seconds that long files of the project `runtime` take, and what any other counts as. They decide only which files run together. */
const RUNTIME_SECONDS = new Map(
  Object.entries({
    'main-walk': 110,
    'webllm-page': 95,
    webllm: 85,
    'main-thread': 75,
    hosting: 70,
    phone: 60,
    experiments: 45,
    games: 45,
    'web-servers': 45,
    'two-tabs': 40,
    offline: 40,
    bench: 30,
    benchmark: 30,
    'miniwob-engines': 30,
    embedding: 28,
    'miniwob-sandbox': 27,
    webgpu: 25,
    'webgpu-weights': 20,
  }),
)
const OTHER_SECONDS = 15
/** A group of files needs a server and a browser of its own, which take a few seconds to start. */
const LEAST_GROUP_SECONDS = 60
export const PARTS = ['checks', 'unit', 'browser']

/**
 * Parts asked for, and whether slow files are among them.
 * @param {readonly string[]} args
 * @returns {{ parts: string[], isAll: boolean } | { error: string }}
 */
export function parseTestArguments(args) {
  const parts = []
  let isAll = false
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--all') {
      isAll = true
      continue
    }
    if (args[i] !== '--only') {
      return { error: `Unknown argument "${args[i]}". Valid: --all, --only ${PARTS.join('|')}.` }
    }
    const part = args[++i]
    if (part === undefined || !PARTS.includes(part)) {
      return { error: `Unknown part "${part ?? ''}" after --only. Valid: ${PARTS.join(', ')}.` }
    }
    parts.push(part)
  }
  return { parts: parts.length > 0 ? PARTS.filter((part) => parts.includes(part)) : PARTS, isAll }
}

/** @typedef {{ passed: number, failed: number, skips: string[], failures: string[] }} Counts with a line for each skipped and each failed test */

/**
 * Counts of one vitest run from its JSON report. A file that could not even be loaded counts as one failure, and so
 * does a run that ended badly although every test passed (an unhandled rejection, say).
 * @param {object | null} report
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countReport(report, exitCode) {
  if (report === null) return { passed: 0, failed: 1, skips: [], failures: [`no report, exit code ${exitCode}`] }
  const failures = []
  const skips = []
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    for (const test of failed) failures.push(`${file}: ${test.fullName}: ${firstLine(test.failureMessages[0])}`)
    for (const test of assertionResults)
      if (['pending', 'skipped', 'todo'].includes(test.status)) skips.push(`${file}: ${test.fullName}`)
    if (status === 'failed' && failed.length === 0) failures.push(`${file}: ${firstLine(message)}`)
  }
  if (exitCode !== 0 && failures.length === 0) failures.push(`every test passed, exit code ${exitCode}`)
  return { passed: report.numPassedTests, failed: failures.length, skips, failures }
}

/** @param {string | undefined} text */
const firstLine = (text = '') => text.split('\n', 1)[0]

/**
 * What a command prints last: a line for each skipped and each failed test, then the counts.
 * @param {Counts} counts
 */
export function closingLines({ passed, failed, skips, failures }) {
  const sum = `${passed} passed, ${failed} failed${skips.length > 0 ? `, ${skips.length} skipped` : ''}`
  const named = [...skips.map((skip) => `SKIPPED ${skip}`), ...failures.map((failure) => `FAILED ${failure}`)]
  return [...named, sum].map((line) => `${line}\n`).join('')
}

/** @param {readonly Counts[]} counts */
function sumOf(counts) {
  const total = (/** @type {'passed' | 'failed'} */ key) => counts.reduce((sum, part) => sum + part[key], 0)
  const all = (/** @type {'skips' | 'failures'} */ key) => counts.flatMap((part) => part[key])
  return { passed: total('passed'), failed: total('failed'), skips: all('skips'), failures: all('failures') }
}

/**
 * Files of the project `runtime`, as vitest.config.ts describes them.
 * @param {boolean} isAll
 */
export const runtimeFiles = (isAll) =>
  readdirSync(join(root, 'test/browser'))
    .filter((name) => /^(?!page).*\.test\.ts$/.test(name) && (isAll || !name.endsWith('.slow.test.ts')))
    .map((name) => `test/browser/${name}`)

/**
 * Divides files of the project `runtime` into groups, longest files and groups first, so that two runners which take one group after
 * another end at about the same time.
 * @param {readonly string[]} files
 * @returns {string[][]}
 */
export function runtimeGroups(files) {
  const secondsOf = (/** @type {string} */ file) =>
    RUNTIME_SECONDS.get(basename(file).split('.', 1)[0]) ?? OTHER_SECONDS
  const longestFirst = [...files].sort((a, b) => secondsOf(b) - secondsOf(a))
  const groups = []
  let left = longestFirst.reduce((sum, file) => sum + secondsOf(file), 0)
  let room = 0
  for (const file of longestFirst) {
    if (room <= 0) {
      groups.push(/** @type {string[]} */ ([]))
      room = Math.max(left / 4, LEAST_GROUP_SECONDS)
    }
    groups.at(-1)?.push(file)
    room -= secondsOf(file)
    left -= secondsOf(file)
  }
  return groups
}

/**
 * @param {readonly string[]} projects
 * @param {boolean} isAll
 * @param {number} [priority]
 * @param {readonly string[]} [files] all of the projects if there is none
 */
async function runVitest(projects, isAll, priority = constants.priority.PRIORITY_NORMAL, files = []) {
  const folder = mkdtempSync(join(tmpdir(), 'vitest-report-'))
  const reportFile = join(folder, 'report.json')
  const args = ['run', ...files, '--passWithNoTests', '--reporter=default', '--reporter=json']
  for (const project of projects) args.push('--project', project)
  if (!isAll) args.push('--exclude=**/*.slow.test.ts')
  const child = spawn(process.execPath, [toolFile('vitest'), ...args, `--outputFile.json=${reportFile}`], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (child.pid !== undefined) setPriority(child.pid, priority)
  const exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  let report = null
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'))
  } catch {
    say(`vitest wrote no report for ${projects.join(' and ')} (exit code ${exitCode}).`)
  }
  rmSync(folder, { recursive: true, force: true })
  return countReport(report, exitCode)
}

if (isMain(import.meta.url)) {
  const parsed = parseTestArguments(process.argv.slice(2))
  if ('error' in parsed) {
    say(parsed.error)
    process.exit(2)
  }
  ensure()
  const { parts, isAll } = parsed
  const has = (/** @type {string} */ part) => parts.includes(part)
  // Walks through the page come first: their gestures and timers suffer if the page waits for a core. The rest takes what they
  // leave, on few cores one project after another. Its Node processes have a lower priority; its browsers set their own.
  const { PRIORITY_BELOW_NORMAL: low } = constants.priority
  const checks = has('checks') ? runChecks(low) : []
  const rest = has('unit') ? runVitest(['unit', 'page'], isAll, low) : []
  // Two processes serve the page, and only one may build it.
  if (has('browser')) buildIfStale()
  const pages = has('browser') ? runVitest(['browser'], isAll) : []
  const groups = has('browser') ? runtimeGroups(runtimeFiles(isAll)) : []
  const runtime = (availableParallelism() < MANY_CORES ? [rest, pages] : [null, null]).map(async (before) => {
    await before
    const done = []
    for (let group = groups.shift(); group !== undefined; group = groups.shift())
      done.push(await runVitest(['runtime'], isAll, low, group))
    return done
  })
  const counts = (await Promise.all([checks, rest, pages, ...runtime])).flat()
  const sum = sumOf(counts)
  process.stdout.write(closingLines(sum))
  process.exit(sum.failed === 0 ? 0 : 1)
}
