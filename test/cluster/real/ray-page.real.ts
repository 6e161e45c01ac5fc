/** The built page in Chromium with a gateway and a real Ray: launch, watch, steer, lose the connection, stop, fail. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../../../scripts/browser.mjs'
import { RayJobs } from '../../../src/cluster/gateway/ray-jobs.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { servePage, type ServedPage } from '../../browser/server.ts'
import { startFixture, TOKEN, type Fixture } from '../gateway-fixture.ts'
import { TcpProxy } from '../tcp-proxy.ts'

const address = process.env['RAY_TEST_ADDRESS'] ?? ''
const token = process.env['RAY_TEST_TOKEN'] ?? ''
if (address === '') throw new Error('There is no Ray to test against: run `npm run test:cluster`.')

let served: ServedPage
let browser: Browser
let page: Page
let fixture: Fixture
let proxy: TcpProxy
const faults: string[] = []

beforeAll(async () => {
  served = await servePage()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await served.close()
})
afterEach(async () => {
  await page.context().close()
  await proxy.cut()
  await fixture.remove()
  expect(faults.splice(0)).toEqual([])
})

/**
 * Runs in the page before its scripts: records the ids of the events that the page reads from its streams, in order. A piece is passed
 * on only when the page asks for it, so the record is exact even if a connection breaks.
 */
function noteEventIds(): void {
  const seen: number[] = []
  Object.assign(window, { seen })
  const original = window.fetch.bind(window)
  window.fetch = async (...request) => {
    const response = await original(...request)
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          text += decoder.decode(value, { stream: true })
          const whole = text.lastIndexOf('\n\n') + 1
          for (const [, id] of text.slice(0, whole).matchAll(/^id: (\d+)$/gm)) seen.push(Number(id))
          text = text.slice(whole)
          controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

const seenIds = () => page.evaluate(() => (window as unknown as { seen: number[] }).seen)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
/** The curve of the training accuracy from the first iteration to `last` or a later one. */
const curve = () => page.getByRole('img', { name: /Policy accuracy\. .*training .* \(iterations 1 to \d+\)/ })

async function lastIteration(): Promise<number> {
  const label = (await curve().count()) > 0 ? await curve().first().getAttribute('aria-label') : null
  return Number(/training .*? \(iterations 1 to (\d+)\)/.exec(label ?? '')?.[1] ?? 0)
}

async function connectAndLaunch(tree: { stepSeconds: number; failAt?: number }, name: string): Promise<string> {
  const cluster = { origins: [new URL(served.address).origin] }
  fixture = await startFixture({ ...tree, cluster, backend: new RayJobs({ address, token }) })
  proxy = new TcpProxy(Number(new URL(fixture.address).port))
  await proxy.open()
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  context.setDefaultTimeout(60_000)
  page = await context.newPage()
  page.on('pageerror', (error) => faults.push(error.message))
  await page.addInitScript(noteEventIds)
  await page.goto(new URL('#cluster', served.address).href)
  await page.getByLabel('Address').fill(proxy.address)
  await page.getByLabel('Token', { exact: true }).fill(TOKEN)
  await button('Connect').click()
  await page.getByText(/Connected to gateway test at \S+, which runs jobs with Ray 2\.\d+\.\d+, with 8 GPUs/).waitFor()
  await page.getByText(/AlfWorld: ready; the first run patches its code/).waitFor()

  await page.getByRole('radio', { name: 'AlfWorld' }).check()
  await button('Released settings').click()
  await field('Name of the run').fill(name)
  await field('Steps of the run').fill('40')
  await button('Launch').click()
  await page.getByRole('heading', { name }).waitFor()
  const [run] = fixture.gateway.list()
  expect(run).toMatchObject({ name, totalSteps: 40 })
  return run!.runId
}

describe('the page with a gateway and a real Ray', () => {
  it('launches a job, draws its curves, changes λ from the next step on, reconnects, and stops it', async () => {
    const runId = await connectAndLaunch({ stepSeconds: 2 }, 'from_the_page')
    await expect.poll(lastIteration).toBeGreaterThanOrEqual(2)
    await page.getByText(/AlfWorld on .*running, step \d+ of 40 · connected/).waitFor()

    await field('λ').fill('3')
    await button('Apply from the next step').click()
    const answer = page.getByText(/^λ 3, αlow 0\.2, αhigh 0\.8 from step \d+\.$/)
    const fromStep = Number(/from step (\d+)/.exec((await answer.textContent()) ?? '')?.[1])
    expect(fromStep).toBeGreaterThanOrEqual(3)
    // The change is pending until its step, and the field keeps showing it.
    expect(await field('λ').inputValue()).toBe('3')
    await expect.poll(lastIteration).toBeGreaterThanOrEqual(fromStep)

    const before = await lastIteration()
    await proxy.cut()
    await page
      .getByRole('alert')
      .getByText(/The connection was lost\.|cannot be reached\./)
      .waitFor()
    await pause(5000)
    expect(await lastIteration()).toBeLessThanOrEqual(before + 1)
    await proxy.open()
    // It reconnects by itself.
    await page.getByText(/AlfWorld on .*running, step \d+ of 40 · connected/).waitFor()
    await expect.poll(lastIteration).toBeGreaterThanOrEqual(before + 4)
    expect(await field('λ').inputValue()).toBe('3')

    await button('Stop…').click()
    await button('Stop run').click()
    await page.getByText(/AlfWorld on .*stopped, step \d+ of 40 · all events received/).waitFor()

    const file = await fixture.ask('GET', `/v1/runs/${runId}/files/run.jsonl`)
    const events = parseRunLog(await file.text())
    expect(await seenIds()).toEqual(events.map(({ seq }) => seq))
    expect(events.filter(({ type }) => type === 'settings-changed')).toMatchObject([
      { iteration: fromStep, patch: { lambda: 3 } },
    ])
    const used = readFileSync(join(fixture.cluster.checkout, runId, 'temp_data', 'used.jsonl'), 'utf8')
    const values = used
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { step: number; lambda: number })
    expect(values.length).toBeGreaterThan(fromStep)
    for (const { step, lambda } of values) expect(lambda).toBe(step < fromStep ? 1 : 3)

    // The chart shows the reported values.
    await page.locator('article figure summary').first().click()
    const table = page.getByRole('group', { name: 'Policy accuracy, table' }).locator('tbody tr')
    const rows = await table.evaluateAll((found) =>
      found.map((row) => [...row.children].map((cell) => cell.textContent)),
    )
    const measured = events.flatMap((event) =>
      event.type === 'iteration-finished' ? [{ step: event.iteration, acc: event.metrics['policy/acc'] ?? NaN }] : [],
    )
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual(
      measured.map(({ step, acc }) => [String(step), `${(100 * acc).toFixed(1)} %`]),
    )
    await page.locator('summary', { hasText: 'Job log' }).click()
    const log = page.getByRole('region', { name: 'Job log' })
    const lines = ((await log.textContent()) ?? '').split('\n').filter((line) => /^=+ epoch \d+ =+$/.test(line))
    expect(lines).toEqual(lines.map((_, i) => `========== epoch ${i + 1} ==========`))
    expect(lines.length).toBeGreaterThanOrEqual(measured.length)
  })

  it('shows the error of a job that fails, without the paths of the cluster', async () => {
    await connectAndLaunch({ stepSeconds: 1, failAt: 2 }, 'doomed')
    const alert = page.getByRole('alert')
    await alert.getByText('The run failed on the cluster with exit code 1.').waitFor()
    const said = (await alert.textContent()) ?? ''
    expect(said).toContain('RuntimeError: CUDA error: out of memory in <on the cluster>')
    expect(said).not.toContain(fixture.folder)
    await page.getByText(/AlfWorld on .*failed, step \d of 40 · all events received/).waitFor()
  })
})
