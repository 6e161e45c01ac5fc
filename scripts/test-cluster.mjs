/**
 * `npm run test:cluster`: the tests against real servers (test/cluster/real). Creates a Python environment with Ray, starts a head on
 * loopback with token authentication, runs `ray*.real.ts` against it, and stops it. `--all` also runs the other `*.real.ts`, which
 * create their own, larger environments. Names run the files that start with them, as in `npm run test:cluster -- tinker openai`. The
 * last line has the counts: `9 passed, 0 failed`.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ensure, root, say, toolFile } from './ensure.mjs'
import { PythonMissing, pythonEnvironment } from './python-environment.mjs'
import { closingLines, countReport } from './test.mjs'

const RAY = 'ray[default]==2.60.0'
const RAY_START_MS = 120_000

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(`npm run test:cluster [-- --all | NAME ...]

  NAME     runs the files of test/cluster/real whose names start with it (ray)
  --all    runs all of them; those of model servers create large Python environments
  --help   shows this text
`)
  process.exit(0)
}
const isAll = args.includes('--all')
const names = args.filter((argument) => argument !== '--all')
const files = readdirSync(join(root, 'test/cluster/real')).filter((file) => file.endsWith('.real.ts'))
const unknown = names.find((name) => !files.some((file) => file.startsWith(name)))
if (unknown !== undefined || (isAll && names.length > 0)) {
  say(
    `${isAll ? '--all takes no further arguments' : `Unknown argument "${unknown}"`}. Valid: --all, or beginnings of ${files.join(', ')}.`,
  )
  process.exit(2)
}
const filters = isAll ? [] : names.length > 0 ? names : ['ray']
const needsRay = isAll || files.some((file) => file.startsWith('ray') && filters.some((name) => file.startsWith(name)))
ensure()

/** @type {Awaited<ReturnType<typeof startRay>> | null} */
let ray = null
let counts
try {
  if (needsRay) ray = await startRay()
  counts = await runTests(
    filters.map((name) => `test/cluster/real/${name}`),
    ray === null ? {} : { RAY_TEST_ADDRESS: ray.address, RAY_TEST_TOKEN: ray.token },
  )
} catch (error) {
  say(error instanceof PythonMissing ? error.message : (error.stack ?? String(error)))
  counts = { passed: 0, failed: 1, skips: [], failures: ['the servers did not start'] }
} finally {
  await ray?.end()
}
process.stdout.write(closingLines(counts))
process.exit(counts.failed === 0 ? 0 : 1)

async function startRay() {
  const bin = pythonEnvironment('ray', [RAY])
  // Ray creates sockets in it, whose paths must be short.
  const folder = mkdtempSync(join(tmpdir(), 'ray-'))
  const token = randomBytes(24).toString('hex')
  const [port, dashboardPort] = [await freePort(), await freePort()]
  const options = [
    ...[
      'start',
      '--head',
      '--block',
      '--disable-usage-stats',
      '--include-dashboard=true',
      '--num-cpus=2',
      '--num-gpus=0',
    ],
    ...[
      '--node-ip-address=127.0.0.1',
      `--port=${port}`,
      '--dashboard-host=127.0.0.1',
      `--dashboard-port=${dashboardPort}`,
    ],
    ...[`--temp-dir=${folder}`, '--object-store-memory=100000000', '--include-log-monitor=false'],
  ]
  const head = spawn(join(bin, 'ray'), options, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token, PATH: `${bin}:${process.env.PATH}` },
  })
  let output = ''
  const keep = (/** @type {Buffer} */ chunk) => (output = (output + chunk.toString()).slice(-4000))
  head.stdout.on('data', keep)
  head.stderr.on('data', keep)
  const ended = new Promise((resolve) => head.once('exit', resolve))
  const end = async () => {
    // `ray start --block` stops its own processes; the rest of its group is killed after that.
    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
      try {
        process.kill(-head.pid, signal)
      } catch {
        // The group has already ended.
      }
      await Promise.race([ended, pause(15_000, undefined, { ref: false })])
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('SIGINT', () => void end().then(() => process.exit(130)))
  process.once('SIGTERM', () => void end().then(() => process.exit(143)))
  const address = `http://127.0.0.1:${dashboardPort}`
  const deadline = Date.now() + RAY_START_MS
  say(`Starting Ray (${RAY}) …`)
  while (!(await answers(`${address}/api/version`, token))) {
    if (head.exitCode !== null || Date.now() > deadline) {
      await end()
      throw new Error(`Ray did not start:\n${output}`)
    }
    await pause(500)
  }
  return { address, token, end }
}

/**
 * @param {string} url
 * @param {string} token
 */
function answers(url, token) {
  return new Promise((resolve) => {
    const request = get(url, { headers: { authorization: `Bearer ${token}` }, timeout: 2000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : 0))
    })
  })
}

/**
 * @param {readonly string[]} filters parts of file names; none for all
 * @param {Record<string, string>} environment
 */
async function runTests(filters, environment) {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-report-'))
  const file = join(folder, 'report.json')
  const child = spawn(
    process.execPath,
    [
      toolFile('vitest'),
      ...['run', '--config', 'test/cluster/real/vitest.config.ts', ...filters],
      ...['--reporter=verbose', '--reporter=json', `--outputFile.json=${file}`],
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...environment } },
  )
  const exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  let report = null
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    say(`vitest wrote no report (exit code ${exitCode}).`)
  }
  rmSync(folder, { recursive: true, force: true })
  return countReport(report, exitCode)
}
