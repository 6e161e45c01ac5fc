/** A world from a file on the page: it is dropped, checked and played, continues after a reload, and cannot do harm. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { EXAMPLE, worldOf } from '../worlds/own/worlds.ts'
import { pressDownload, runOnShow } from './controls.ts'
import { downloaded } from './harness.ts'
import { expectSound } from './looks.ts'
import { dropWorld, useModels } from './own-world-page.ts'
import { makeSmall, reach } from './small-run.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'

const visit = useTabs()

const giveModels = useModels(['key-and-chest', 'mine'])

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function logOf(page: Page) {
  const downloading = page.waitForEvent('download')
  await pressDownload(page)
  return parseRunLog(String(await downloaded(await downloading)))
}

describe('a world from a file', () => {
  it('is checked when it is dropped, says how to get models, plays with them, and continues after a reload', async () => {
    const page = await visit()
    await dropWorld(page, 'key-and-chest.ts', readFileSync(EXAMPLE, 'utf8'))
    await page.getByText('All checks passed').waitFor()
    const downloading = page.waitForEvent('download')
    await press(page, 'Download the example')
    expect(String(await downloaded(await downloading))).toBe(readFileSync(EXAMPLE, 'utf8'))
    await page.getByRole('radio', { name: 'Key and chest', checked: true }).waitFor()
    await expectSound(page, [390, 1280])

    await press(page, 'Run')
    const alert = page.getByRole('alert').filter({ hasText: 'Key and chest has no model for this role yet' })
    expect(await alert.innerText()).toContain('npm run pretrain -- --world ./key-and-chest.ts')

    await giveModels(page, 'key-and-chest')
    await makeSmall(page, { evaluateEvery: 2, evaluationTasks: 2 })
    await press(page, 'Run')
    await goTo(page, 'Loop')
    const from = await reach(page, 3)
    await runOnShow(page).getByText('Key and chest').waitFor()
    await page.getByRole('img', { name: /^Policy accuracy\. in distribution/ }).waitFor()
    await page.reload()

    await page.getByRole('button', { name: /^Resume the run from iteration \d+$/ }).click()
    await reach(page, from + 1)
    await press(page, 'Pause')
    await page.getByText('Paused', { exact: true }).first().waitFor()
    const log = await logOf(page)
    const [started] = log
    expect(started).toMatchObject({
      type: 'run-started',
      worldFile: {
        name: 'Key and chest',
        file: 'key-and-chest.ts',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    })
    expect(log.filter(({ type }) => type === 'evaluation').length).toBeGreaterThan(0)
    await page.getByRole('radio', { name: 'Key and chest', checked: true }).waitFor()
  })

  it('is drawn under Episodes, before and after, and played by hand', async () => {
    const page = await visit()
    const picture = "({ number, said }) => '[' + number + '] ' + (said ?? '?')"
    await dropWorld(page, 'mine.ts', worldOf({ picture }))
    await giveModels(page, 'mine')
    await makeSmall(page, { evaluateEvery: 1, evaluationTasks: 1 })
    await press(page, 'Step')
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await goTo(page, 'Episodes')
    const theatre = page.locator('#theatre')
    await theatre.locator('summary').first().click()
    await theatre.scrollIntoViewIfNeeded()
    const drawing = theatre.getByRole('img', { name: 'The world' })
    await theatre.getByRole('button', { name: 'One step back' }).click()
    expect(await drawing.innerText()).toMatch(/^\[\d+\] \?$/)
    await theatre.getByRole('button', { name: 'One step on' }).click()
    await expect.poll(() => drawing.innerText()).not.toMatch(/\?$/)

    await theatre.getByRole('button', { name: 'Play this task by hand' }).click()
    const sentence = await theatre.getByRole('heading', { name: /^Say \d+\.$/ }).innerText()
    const line = theatre.getByRole('textbox', { name: 'Command' })
    await line.fill('hello')
    await line.press('Enter')
    await theatre.getByText('You said hello.').waitFor()
    // Both in one task of the browser: the world has not answered the first when the second is sent.
    await line.evaluate((input: HTMLInputElement) => {
      for (const text of ['twice', 'at once']) {
        input.value = text
        input.dispatchEvent(new Event('input', { bubbles: true }))
        input.form!.requestSubmit()
      }
    })
    await theatre.getByText('You said twice.').waitFor()
    expect(await line.inputValue()).toBe('at once')
    await line.fill(/\d+/.exec(sentence)![0])
    await line.press('Enter')
    await theatre.getByText('Won in 3 commands.').waitFor()
    await expectSound(page, [390, 1280])

    const panel = page.locator('#before-after')
    await panel.locator('summary').first().click()
    await panel.getByRole('img', { name: 'The world' }).nth(1).waitFor()

    // The first screen shows the most telling episode of this run.
    await goTo(page, 'Start')
    await page.getByRole('radio', { name: 'Your world', checked: true }).waitFor()
    const tiles = page.getByRole('list', { name: 'Steps of the episode' }).getByRole('button')
    await tiles.first().waitFor()
    const scene = page.locator('.start .picture').getByRole('img', { name: 'The world' })
    await scene.waitFor()
    await page.getByRole('slider', { name: 'λ, weight of the votes' }).press('End')
    await page.getByText(/^At λ = 5, /).waitFor()
    await page.getByRole('radio', { name: 'Household' }).check()
    // These tests serve no recordings.
    await page.getByText('./runs/household-episode.jsonl.gz is missing.').waitFor()
    expect(await tiles.count()).toBe(0)
  })

  it('that is wrong is refused with the part that is missing, and the world before it stays', async () => {
    const page = await visit()
    await dropWorld(page, 'mine.ts', worldOf({ outcome: null }))
    await page.getByRole('alert').filter({ hasText: '`outcome` is missing in mine.ts. Add a function' }).waitFor()
    await dropWorld(page, 'mine.ts', worldOf())
    await page.getByText('All checks passed').waitFor()
    await dropWorld(page, 'mine.ts', 'export default {')
    await page.getByRole('alert').filter({ hasText: 'mine.ts, line 1: it cannot be read' }).waitFor()
    await page.getByRole('heading', { name: 'Numbers' }).waitFor()
    await dropWorld(page, 'mine.ts', worldOf({ expert: `() => 'stop'` }))
    await page.getByRole('alert').filter({ hasText: 'The expert does not win 45 of 45 tasks' }).waitFor()
  })
})

/** The first command that is not "xyzzy" does `body`. */
const hostile = (body: string) =>
  worldOf({ step: `(state, command) => { if (command !== 'xyzzy') { ${body} } return { state, text: 'No.' } }` })

/** What worlds do, and why a step of each fails: it loops, throws, floods, asks elsewhere, or draws over the page. */
const HOSTILE = [
  ['for (;;);', 'did not end within 2 seconds and was stopped'],
  ['state.x.y', 'failed: TypeError: cannot read property'],
  [`return { state: 'x'.repeat(200000), text: 'x' }`, 'is too long'],
  [`fetch('https://example.org')`, `failed: ReferenceError: 'fetch' is not defined`],
  [`document.body.innerHTML = ''`, `failed: ReferenceError: 'document' is not defined`],
] as const

it('hostile worlds are reported by the checks, end their runs with the reason, and leave the page as it was', async () => {
  const page = await visit()
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  const checks = page.getByRole('alert').filter({ hasText: 'Correct the file and drop it again' })
  const failure = page.getByRole('alert').filter({ hasText: 'The run ended early.' })
  for (const [i, [body, why]] of HOSTILE.entries()) {
    await dropWorld(page, 'mine.ts', hostile(body))
    await checks.filter({ hasText: `\`step\` of mine.ts ${why}` }).waitFor()
    if (i === 0) {
      await giveModels(page, 'mine')
      await makeSmall(page)
    }
    await press(page, 'Run')
    await failure.filter({ hasText: `\`step\` of mine.ts ${why}` }).waitFor()
    await runOnShow(page).getByText('Your run').waitFor()
  }

  await dropWorld(page, 'mine.ts', worldOf())
  await page.getByText('All checks passed').waitFor()
  await press(page, 'Run')
  await goTo(page, 'Loop')
  await reach(page, 1)
  expect(addresses.filter((address) => address.includes('example.org'))).toEqual([])
})
