/** The Cluster view with a gateway on a socket: connect, launch, follow, change, lose the connection, stop. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { runOnShow } from './controls.ts'
import { downloaded, usePages } from './harness.ts'
import { goTo } from './views.ts'
import { expectInside, expectSound } from './looks.ts'
import { GatewayStandIn } from './gateway-stand-in.ts'
import { expectFreeMainThread } from './free-main-thread.ts'
import { turns } from './settled.ts'
import { makeSmall } from './small-run.ts'

let page: Page
let gateway: GatewayStandIn
let address: string

beforeEach(async () => {
  gateway = new GatewayStandIn(new URL(inject('pageAddress')).origin)
  address = await gateway.listen()
})
afterEach(() => gateway.close())
/** Registered last, so that pages close before their gateway. */
const pages = usePages({ isAlone: true })

async function visit(options: BrowserContextOptions = {}, hash = '#cluster'): Promise<void> {
  page = await pages.open(options)
  await page.goto(new URL(hash, inject('pageAddress')).href)
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })

async function connect(token = gateway.token): Promise<void> {
  await page.getByLabel('Address').fill(address)
  await page.getByLabel('Token', { exact: true }).fill(token)
  await button('Connect').click()
}

async function launch(system = 'AlfWorld', name = 'first'): Promise<string> {
  await page.getByRole('radio', { name: system }).check()
  await button('Released settings').click()
  await field('Name of the run').fill(name)
  await button('Launch').click()
  await page.getByRole('heading', { name }).waitFor()
  return [...gateway.jobs.values()].at(-1)!.summary.runId
}

const accuracy = (text: RegExp) => page.getByRole('img', { name: text })

describe('the connection', () => {
  it('reports each step up to the one that fails, or connects', async () => {
    await visit()
    await connect('wrong')
    await page.getByRole('alert').getByText('The token is not the right one.').waitFor()
    await page.getByText('✗ The token is right').waitFor()
    await connect()
    await page.getByText(/Connected to gateway 0.1.0 at \S+, which runs jobs with Ray 2.54.0, with 96 GPUs/).waitFor()

    gateway.allowedOrigin = 'https://elsewhere.example'
    await button('Connect again').click()
    await page
      .getByRole('alert')
      .getByText(/does not let this page read/)
      .waitFor()
    await page.getByText(new RegExp(`--allow-origin ${new URL(inject('pageAddress')).origin}`)).waitFor()

    await page.getByLabel('Address').fill('http://127.0.0.1:9')
    await button('Connect').click()
    await page.getByRole('alert').getByText('Nothing answers at 127.0.0.1:9.').waitFor()
    await page.getByLabel('Address').fill('head-node:8787')
    await button('Connect').click()
    await page
      .getByRole('alert')
      .getByText(/is not the address of a gateway/)
      .waitFor()
  })

  it('keeps addresses, and a token only on request', async () => {
    await visit()
    await connect()
    await page.getByText(/Connected to gateway/).waitFor()
    const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
    expect(await stored()).toContain(address)
    expect(await stored()).not.toContain(gateway.token)
    await page.reload()
    expect(await page.getByLabel('Address').inputValue()).toBe(address)
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('')

    await page.getByLabel('Token', { exact: true }).fill(gateway.token)
    await page.getByRole('checkbox', { name: 'Keep the token in this browser' }).check()
    await page.reload()
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe(gateway.token)
    // A token belongs to one address.
    await page.getByLabel('Address').fill('http://127.0.0.1:9')
    await page.getByLabel('Address').blur()
    expect(await stored()).not.toContain(gateway.token)
  })
})

describe('a run on the cluster', () => {
  it('is previewed before launch: command, YAML and differences from the release', async () => {
    await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
    await connect()
    await button('Released settings').click()
    await page.getByRole('textbox', { name: /^λ ?: weight of the step scores/ }).fill('0.5')
    await field('Rollouts per task').fill('4')
    await field('Name of the run').fill('Bad Name')
    await page.getByText(/Use 1 to 40 lower-case letters/).waitFor()
    expect(await button('Launch').isDisabled()).toBe(true)
    await field('Name of the run').fill('half_lambda')
    await button('Dry run').click()
    await page.getByRole('heading', { name: 'Dry run' }).waitFor()
    await page.getByText('python alfworld_rl.py config=configs/half_lambda.yaml').waitFor()
    await page.getByRole('row', { name: 'rollout.policy.num_rollout_per_trial 8 4' }).waitFor()
    await button('Copy YAML').click()
    await page.getByText('Copied.').waitFor()
    const yaml = await page.evaluate(() => navigator.clipboard.readText())
    expect(yaml).toMatch(/num_rollout_per_trial: 4/)
    expect(yaml).toMatch(/lambda: 0.5/)
    expect(gateway.jobs.size).toBe(0)

    await button('Launch').click()
    await page.getByRole('heading', { name: 'half_lambda' }).waitFor()
    expect(gateway.starts).toEqual([
      { system: 'alfworld', name: 'half_lambda', settings: { lambda: 0.5, groupSize: 4 }, dryRun: false },
    ])
  })

  it('is exported as YAML without a gateway, with the unsupported settings', async () => {
    await visit()
    await page.getByRole('radio', { name: 'OSWorld' }).check()
    await button('Released settings').click()
    await button('Open-AgentRL YAML').click()
    await page.getByRole('heading', { name: 'Configuration for Open-AgentRL' }).waitFor()
    await page.getByText(/that the release does not support/).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download YAML').click()])
    expect(download.suggestedFilename()).toBe('osworld_rl.yaml')
    expect(String(await downloaded(download))).toMatch(/project: "?osworld_rl/)
    // The page's preset has two learning rates, the release has one.
    await button('Your settings').click()
    await page.getByText(/The release does not support these settings.*: Arithmetic/).waitFor()
    await button('Open-AgentRL YAML').click()
    await page
      .getByRole('alert')
      .getByText(/the release has one value for both/)
      .waitFor()
  })

  it('shows its curves, accepts a new λ, survives a lost connection without a gap, and stops', async () => {
    await visit()
    await connect()
    const runId = await launch()
    await page.getByText(/AlfWorld on .*pending · connected/).waitFor()
    gateway.advance(runId, 3)
    await page.getByText(/running, step 3 of 12/).waitFor()
    await accuracy(/Policy accuracy\. .*training .* \(iterations 1 to 3\)/).waitFor()

    await field('λ').fill('20')
    await page.getByText('λ must be a number from 0 to 10.').waitFor()
    expect(await field('λ').getAttribute('aria-invalid')).toBe('true')
    await field('λ').fill('0.25')
    expect(await field('λ').getAttribute('aria-invalid')).toBe('false')
    await button('Apply from the next step').click()
    await page.getByText('λ 0.25, αlow 0.2, αhigh 0.8 from step 4.').waitFor()
    expect(gateway.patches).toEqual([{ lambda: 0.25 }])

    gateway.isDown = true
    gateway.cut()
    await page
      .getByRole('alert')
      .getByText('The connection was lost.')
      .or(page.getByRole('alert').getByText(/cannot be reached/))
      .first()
      .waitFor()
    gateway.advance(runId, 2)
    gateway.isDown = false
    // The page reconnects by itself.
    await accuracy(/^Policy accuracy\. .*training .* \(iterations 1 to 5\)/).waitFor()
    await page.getByText(/running, step 5 of 12 · connected/).waitFor()
    gateway.advance(runId)
    await accuracy(/^Policy accuracy\. .*training .* \(iterations 1 to 6\)/).waitFor()
    const job = gateway.jobs.get(runId)!
    const lastBefore = job.story.findIndex(({ type, iteration }) => type === 'iteration-finished' && iteration === 3)
    expect(gateway.resumed.at(0)).toBeUndefined()
    expect(gateway.resumed.at(-1)).toBe(String(lastBefore))
    // A row of the table for each iteration, once.
    await page.locator('article figure summary').first().click()
    const rows = page.getByRole('group', { name: 'Policy accuracy, table' }).locator('tbody tr')
    expect(await rows.locator('th').allTextContents()).toEqual(['1', '2', '3', '4', '5', '6'])

    await page.locator('summary', { hasText: 'Job log' }).click()
    await page.getByRole('region', { name: 'Job log' }).getByText('[policy] step 6 of 12').waitFor()
    await page.locator('summary', { hasText: 'Tasks and rewrites' }).click()
    await page
      .getByText(/Step \d: (harder|easier), acc \d+ %/)
      .first()
      .waitFor()
    await page.locator('summary', { hasText: /^Files$/ }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), button('config.yaml').click()])
    expect(String(await downloaded(download))).toMatch(/project: x/)

    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await button('Stop…').press('Enter')
    await expect.poll(focused).toBe('Keep running')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Stop…')
    await page.keyboard.press('Enter')
    await button('Stop run').press('Enter')
    await page.getByText(/AlfWorld on .*stopped, step 6 of 12/).waitFor()
    expect(gateway.jobs.get(runId)?.summary.state).toBe('STOPPED')
    await expect.poll(focused).toBe('first')
    await page.getByText(/all events received/).waitFor()
  })

  it('shows OSWorld by domain, and why a run failed', async () => {
    await visit()
    await connect()
    const runId = await launch('OSWorld', 'desktops')
    gateway.advance(runId, 4)
    await page.getByRole('heading', { name: 'Accuracy by domain' }).waitFor()
    await accuracy(/^Accuracy in gimp\. in distribution 10.0 % → 25.0 % \(iterations 1 to 4\); training/).waitFor()
    gateway.end(runId, 'FAILED', 'torch.OutOfMemoryError: CUDA out of memory')
    await page.getByRole('alert').getByText('torch.OutOfMemoryError: CUDA out of memory').waitFor()
    await page.getByText('The run failed on the cluster with exit code 1.').waitFor()
  })

  it('continues after a reload once the token is entered again', async () => {
    await visit()
    await connect()
    const runId = await launch()
    gateway.advance(runId, 2)
    await accuracy(/^Policy accuracy\. .*training .* \(iterations 1 to 2\)/).waitFor()
    await page.reload()
    gateway.advance(runId, 1)
    await connect()
    await button('Open first').click()
    await accuracy(/^Policy accuracy\. .*training .* \(iterations 1 to 3\)/).waitFor()
  })

  it('shares a chart with other runs and the run in this tab', async () => {
    await visit()
    await connect()
    const one = await launch('AlfWorld', 'one')
    const two = await launch('AlfWorld', 'two')
    gateway.advance(one, 3)
    gateway.advance(two, 2)
    await accuracy(/side by side\. one .*\(iterations 1 to 3\); two .*\(iterations 1 to 2\)/).waitFor()
    // Runs of the same name go by their ids.
    await button('Launch').click()
    await page.getByRole('heading', { name: 'alfworld_3' }).waitFor()
    await accuracy(/side by side\. alfworld_1 .*; alfworld_2 /).waitFor()
    await goTo(page, 'Loop')
    await makeSmall(page)
    await button('Step').click()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await goTo(page, 'Cluster')
    await accuracy(/side by side\. .*this tab .* at iteration 1/).waitFor()
  })

  it('does not block the main thread while a long history arrives', async () => {
    await visit()
    await connect()
    // Enough for every try.
    gateway.iterations = 36
    const runId = await launch()
    let arrived = 0
    const history = async () => {
      gateway.advance(runId, 12)
      arrived += 12
      await accuracy(new RegExp(`^Policy accuracy\\. .*training .* \\(iterations 1 to ${arrived}\\)`)).waitFor()
      await turns(page)
    }
    await expectFreeMainThread(pages.browser, page, history)
  })
})

describe('the view', () => {
  it('loads when it is first opened', async () => {
    await visit({}, '#loop')
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(response.url()))
    await runOnShow(page).getByText('Recorded run').waitFor()
    await page.waitForLoadState('networkidle')
    expect(loaded.filter((url) => /cluster/i.test(url))).toEqual([])
    await goTo(page, 'Cluster')
    await page.getByRole('heading', { name: 'Cluster' }).waitFor()
    expect(await page.title()).toMatch(/^Cluster · /)
  })

  it('passes axe and fits into windows of 360 to 1440 pixels', async () => {
    await visit()
    await connect()
    const runId = await launch('OSWorld')
    gateway.advance(runId, 3)
    await page.getByRole('heading', { name: 'Accuracy by domain' }).waitFor()
    await page.locator('summary', { hasText: 'Job log' }).click()
    await button('Dry run').click()
    await page.getByRole('heading', { name: 'Dry run' }).waitFor()
    await expectSound(page, [360, 768, 1440])
    await button('Open-AgentRL YAML').click()
    await page.locator('details > summary', { hasText: 'YAML' }).click()
    await expectInside(page, [360, 768, 1440])
  })
})
