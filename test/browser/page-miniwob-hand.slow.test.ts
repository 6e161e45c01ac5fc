/** Task pages of MiniWoB++ that a person plays, and the fields and files around them. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectSound } from './looks.ts'
import { drop, giveWheel, lookAtDesktop, QUICK_RESULT, quickWheelBytes } from './miniwob-page.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'

const visit = useTabs()
/** Where the wheel's pages ask; the sandbox lets no request through. */
const NOWHERE = 'http://127.0.0.1:9'

/** Counts what task pages answer, from now on. */
async function countAnswers(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    Object.assign(window, { answers: 0 })
    addEventListener('message', ({ data }: MessageEvent<{ view?: unknown }>) => {
      if (data.view) (window as unknown as { answers: number }).answers++
    })
  })
  return () => page.evaluate(() => (window as unknown as { answers: number }).answers)
}

/** As long as a page that is played answers about ten times, by the same clock. */
const tenLooks = (page: Page) => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_000)))

describe('a task page', () => {
  it('is played by hand with mouse and keyboard, and half a reward does not win', async () => {
    const page = await visit()
    await giveWheel(page, NOWHERE)
    await page.getByText('Play a task by hand').click()
    const frame = page.frameLocator('iframe[title="Task click-name"]').frameLocator('iframe')
    const title = page.getByRole('heading', { name: /^Click "/ })
    const wanted = /"(\w+)"/.exec(await title.innerText())![1]!
    await frame.getByRole('button', { name: wanted, exact: true }).click()
    await page.getByText('Won: the page’s reward is 1.00.').waitFor()
    await page.getByRole('button', { name: 'Another seed' }).click()
    await frame.getByRole('button', { name: 'half', exact: true }).click()
    await page.getByText('Lost: the page’s reward is 0.50.').waitFor()

    await page.getByRole('combobox', { name: 'Task', exact: true }).selectOption('type-word')
    const typing = page.frameLocator('iframe[title="Task type-word"]').frameLocator('iframe')
    await typing.getByRole('textbox').click()
    const word = /"(\w+)"/.exec(await page.getByRole('heading', { name: /^Enter "/ }).innerText())![1]!
    await page.keyboard.type(word)
    await typing.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('Won: the page’s reward is 1.00.').waitFor()
    await expectSound(page, [390, 1280])
  })

  it('is left alone while it is folded or another view is shown, and asked again when it is back', async () => {
    const page = await visit()
    await giveWheel(page, NOWHERE)
    await page.getByText('Play a task by hand').click()
    await page.getByRole('heading', { name: /^Click "/ }).waitFor()
    const answers = await countAnswers(page)
    const expectPlay = async () => {
      const before = await answers()
      await expect.poll(answers).toBeGreaterThan(before + 2)
    }
    const expectRest = async () => {
      // The one that was asked for before may still come.
      await tenLooks(page)
      const before = await answers()
      await tenLooks(page)
      expect(await answers()).toBe(before)
    }
    await expectPlay()
    await page.getByText('Play a task by hand').click()
    await expectRest()
    await page.getByText('Play a task by hand').click()
    await expectPlay()
    await goTo(page, 'Models')
    await expectRest()
    await goTo(page, 'Games and problems')
    await page.getByRole('heading', { name: /^Click "/ }).scrollIntoViewIfNeeded()
    await expectPlay()
  })

  it('stays while its seed is emptied, and the fields say what is valid', async () => {
    const page = await visit()
    await giveWheel(page, NOWHERE)
    await page.getByText('Play a task by hand').click()
    const title = page.getByRole('heading', { name: /^Click "/ })
    const task = await title.innerText()
    const seed = page.getByRole('spinbutton', { name: 'Seed' })
    for (const text of ['', '0', '1.5', '10000']) {
      await seed.fill(text)
      await page.getByText('A whole number from 1 to 9999.').waitFor()
      expect(await title.innerText()).toBe(task)
    }
    await page.getByRole('button', { name: 'Another seed' }).click()
    expect(await seed.inputValue()).toBe('2')
    await page.getByText('A whole number from 1 to 9999.').waitFor({ state: 'detached' })
    await title.waitFor()
    await seed.fill('9999')
    await page.getByRole('button', { name: 'Another seed' }).click()
    expect(await seed.inputValue()).toBe('1')

    await page.getByLabel('Episodes of each task').fill('')
    await page.getByText('A whole number from 1 to 1000.').waitFor()
    expect(await page.getByRole('button', { name: /^Evaluate on/ }).isDisabled()).toBe(true)
    await expectSound(page, [390, 1280])
  })

  it('comes from one wheel of a drop, and the others are named', async () => {
    const page = await visit()
    const bytes = await quickWheelBytes(NOWHERE)
    await drop(page, { 'other-1.0.whl': bytes, 'miniwob-9.9.whl': bytes })
    await page
      .getByText('Only miniwob-9.9.whl was read, because the page keeps one wheel. Not read: other-1.0.whl.')
      .waitFor()
    await page.getByText(QUICK_RESULT).waitFor()
    await page.reload()
    await lookAtDesktop(page)
    await page.getByText(QUICK_RESULT).waitFor()
  })
})
