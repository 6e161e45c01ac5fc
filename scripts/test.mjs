/**
 * `npm test`: installs what is missing, then runs the checks, the unit tests and the page tests in a real Chromium, except files
 * named `*.slow.test.ts`. `npm run test:all` adds those. The last line sums up all parts: `412 passed, 0 failed`.
 * `--only checks|unit|browser` runs a part.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check.mjs'
import { ensure, isMain, root, say, toolFile } from './ensure.mjs'

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

/**
 * Counts of one vitest run from its JSON report. A file that could not even be loaded counts as one failure, and so
 * does a run that ended badly although every test passed (an unhandled rejection, say).
 * @param {object | null} report
 * @param {number} exitCode
 */
export function countReport(report, exitCode) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 }
  let failed = report.numFailedTests
  for (const file of report.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) failed++
  }
  if (exitCode !== 0 && failed === 0) failed = 1
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests }
}

/** @param {{ passed: number, failed: number, skipped: number }} counts */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * @param {string} project
 * @param {boolean} isAll
 */
async function runVitest(project, isAll) {
  const folder = mkdtempSync(join(tmpdir(), 'vitest-report-'))
  const reportFile = join(folder, 'report.json')
  const args = ['run', '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json']
  if (!isAll) args.push('--exclude=**/*.slow.test.ts')
  const child = spawn(process.execPath, [toolFile('vitest'), ...args, `--outputFile.json=${reportFile}`], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  let report = null
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'))
  } catch {
    say(`vitest wrote no report for the ${project} tests (exit code ${exitCode}).`)
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
  // The checks load one core at a time and the unit tests wait now and then, so they run side by side.
  const counts = await Promise.all([
    ...(has('checks') ? [runChecks()] : []),
    ...(has('unit') ? [runVitest('unit', isAll)] : []),
  ])
  if (has('browser')) counts.push(await runVitest('browser', isAll))
  const total = (/** @type {'passed' | 'failed' | 'skipped'} */ key) => counts.reduce((sum, part) => sum + part[key], 0)
  const sum = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') }
  process.stdout.write(`${closingLine(sum)}\n`)
  process.exit(sum.failed === 0 ? 0 : 1)
}
