/**
 * Experiments behind the README's claims; they take minutes of training, so they are no tests.
 *
 *     npm run experiments -- learning [--seeds 0,1,2,3,4] [--minutes 10] [--evaluation-tasks 100] [--evaluate-every 20]
 *
 * `learning`: opens the built page in a real Chromium, a fresh profile for every seed, presses Run, waits, and reads the
 * run that the page has kept. Prints the held-out accuracy before anything was learned and the mean of the last three
 * evaluations before the time was up, with the reward model's accuracies of the first and the last iterations.
 *
 *     npm run experiments -- main-thread [--seconds 20]
 *
 * `main-thread`: presses Run and watches how long single tasks hold the page's main thread, in three windows of time.
 *
 *     npm run experiments -- generator [--games 1000] [--recount] [--draws 300]
 *
 * `generator`: compares generated full scenes with the counts of the official games, and has as many of each split played;
 * with `--recount`, counts the official games anew first (see generator-report.ts for where they are looked for); with
 * `--draws`, only compares so many draws of the floor plans.
 */
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { preview } from 'vite'
import { launchBrowser } from '../../scripts/browser.mjs'
import { buildIfStale } from '../../scripts/start.mjs'
import type { LoggedEvent } from '../method/events.ts'
import { compareDraws } from './floor-plan-draws.ts'
import { generatorReport, recount } from './generator-report.ts'
import { heldMainThread } from './main-thread.ts'

const USAGE = `Usage: npm run experiments -- learning [--seeds 0,1,2,3,4] [--minutes 10] [--evaluation-tasks 100]
         [--evaluate-every 20] [--at-once 1]
       npm run experiments -- main-thread [--seconds 20]
       npm run experiments -- generator [--games 1000] [--recount] [--draws 300]`
const LAST = 3

interface LearningResult {
  seed: number
  iterations: number
  firstIterationSeconds: number
  before: { id: number; ood: number }
  after: { id: number; ood: number }
  reward: { process: [number, number]; outcome: [number, number] }
  accepted: number
}

interface LearningOptions {
  seeds: readonly number[]
  minutes: number
  /** Held-out tasks of each split. */
  evaluationTasks: number
  evaluateEvery: number
  /** Runs that share the machine. */
  atOnce: number
}

async function learning({ seeds, minutes, evaluationTasks, evaluateEvery, atOnce }: LearningOptions): Promise<void> {
  buildIfStale()
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: 4400 } })
  const browser = await launchBrowser()
  const results: LearningResult[] = []
  try {
    for (let first = 0; first < seeds.length; first += atOnce) {
      const batch = seeds.slice(first, first + atOnce).map(async (seed) => {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
        const page = await context.newPage()
        await page.goto(server.resolvedUrls!.local[0]!)
        for (const fold of await page.locator('.settings summary').all()) await fold.click()
        const set = async (label: string, value: number) => {
          const field = page.getByRole('textbox', { name: label, exact: true })
          await field.fill(String(value))
          await field.blur()
        }
        await set('Seed', seed)
        await set('Evaluation tasks', evaluationTasks)
        await set('Evaluate every', evaluateEvery)
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        const started = performance.now()
        const firstIterationSeconds = await secondsToFirstIteration(page)
        await page.waitForTimeout(minutes * 60_000 - (performance.now() - started))
        const result = summarise(seed, await keptEvents(page), firstIterationSeconds)
        process.stdout.write(`${JSON.stringify(result)}\n`)
        await context.close()
        return result
      })
      results.push(...(await Promise.all(batch)))
    }
  } finally {
    await browser.close()
    await server.close()
  }
  const gains = results.map(({ before, after }) => after.id - before.id)
  const enough = gains.filter((gain) => gain >= 0.15).length
  process.stdout.write(
    `Held-out in-distribution accuracy after ${minutes} min: ${gains.map((gain) => `${gain >= 0 ? '+' : ''}${(100 * gain).toFixed(1)}`).join(', ')} points; ` +
      `${enough} of ${gains.length} seeds gained 15 or more.\n`,
  )
}

async function secondsToFirstIteration(page: Page): Promise<number> {
  const started = performance.now()
  for (;;) {
    await page.waitForTimeout(500)
    const events = await keptEvents(page)
    if (events.some(({ type }) => type === 'iteration-finished')) return (performance.now() - started) / 1000
  }
}

/** Evaluations and metrics of the run as the page has put them into IndexedDB; none before it has. */
async function keptEvents(page: Page): Promise<LoggedEvent[]> {
  return page.evaluate(async () => {
    const name = 'rlanything-playground'
    // Opening a database that is not there would create it, empty, under the page's feet.
    if (!(await indexedDB.databases()).some((database) => database.name === name)) return []
    return new Promise<LoggedEvent[]>((resolve, reject) => {
      const opening = indexedDB.open(name)
      opening.onerror = () => reject(new Error('The page keeps no runs.'))
      opening.onsuccess = () => {
        const database = opening.result
        const wanted: LoggedEvent[] = []
        const reading = database.transaction('chunks').objectStore('chunks').openCursor()
        reading.onerror = () => reject(new Error('The kept run cannot be read.'))
        reading.onsuccess = () => {
          const cursor = reading.result
          if (!cursor) {
            database.close()
            return resolve(wanted)
          }
          for (const event of (cursor.value as { events: LoggedEvent[] }).events) {
            if (event.type === 'evaluation' || event.type === 'iteration-finished') wanted.push(event)
          }
          cursor.continue()
        }
      }
    })
  })
}

function summarise(seed: number, events: readonly LoggedEvent[], firstIterationSeconds: number): LearningResult {
  const accuracies = (split: 'id' | 'ood') =>
    events.flatMap((event) => (event.type === 'evaluation' && event.split === split ? [event.acc] : []))
  const series = (name: string) =>
    events.flatMap((event) => (event.type === 'iteration-finished' ? [event.metrics[name] ?? 0] : []))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const ends = (values: readonly number[]): [number, number] => [mean(values.slice(0, 5)), mean(values.slice(-5))]
  const [id, ood] = [accuracies('id'), accuracies('ood')]
  return {
    seed,
    iterations: series('policy/acc').length,
    firstIterationSeconds,
    before: { id: id[0] ?? NaN, ood: ood[0] ?? NaN },
    after: { id: mean(id.slice(1).slice(-LAST)), ood: mean(ood.slice(1).slice(-LAST)) },
    reward: { process: ends(series('reward/process_acc')), outcome: ends(series('reward/outcome_acc')) },
    accepted: series('env/accepted').reduce((sum, value) => sum + value, 0),
  }
}

async function mainThread(seconds: number): Promise<void> {
  buildIfStale()
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: 4400 } })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(server.resolvedUrls!.local[0]!)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForTimeout(2000)
    for (let window = 0; window < 3; window++) {
      const held = await heldMainThread(browser, page, seconds)
      process.stdout.write(`${JSON.stringify(held, (_, value: unknown) => rounded(value))}\n`)
    }
  } finally {
    await browser.close()
    await server.close()
  }
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '0,1,2,3,4' },
    minutes: { type: 'string', default: '10' },
    'evaluation-tasks': { type: 'string', default: '100' },
    'evaluate-every': { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '1' },
    seconds: { type: 'string', default: '20' },
    games: { type: 'string', default: '1000' },
    recount: { type: 'boolean', default: false },
    draws: { type: 'string', default: '0' },
  },
})
const options: LearningOptions = {
  seeds: values.seeds.split(',').map(Number),
  minutes: Number(values.minutes),
  evaluationTasks: Number(values['evaluation-tasks']),
  evaluateEvery: Number(values['evaluate-every']),
  atOnce: Number(values['at-once']),
}
const seconds = Number(values.seconds)
const games = Number(values.games)
const draws = Number(values.draws)
const isComplete = [Object.values(options), seconds, games, draws].flat(2).every(Number.isFinite)
if (positionals[0] === 'learning' && isComplete) await learning(options)
else if (positionals[0] === 'main-thread' && isComplete) await mainThread(seconds)
else if (positionals[0] === 'generator' && isComplete) {
  if (values.recount) recount()
  if (draws > 0) compareDraws(draws)
  else generatorReport(games)
} else {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 2
}
