/**
 * `node run.mjs` in the folder of `npm run bench -- --gpu`: measures in a child process, which a driver may crash or hang, and writes
 * the report in time, from what the child has reported until then.
 */
import { fork } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failedChecks, gpuReport, reportName } from '../../../bench/gpu/report.ts'
import { CEILING_UNITS, type GpuRecord } from '../../../bench/gpu/records.ts'
import { ArgumentError, readArguments } from '../../arguments.ts'
import { measure } from './measure.ts'

const USAGE = `node run.mjs [--minutes N] [--out FOLDER] [--tiny] [--peak GFLOPS] [--bandwidth GBS]

  --minutes N        time for everything (10)
  --out FOLDER       where to write gpu-<adapter>.md (.)
  --tiny             the smallest sizes, for a software adapter
  --peak GFLOPS      the adapter's single-precision peak in GFLOP/s, if it is known; otherwise measured
  --bandwidth GBS    its memory bandwidth in GB/s; otherwise measured

Ctrl-C ends it with a report of what was measured.
`

/** Kept for starting, ending and writing the report. */
const MARGIN_MS = 15_000
/** The child is ended this long before the time is over. */
const LAST_MS = 5000

export interface RunOptions {
  minutes: number
  out: string
  isTiny: boolean
  given: { gflops?: number | undefined; gigabytesPerSecond?: number | undefined }
}

/** Resolves with the path of the report and whether all that was checked agrees with the CPU. */
export async function run(options: RunOptions): Promise<{ path: string; isSound: boolean }> {
  const { minutes, out, isTiny, given } = options
  const start = performance.now()
  const totalMs = minutes * 60_000
  const records: GpuRecord[] = []
  const interruption = await new Promise<string | null>((done) => {
    const child = fork(
      fileURLToPath(import.meta.url),
      ['--measure', String(totalMs - MARGIN_MS), ...(isTiny ? ['--tiny'] : [])],
      {
        // Browsers have had relaxed SIMD since 2023, Node by default since 21.
        execArgv: process.versions.node.startsWith('20.') ? ['--experimental-wasm-relaxed-simd'] : [],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        // JSON has no Infinity, which is the difference of a result that is not finite.
        serialization: 'advanced',
        env: withLibraries(process.env),
      },
    )
    const timer = setTimeout(() => {
      done('The time was used up.')
      child.kill('SIGKILL')
    }, totalMs - LAST_MS)
    const end = (why: string | null) => {
      clearTimeout(timer)
      done(why)
      child.kill('SIGKILL')
    }
    child.on('message', (message) => {
      const record = message as GpuRecord | { kind: 'error'; message: string }
      if (record.kind === 'error') return end(record.message)
      records.push(record)
      process.stderr.write(`${lineOf(record)}\n`)
      if (record.kind === 'end') end(null)
    })
    child.on('error', (error) => end(error.message))
    process.once('SIGINT', () => end('It was stopped.'))
    child.on('exit', (code, signal) =>
      end(`The process that measured ended by itself (${signal ?? `exit code ${code}`}).`),
    )
  })
  mkdirSync(out, { recursive: true })
  const path = join(out, reportName(records))
  const node = process.versions.node.split('.').slice(0, 2).join('.')
  const report = gpuReport(records, {
    command: isTiny ? 'npm run bench -- --gpu --tiny' : 'npm run bench -- --gpu',
    machine: `Node ${node}, ${process.platform}-${process.arch}, ${availableParallelism()} cores`,
    elapsedMs: performance.now() - start,
    interruption,
    given,
  })
  writeFileSync(path, report)
  return { path, isSound: interruption === null && failedChecks(records).length === 0 }
}

/** Shared libraries that the folder brings, such as the loader of Vulkan. */
function withLibraries(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = fileURLToPath(new URL('./lib', import.meta.url))
  if (!existsSync(folder)) return env
  return { ...env, LD_LIBRARY_PATH: [folder, env['LD_LIBRARY_PATH']].filter(Boolean).join(delimiter) }
}

function lineOf(record: GpuRecord): string {
  switch (record.kind) {
    case 'adapter':
      return `adapter: ${record.name}`
    case 'part':
      return `-- ${record.name}`
    case 'check':
      return `${record.difference <= record.tolerance ? 'equal' : 'DIFFERS'}: ${record.name} (${record.difference.toExponential(1)})`
    case 'ceiling':
      return `${record.name}: ${record.value.toPrecision(3)} ${CEILING_UNITS[record.name]}, ${record.note}`
    case 'tile':
      return `${record.product}, ${record.candidate}: ${record.gflops.toPrecision(3)} GFLOP/s`
    case 'tuning':
      return `settings: ${JSON.stringify(record.settings)}`
    case 'speed':
      return `${record.model}, ${record.work}, ${record.sizes}: ${((record.tokens / record.ms) * 1000).toPrecision(3)} tokens/s on ${record.device}`
    case 'left out':
      return `left out: ${record.what}: ${record.why}`
    case 'end':
      return 'done'
  }
}

function positive(option: string, text: string): number {
  const number = Number(text)
  if (!(number > 0 && Number.isFinite(number)))
    throw new ArgumentError(`--${option} must be a positive number, not "${text}".`)
  return number
}

async function main(): Promise<void> {
  const { values } = readArguments({
    options: {
      minutes: { type: 'string', default: '10' },
      out: { type: 'string', default: '.' },
      tiny: { type: 'boolean', default: false },
      peak: { type: 'string' },
      bandwidth: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const { path, isSound } = await run({
    minutes: positive('minutes', values.minutes),
    out: resolve(values.out),
    isTiny: values.tiny,
    given: {
      gflops: values.peak === undefined ? undefined : positive('peak', values.peak),
      gigabytesPerSecond: values.bandwidth === undefined ? undefined : positive('bandwidth', values.bandwidth),
    },
  })
  process.stdout.write(`${path}\n`)
  if (!isSound) process.exitCode = 1
}

if (process.argv[2] === '--measure') await measure(Number(process.argv[3]), process.argv[4] === '--tiny')
else
  await main().catch((error: unknown) => {
    if (!(error instanceof ArgumentError)) throw error
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exitCode = 2
  })
