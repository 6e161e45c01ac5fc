/** Axe in every view, as it opens and where something is open, under way, missing or wrong. */
import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import type { World } from '../../src/method/settings.ts'
import { VIEWS } from '../../src/playground/state/views.ts'
import { LESSONS } from '../../src/playground/views/learn/lessons.ts'
import { openPart, openSettings, runOnShow, unfoldControls } from './controls.ts'
import { drawing, EVERY_VIEW, openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { axeViolations, expectInside, expectSound } from './looks.ts'
import { madeUpArchive, serveMadeUpRuns, withoutRecordings } from './made-up-runs.ts'
import { openEverything } from './open-everything.ts'
import { turns } from './settled.ts'
import { smallLink } from './small-run.ts'
import { goTo } from './views.ts'

const WORLDS = ['Household', 'Coding', 'Desktop'] as const
const OPEN_POPOVER = '[popover]:popover-open'

const pages = usePages()
/** The views that were checked, as they were drawn: many are the same in every world, and when everything in them is open. */
const checked = new Set<string>()
/** The names and elements of popovers that were checked: most differ between worlds only in words. */
const checkedPopovers = new Set<string>()

/** A page that shows the recorded run of a world. */
async function visit(world: (typeof WORLDS)[number]): Promise<Page> {
  const page = await pages.open()
  await serveMadeUpRuns(page)
  await page.goto(inject('pageAddress'))
  await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
  await page.getByRole('radio', { name: world, exact: true }).check()
  await runOnShow(page).getByText(world).waitFor()
  return page
}

/** Checks the view on show with axe and in 360 pixels, unless one that is drawn the same was checked. Returns whether it was not. */
async function expectDrawingSound(page: Page, name: string): Promise<boolean> {
  const drawn = await drawing(page)
  if (checked.has(drawn)) return false
  checked.add(drawn)
  expect.soft(await axeViolations(page), name).toEqual([])
  const before = page.viewportSize()!
  await expectInside(page, [360])
  await page.setViewportSize(before)
  return true
}

/** The elements of a part of the page without their words: tags, classes and roles. */
const elementsOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((part) => {
    const all = [...part.querySelectorAll('*')]
    return all.map((each) => `${each.tagName}.${each.getAttribute('class') ?? ''}/${each.role ?? ''}`).join(' ')
  })

/**
 * Opens each popover of the view on show whose button is not among the names that views before it had, checks it if it was not checked
 * in another world, and closes it.
 */
async function expectPopoversSound(page: Page, names: Set<string>): Promise<void> {
  for (const button of await page.locator('main .view:not([hidden]) button[popovertarget]').all()) {
    const name = (await button.getAttribute('aria-label')) ?? (await button.innerText())
    if (names.has(name) || !(await button.isVisible())) continue
    names.add(name)
    await button.click()
    await page.locator(OPEN_POPOVER).waitFor()
    const drawn = `${name}: ${await elementsOf(page, OPEN_POPOVER)}`
    if (!checkedPopovers.has(drawn)) {
      checkedPopovers.add(drawn)
      expect.soft(await axeViolations(page, { within: OPEN_POPOVER }), name).toEqual([])
    }
    await page.keyboard.press('Escape')
    await page.locator(OPEN_POPOVER).waitFor({ state: 'detached' })
  }
}

describe.each(WORLDS)('the page in %s passes axe', (world) => {
  it('as every view opens, with every folded part of it open, and in every popover', async () => {
    const page = await visit(world)
    const popovers = new Set<string>()
    for (const view of EVERY_VIEW) {
      await openView(page, view)
      await turns(page)
      await expectDrawingSound(page, `${view} as it opens`)
      await openEverything(page)
      if (await expectDrawingSound(page, view)) await expectPopoversSound(page, popovers)
    }
  })

  it('with the settings, the link, the details of the run and the seldom used controls open', async () => {
    const page = await visit(world)
    await openSettings(page)
    const drawer = page.getByRole('complementary', { name: 'Settings' })
    await drawer.locator('details').first().waitFor()
    await drawer.evaluate((element) => element.querySelectorAll('details').forEach((each) => (each.open = true)))
    const field = page.getByRole('textbox', { name: /^G, / })
    await field.fill('-1')
    await field.press('Enter')
    await expectSound(page, [1280, 390])
    await page.getByRole('button', { name: 'Link…' }).click()
    await page.locator(OPEN_POPOVER).locator('summary').first().click()
    expect.soft(await axeViolations(page, { within: OPEN_POPOVER }), 'link').toEqual([])
    await page.keyboard.press('Escape')
    await drawer.getByRole('button', { name: 'Close' }).click()
    await page.setViewportSize({ width: 390, height: 844 })
    await unfoldControls(page)
    await runOnShow(page).getByRole('button').first().click()
    expect.soft(await axeViolations(page), 'details of the run').toEqual([])
  })

  // The other worlds have the same forms, and lists of the same parts.
  const isFirst = world === WORLDS[0]
  it(`while a run is under way${isFirst ? ', and once it is kept' : ''}`, async () => {
    const page = await pages.open()
    await withoutRecordings(page)
    await page.goto(new URL(await smallLink({ world: world.toLowerCase() as World }), inject('pageAddress')).href)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText(/^Iteration \d+: /).waitFor()
    for (const view of ['loop', 'episodes', ...(isFirst ? (['tasks', 'runs'] as const) : [])] as const) {
      await openView(page, view)
      expect.soft(await axeViolations(page), `${view} during a run`).toEqual([])
    }
    if (!isFirst) return
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    // A run that is paused can be neither branched nor deleted.
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    for (const form of ['Branch…', 'Models…', 'Delete']) {
      await page.getByRole('button', { name: form }).first().click()
      expect.soft(await axeViolations(page), form).toEqual([])
    }
  })

  it('without a recorded run', async () => {
    const page = await pages.open()
    await withoutRecordings(page)
    await page.route('**/results/**', (route) => route.fulfill({ status: 404 }))
    await page.goto(inject('pageAddress'))
    await page.getByRole('radio', { name: world, exact: true }).check()
    await turns(page)
    for (const view of ['loop', 'episodes', 'tasks', 'theory', 'runs', 'results'] as const) {
      await goTo(page, VIEWS[view])
      await turns(page)
      await expectDrawingSound(page, `${view} without a recorded run`)
    }
  })
})

describe('the page passes axe', () => {
  it('while a game is played by hand, in its room and by itself', async () => {
    const page = await pages.open()
    await page.goto(inject('pageAddress'))
    await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
    await goTo(page, 'Games and problems')
    await page.getByText('Look at a game and play it by hand').click()
    await page.getByRole('list', { name: 'Games' }).getByRole('button').first().click()
    await page.getByRole('log', { name: 'What happens' }).waitFor()
    await expectSound(page, [360])
    await goTo(page, 'Episodes')
    await openPart(page, 'theatre')
    await page.getByRole('button', { name: 'Play this task by hand' }).click()
    await page.locator('#theatre').getByRole('log', { name: 'What happens' }).waitFor()
    await expectSound(page, [360])
  })

  it('in every lesson, and with its steps above another view', async () => {
    const page = await visit('Household')
    for (const { id, title } of LESSONS) {
      await page.evaluate((hash) => (location.hash = hash), `#learn&lesson=${id}`)
      const lesson = page.getByRole('group', { name: title, exact: true })
      await lesson.waitFor()
      await openEverything(page)
      expect.soft(await axeViolations(page), id).toEqual([])
    }
    await page.evaluate((hash) => (location.hash = hash), `#loop&lesson=${LESSONS[0]!.id}`)
    await page.getByRole('heading', { name: 'The loop', exact: true }).waitFor()
    await turns(page)
    await expectSound(page, [360])
  })

  it('with runs that are compared, and with what is asked before they are deleted', async () => {
    const page = await pages.open()
    await serveMadeUpRuns(page)
    await page.goto(new URL('#runs', inject('pageAddress')).href)
    for (const [i, settings] of [{ seed: 1 }, { seed: 2 }, { seed: 3 }, { lambda: 0 }].entries()) {
      const buffer = await madeUpArchive(settings)
      await page.getByLabel('Exported run').setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer })
      const boxes = page.getByRole('checkbox', { name: /^Compare / })
      await expect.poll(() => boxes.count()).toBe(i + 1)
      for (const box of await boxes.all()) await box.check()
    }
    await page.getByRole('columnheader', { name: 'A 3 seeds', exact: true }).waitFor()
    await openEverything(page)
    await expectSound(page, [360])
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
    await page.getByRole('button', { name: 'Delete permanently' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  it('with each message about something that went wrong', async () => {
    const page = await visit('Household')
    const file = { name: 'mine.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from('{"type": 1}\nno JSON') }
    await page.getByLabel('Run log').setInputFiles(file)
    await page.getByRole('alert').getByText('The file mine.jsonl could not be opened.').waitFor()
    expect.soft(await axeViolations(page), 'a damaged log').toEqual([])
    await page.evaluate(() => (location.hash = '#episodes&at=99&hide=nonsense'))
    await page.getByText('The link hides parts that this page does not have').waitFor()
    await expectSound(page, [360])
    await goTo(page, 'Cluster')
    await page.getByRole('textbox', { name: 'Token' }).fill('no such token')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('alert').first().waitFor()
    await expectSound(page, [360])
  })

  it('where parts of the page cannot be loaded', async () => {
    const page = await pages.open()
    await page.goto(inject('pageAddress'))
    await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
    await page.route('**/assets/*.js', (route) => route.abort())
    for (const view of ['tasks', 'results', 'models'] as const) {
      await goTo(page, VIEWS[view])
      await page.locator('main .view:not([hidden])').getByText('This part of the page could not be loaded.').waitFor()
      expect.soft(await axeViolations(page), view).toEqual([])
    }
  })
})
