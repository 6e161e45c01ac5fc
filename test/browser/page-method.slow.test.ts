/** The method on the page: equation, heat map, thresholds, theory, alarms and theatre, on the recorded runs. */
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { fakeRunLines } from '../playground/fake-run.ts'
import { openPart, openSettings, runOnShow, unfoldControls } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { makeSmall } from './small-run.ts'
import { goTo, type ViewTitle } from './views.ts'

const pages = usePages()
let page: Page

async function visit(view: ViewTitle, options: BrowserContextOptions = {}): Promise<void> {
  page = await pages.open(options)
  await page.goto(inject('pageAddress'))
  await runOnShow(page).getByText('Recorded run').waitFor()
  await goTo(page, view)
}
const section = (id: string) => page.locator(`#${id}`)

describe('the loop', () => {
  it('moves single numbers along its arrows in slow motion, unless reduced motion is preferred', async () => {
    await visit('Loop')
    await unfoldControls(page)
    await page.getByLabel('Replay speed').selectOption('0.25')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    const outcome = page.locator('.packet.environment')
    await outcome
      .filter({ hasText: /^[+−]1$/ })
      .first()
      .waitFor()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(() => outcome.first().isVisible()).toBe(false)
  })

  it('shows your own run event by event, until all events are shown', async () => {
    await visit('Loop')
    await makeSmall(page)
    await unfoldControls(page)
    await page.getByRole('switch', { name: 'Slow motion' }).check()
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    // The run has paused after its iteration, and the page is still replaying its events.
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await page.locator('.packet').first().waitFor()
    await page.getByRole('img', { name: /Policy accuracy\. .*training \d.* at iteration 1/ }).waitFor()
  })
})

describe('the equation', () => {
  it('highlights the number of the focused symbol', async () => {
    await visit('Episodes')
    const outcome = section('equation').getByRole('button', { name: /^O, outcome of the trajectory: [+−]1$/ })
    await outcome.focus()
    await section('equation')
      .locator('span.linked.lit')
      .getByText(/^[+−]1$/)
      .waitFor()
    await page.mouse.move(0, 0)
    await outcome.blur()
    expect(await section('equation').locator('.lit').count()).toBe(0)
  })

  it('recomputes all advantages when λ moves, marks flips, resets, and shows the shares of R', async () => {
    await visit('Episodes')
    const lambda = page.getByRole('slider', { name: /^λ, .*slider/ })
    const flipped = section('equation').getByRole('gridcell', { name: /its sign has flipped/ })
    expect(await flipped.count()).toBe(0)
    await lambda.fill('6')
    await section('equation')
      .getByText(/^At λ = 6 instead of 1, .* with the opposite sign/)
      .waitFor()
    expect(await flipped.count()).toBeGreaterThan(0)

    const first = page.getByRole('gridcell', { name: /^Rollout 1, step 1,/ })
    await first.hover()
    const before = await first.getAttribute('title')
    expect(before).toBe(await first.getAttribute('aria-label'))
    const place = await first.boundingBox()
    await lambda.fill('5')
    await section('equation')
      .getByText(/^At λ = 5 instead of 1, /)
      .waitFor()
    const name = await first.getAttribute('aria-label')
    expect(name).not.toBe(before)
    expect(await first.getAttribute('title'), 'the title under the pointer follows λ').toBe(name)
    expect(await first.boundingBox(), 'no further λ moves the map').toEqual(place)
    await lambda.fill('6')

    const shares = page.getByRole('radiogroup', { name: 'R and its shares, rollout 1' })
    const number = String.raw`([+−]?\d+\.\d\d)`
    const all = new RegExp(`^Step (\\d+), .*, O ${number}, λ · mean S ${number}, R ${number}, `)
    const chosen = shares.getByRole('radio', { checked: true })
    const said = async () => {
      const [, step, ...numbers] = all.exec((await chosen.getAttribute('aria-label'))!)!
      return [Number(step), ...numbers.map((text) => Number(text.replace('−', '-')))] as const
    }
    await shares.getByRole('radio', { name: /^Step 3,/ }).click()
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await said())[0]).toBe(4)
    const [, o, votes, r] = await said()
    expect(o! + votes!).toBeCloseTo(r!, 1)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('radio')
    expect(await page.locator('[role=radio][tabindex="0"]').count()).toBe(1)
    expect(
      await page.getByRole('gridcell', { name: /^Rollout 1, step 4,/, selected: true }).count(),
      'the map, too, has the step that was chosen',
    ).toBe(1)

    await page.getByRole('button', { name: 'Back to 1' }).click()
    expect(await flipped.count()).toBe(0)
    const [, , ownVotes] = await said()
    expect(6 * ownVotes!).toBeCloseTo(votes!, 1)
    await section('equation').getByText('As a table').click()
    const row = section('equation').getByRole('table').getByRole('row').nth(4)
    expect(Number((await row.getByRole('cell').nth(1).innerText()).replace('−', '-'))).toBe(ownVotes)
    await lambda.focus()
    await page.keyboard.press('ArrowRight')
    await section('equation')
      .getByText(/^At λ = 1.1 instead of 1/)
      .waitFor()
  })

  it('applies λ to training, and shows the consistency feedback with m parts for each step', async () => {
    await visit('Episodes')
    const track = page.getByRole('slider', { name: /^λ, weight of the votes/ })
    const { x, y, width, height } = (await track.boundingBox())!
    const drag = (lambda: number) => page.mouse.move(x + 8 + ((width - 16) * lambda) / 10, y + height / 2)
    await drag(1)
    await page.mouse.down()
    for (const lambda of [1.5, 2, 3]) {
      await drag(lambda)
      // The text below the slider appears on the first movement and must not end the drag.
      await page.getByText(/In iteration \d+, \d+ of the policy’s/).waitFor()
    }
    await page.mouse.up()
    expect(Number(await track.inputValue())).toBeCloseTo(3, 0)
    const control = page.getByRole('textbox', { name: /^λ/ })
    expect(await control.inputValue()).toBe(await track.inputValue())
    await control.fill('3')
    await control.blur()
    await section('equation')
      .getByText(/^At λ = 3 instead of 1/)
      .waitFor()
    await page.getByText(/In iteration \d+, \d+ of the policy’s \d+ advantages would change sign/).waitFor()
    await page.getByLabel('consistency feedback of the reward model').check()
    await section('equation')
      .getByRole('gridcell', { name: /^Rollout 1, step 1, .*;.*;/ })
      .waitFor()
  })
})

describe('the thresholds', () => {
  it('move by keyboard, show what would be rewritten and accepted, and cannot cross', async () => {
    await visit('Tasks')
    const status = section('thresholds').getByRole('status')
    const before = await status.innerText()
    expect(before).toMatch(/(\d+) would have been accepted; \1 were/)
    const high = page.getByRole('slider', { name: 'α_high, what if' })
    await high.focus()
    for (let i = 0; i < 15; i++) await page.keyboard.press('ArrowLeft')
    expect(await high.inputValue()).toBe('0.65')
    await expect.poll(() => status.innerText()).not.toBe(before)
    await page.keyboard.press('Home')
    expect(Number(await high.inputValue())).toBeGreaterThan(0.2)
    await page.getByRole('button', { name: 'Reset to the run’s' }).click()
    await expect.poll(() => status.innerText()).toBe(before)
    // What a person opens stays open while the decisions change.
    await page.getByText('Past rewrites with another decision (0)').click()
    const list = page.locator('details', { hasText: /^Past rewrites/ })
    await high.focus()
    for (let changed = 0; changed < 1 || changed > 8;) {
      await page.keyboard.press('ArrowLeft')
      changed = Number(/\((\d+)\)/.exec(await list.locator('summary').innerText())![1])
    }
    expect(await list.getAttribute('open')).not.toBeNull()
    for (let changed = 1; changed > 0;) {
      await page.keyboard.press('ArrowRight')
      changed = Number(/\((\d+)\)/.exec(await list.locator('summary').innerText())![1])
    }
    expect(await list.getAttribute('open')).not.toBeNull()
    await page.getByRole('button', { name: 'Reset to the run’s' }).click()
    await openSettings(page)
    const control = page.getByRole('textbox', { name: /^α_high/ })
    await control.fill('0.65')
    await control.blur()
    await expect.poll(() => high.inputValue()).toBe('0.65')
  })
})

describe('the theory', () => {
  it('uses the run’s estimate, and gives no guarantee at μ ≤ 1', async () => {
    await visit('Theory')
    await page.getByRole('button', { name: 'Use the run’s estimate' }).click()
    const row = section('theory').getByRole('row', {
      name: /^μ, precision of the votes: .* = p₊, correct votes on successes: /,
    })
    const [here, run] = await row.getByRole('cell').allInnerTexts()
    expect(here).toBe(run)
    await page.getByRole('slider', { name: /^p₊/ }).fill('0.1')
    await page.getByText('votes carry no signal').waitFor()
  })
})

describe('alarms', () => {
  it('do not fire on the recorded run, and show their rules', async () => {
    await visit('Loop')
    await page.getByText(/^Nothing looks wrong: none of 8 rules has fired$/).click()
    await section('alarms').getByText('μ', { exact: false }).first().waitFor()
    await section('alarms').getByText('Votes rise while outcomes fall').waitFor()
  })
})

describe('the theatre', () => {
  it('replays an episode step by step, shows all rollouts at that step, and lets you play the task', async () => {
    await visit('Episodes')
    await openPart(page, 'theatre')
    await page.getByRole('slider', { name: 'Step of the episode' }).fill('0')
    await page.getByText(/^The agent is in the middle of the room/).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'One step on' }).click()
    await page.getByText(/^The agent is at/).waitFor({ state: 'attached' })
    expect(await page.getByRole('list', { name: 'Rollouts side by side' }).getByRole('button').count()).toBe(8)
    const played = () => page.getByRole('slider', { name: 'Step of the episode' }).inputValue()
    await page.getByRole('button', { name: 'Play the episode' }).click()
    await expect.poll(played).toBe('3')
    await section('theatre').getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Show its tokens' }).click()
    await section('theatre').locator('.tokens summary').click()
    expect(await section('theatre').locator('.tokens tbody tr').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Play this task by hand' }).click()
    await section('theatre').getByRole('textbox', { name: 'Command' }).fill('look')
    await page.keyboard.press('Enter')
    await section('theatre')
      .getByText('You are in the middle of a room. Looking quickly around you, you see nothing.')
      .waitFor()
  })
})

describe('the tokens of a run from a file', () => {
  it.each(['household-policy', 'household-policy (float16)'])('are read from the log of %s', async (model) => {
    await visit('Episodes')
    const log = fakeRunLines({ iterations: 2 }).replaceAll('policy-tiny', model)
    const open = (buffer: Buffer) =>
      page.getByLabel('Run log').setInputFiles({ name: 'run.jsonl.gz', mimeType: 'application/gzip', buffer })
    await open(gzipSync(log))
    await runOnShow(page).getByText('Run from a file').waitFor()
    await openPart(page, 'theatre')
    await page.getByRole('slider', { name: 'Step of the episode' }).fill('1')
    await page.getByRole('button', { name: 'Show its tokens' }).click()
    await section('theatre').getByLabel('entropy').check()
    await section('theatre').locator('.tokens summary').click()
    expect(await section('theatre').locator('.tokens tbody tr').count()).toBe(3)
  })

  it('are missed where a log was published without them', async () => {
    await visit('Episodes')
    const log = fakeRunLines({ iterations: 2 }).replaceAll('[5,17,9]', '[]')
    await page
      .getByLabel('Run log')
      .setInputFiles({ name: 'run.jsonl', mimeType: 'text/plain', buffer: Buffer.from(log) })
    await runOnShow(page).getByText('Run from a file').waitFor()
    await openPart(page, 'theatre')
    await page.getByRole('slider', { name: 'Step of the episode' }).fill('1')
    await page.getByRole('button', { name: 'Show its tokens' }).click()
    await page.getByText('This log is published without tokens').waitFor()
  })
})

describe('all parts', () => {
  it('pass axe and fit into 360 pixels, with everything open', async () => {
    const look = () => expectSound(page, [360])
    await visit('Loop')
    await section('alarms').locator('summary').first().click()
    await look()
    await goTo(page, 'Lessons')
    await page.getByRole('button', { name: 'What λ does' }).click()
    await look()
    await goTo(page, 'Episodes')
    await page.getByRole('slider', { name: /^λ, .*slider/ }).fill('6')
    await openPart(page, 'theatre')
    await page.getByRole('slider', { name: 'Step of the episode' }).fill('2')
    await page.getByText(/^The agent is/).waitFor({ state: 'attached' })
    await look()
    await goTo(page, 'Tasks')
    await page.getByRole('slider', { name: 'α_high, what if' }).waitFor()
    await look()
  })
})
