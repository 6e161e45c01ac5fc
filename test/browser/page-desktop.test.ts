/** The desktop on the page: a small run with the shipped models, an episode on its screen, and a task done with a real mouse. */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { openPart } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages()

async function visit(who?: BrowserContextOptions): Promise<Page> {
  const page = await pages.open(who)
  await withoutRecordings(page)
  await page.goto(inject('pageAddress'))
  await page.getByText('Nothing has run yet. Press Run').waitFor()
  await page.getByRole('radio', { name: 'Desktop', exact: true }).check()
  return page
}

it('a small run on the desktop steps an iteration, and its episodes are replayed on their screen', async () => {
  const page = await visit()
  await makeSmall(page)
  await page.getByRole('button', { name: 'Step', exact: true }).press('Enter')
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await page.getByRole('img', { name: /Policy accuracy\. .*training \d.* at iteration 1/ }).waitFor()
  await page.getByText('Accuracy by domain', { exact: true }).click()
  // The iteration has one task.
  await page
    .getByRole('img', { name: /^Accuracy in (editor|files|mail|settings|sheet)\. training \d.* at iteration 1/ })
    .waitFor()
  await goTo(page, 'Episodes')
  const theatre = page.locator('#theatre')
  await openPart(page, 'theatre')
  await theatre.getByRole('button', { name: 'One step on' }).click()
  await theatre.getByRole('img', { name: /^The desktop/ }).waitFor()
  await expectSound(page, [390, 1280])
})

const isFocused = (element: Locator) => element.evaluate((it) => it === document.activeElement)

it.each(['mouse and keyboard', 'fingers', 'keys alone'])(
  'a person does a task with %s, and the verifier of the policy says that it is won',
  async (by) => {
    const isTouched = by === 'fingers'
    const page = await visit(isTouched ? { hasTouch: true, isMobile: true } : {})
    await goTo(page, 'Games and problems')
    await page.getByRole('combobox', { name: 'Kind of task' }).selectOption('new-folder')
    const screen = page.getByRole('application', { name: 'Screen' })
    const sentence = await page.getByRole('heading', { name: /^make the folder / }).innerText()
    const folder = /make the folder (\S+)\./.exec(sentence)![1]!
    const drawing = screen.getByRole('group', { name: /^The desktop/ })

    /** A click of the real mouse or a finger at the middle of an element, or a key in it, which leaves the focus there while it exists. */
    const click = async (name: string) => {
      const element = drawing.getByRole('button', { name, exact: true })
      if (isTouched) return element.tap()
      if (by === 'keys alone') {
        await element.press('Enter')
        if ((await element.count()) > 0) await expect.poll(() => isFocused(element)).toBe(true)
        else await expect.poll(() => isFocused(screen)).toBe(true)
        return
      }
      const box = (await element.boundingBox())!
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    }
    await click('Files')
    const words = /^(New|Create|Add)$/
    const create = drawing.getByRole('button', { name: words })
    if ((await create.count()) === 0) await click('More')
    await click((await create.getAttribute('aria-label'))!)
    if (isTouched) await page.getByRole('textbox', { name: 'Words to type' }).fill(folder)
    else await page.keyboard.type(folder)
    await page.keyboard.press('Enter')
    await click('OK')
    await page.getByText('The goal is 1 step away.').waitFor()
    await page.getByRole('button', { name: 'It is done' }).click()
    await page.getByText(/^Won in [56] steps\.$/).waitFor()
    expect(await page.getByRole('log', { name: 'What happens' }).innerText()).toContain(`type ${folder}`)
    await expectSound(page, [390, 1280])
  },
)
