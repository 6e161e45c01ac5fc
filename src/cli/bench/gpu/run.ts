/**
 * `node run.mjs` in the folder of `npm run bench -- --gpu`: measures in a child process or a browser, which a driver may crash or hang,
 * and writes the report in time, from what has been reported until then.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { failedChecks, gpuReport, reportName } from '../../../bench/gpu/report.ts'
import { CEILING_UNITS, type GpuRecord } from '../../../bench/gpu/records.ts'
import { ArgumentError, readArguments } from '../../arguments.ts'
import { adapterFlags, startBrowser } from './browser.ts'
import { measure, startChild } from './child.ts'
import type { Measurer } from './measurer.ts'

const USAGE = `node run.mjs [--minutes N] [--out FOLDER] [--tiny] [--peak GFLOPS] [--bandwidth GBS] [--browser PATH]

  --minutes N        time for everything (10)
  --out FOLDER       where to write gpu-<adapter>.md (.)
  --tiny             the smallest sizes, for a software adapter
  --peak GFLOPS      the adapter's single-precision peak in GFLOP/s, if it is known; otherwise measured
  --bandwidth GBS    its memory bandwidth in GB/s; otherwise measured
  --browser PATH     measures in a page of this Chromium, and writes gpu-<adapter>-in-chromium.md
  --browser-flags="--FLAG ..."
                     flags instead of those that make it use the graphics adapter, or a software adapter with --tiny

Ctrl-C ends it with a report of what was measured.
`

/** Kept for starting, ending and writing the report. */
const MARGIN_MS = 15_000
/** What measures is ended this long before the time is over. */
const LAST_MS = 5000

export interface RunOptions {
  minutes: number
  out: string
  isTiny: boolean
  given: { gflops?: number | undefined; gigabytesPerSecond?: number | undefined }
  /** The Chromium to measure in; null for Node. */
  browser: { path: string; flags: string | undefined } | null
}

/** Resolves with the path of the report and whether all that was checked agrees with the CPU. */
export async function run(options: RunOptions): Promise<{ path: string; isSound: boolean }> {
  const { minutes, out, isTiny, given, browser } = options
  const start = performance.now()
  const totalMs = minutes * 60_000
  const records: GpuRecord[] = []
  const startMeasurer =
    browser === null ? startChild : startBrowser(browser.path, browser.flags?.split(' ') ?? adapterFlags(isTiny))
  let measurer: Measurer | undefined
  const interruption = await new Promise<string | null>((done) => {
    const timer = setTimeout(() => end('The time was used up.'), totalMs - LAST_MS)
    const end = (why: string | null) => {
      clearTimeout(timer)
      done(why)
      measurer?.stop()
    }
    process.once('SIGINT', () => end('It was stopped.'))
    measurer = startMeasurer(
      { totalMs: totalMs - MARGIN_MS, isTiny },
      {
        message(message) {
          if (message.kind === 'error') return end(message.message)
          records.push(message)
          process.stderr.write(`${lineOf(message)}\n`)
          if (message.kind === 'end') end(null)
        },
        ended: end,
      },
    )
  })
  mkdirSync(out, { recursive: true })
  const path = join(out, reportName(records, browser === null ? '' : 'in chromium'))
  const report = gpuReport(records, {
    command: [
      'npm run bench -- --gpu',
      ...(isTiny ? ['--tiny'] : []),
      ...(browser ? ['--browser'] : []),
      ...(browser?.flags === undefined ? [] : [`--browser-flags="${browser.flags}"`]),
    ].join(' '),
    machine: `${measurer!.name()}, ${process.platform}-${process.arch}, ${availableParallelism()} cores`,
    elapsedMs: performance.now() - start,
    interruption,
    given,
  })
  writeFileSync(path, report)
  return { path, isSound: interruption === null && failedChecks(records).length === 0 }
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
    case 'programs':
      return `${record.model}, ${record.work}, ${record.sizes}: longest on the device is ${record.times[0]?.program ?? 'nothing'}`
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
      browser: { type: 'string' },
      'browser-flags': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const { browser } = values
  if (browser !== undefined && !existsSync(browser)) throw new ArgumentError(`--browser: there is no file ${browser}.`)
  const { path, isSound } = await run({
    minutes: positive('minutes', values.minutes),
    out: resolve(values.out),
    isTiny: values.tiny,
    given: {
      gflops: values.peak === undefined ? undefined : positive('peak', values.peak),
      gigabytesPerSecond: values.bandwidth === undefined ? undefined : positive('bandwidth', values.bandwidth),
    },
    browser: browser === undefined ? null : { path: resolve(browser), flags: values['browser-flags'] },
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
