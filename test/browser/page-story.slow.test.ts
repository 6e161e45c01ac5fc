/** The story: its figures move under the reader's hand, its steps lead to exercises, and all of it reads in ten minutes. */
import { describe, expect, it } from 'vitest'
import { STORY_STEPS } from '../../src/playground/state/story-steps.ts'
import { wordsWhenStill } from './every-view.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { stepsOf, wastedStepOf } from './start-screen.ts'
import { answer, answerOf, choices, exercisesOf, heading, openStory, REVEALED, turnTo } from './story-page.ts'

const pages = usePages()

/** Words that a person reads in a minute, and the minutes that the story may take. */
const READING_SPEED = 200
const MINUTES = 10

describe('the story', () => {
  it('is walked with the arrow keys on a projector, where each step fits its width', async () => {
    const page = await openStory(pages, 'outcome', 1024, 768)
    for (const [index, { id, title }] of STORY_STEPS.entries()) {
      await heading(page, title).waitFor()
      await choices(page).first().waitFor()
      // The step and its question are read without scrolling.
      const top = () => heading(page, title).evaluate((h2) => h2.getBoundingClientRect().top)
      await expect.poll(top).toBeGreaterThan(0)
      const end = await choices(page)
        .last()
        .evaluate((button) => button.getBoundingClientRect().bottom)
      expect(end, id).toBeLessThanOrEqual(768)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), id).toBeLessThanOrEqual(1024)
      if (index + 1 < STORY_STEPS.length) await page.keyboard.press('ArrowRight')
    }
    await page.keyboard.press('ArrowRight')
    for (const { title } of STORY_STEPS.slice(0, -1).toReversed()) {
      await page.keyboard.press('ArrowLeft')
      await heading(page, title).waitFor()
    }
    // The page has written the address of the step.
    await turnTo(page, 'votes')
    await expect.poll(() => new URL(page.url()).hash).toBe('#story-votes')
  })

  it('fits a projector of 1920 × 1080 at 150 % before and after each answer', async () => {
    const page = await openStory(pages, 'outcome', 1280, 720)
    const height = () => page.evaluate(() => document.documentElement.scrollHeight)
    for (const { id } of STORY_STEPS) {
      await turnTo(page, id)
      await expect.poll(height, { message: `${id}, asked` }).toBe(720)
      await answer(page)
      await REVEALED[id]?.(page).first().waitFor()
      await expect.poll(height, { message: `${id}, answered` }).toBe(720)
    }
  })

  it('reads in ten minutes', async () => {
    const page = await openStory(pages, 'outcome')
    let all = 0
    for (const { id } of STORY_STEPS) {
      await turnTo(page, id)
      await answer(page)
      await REVEALED[id]?.(page).first().waitFor()
      if (id === 'tasks') await page.getByRole('slider', { name: 'α_low, what if' }).waitFor()
      const words = await wordsWhenStill(page)
      // A step that is not drawn would read fast.
      expect(words, id).toBeGreaterThan(50)
      all += words
    }
    expect(all).toBeLessThanOrEqual(READING_SPEED * MINUTES)
  })

  it('leads to an exercise, and from there back to its step', async () => {
    const page = await openStory(pages, 'judge')
    await answer(page)
    await exercisesOf(page).filter({ hasText: 'What consistency feedback teaches' }).click()
    const lesson = page.getByRole('group', { name: 'What consistency feedback teaches', exact: true })
    await lesson.waitFor()
    await lesson.getByRole('link', { name: 'Step 3 of the story' }).click()
    await heading(page, 'Who judges the judge?').waitFor()
    // The answer is kept.
    await answerOf(page).waitFor()
  })

  it('gives the steps of another rollout the sign of its outcome', async () => {
    const page = await openStory(pages, 'outcome')
    expect(await wastedStepOf(page).innerText()).toContain('?')
    await answer(page)
    const first = stepsOf(page).first()
    expect(await first.textContent()).toMatch(/, encouraged\s*$/)
    await page.getByRole('button', { name: 'Rollout 2, failed' }).click()
    await page.getByText('failed, outcome −1').waitFor()
    expect(await first.textContent()).toMatch(/, discouraged\s*$/)
  })

  it('follows a vote that is turned around, and trains the same whatever the truth is', async () => {
    const page = await openStory(pages, 'judge')
    await answer(page)
    const row = page.getByRole('row', { name: /^4\. cool mug 1 to fridge 1/ })
    const trained = () => row.getByRole('cell').nth(2).innerText()
    const tally = page.getByText(/^On this task, \d+ of \d+ votes that train are wrong\./)
    const [recorded, counted] = [await trained(), await tally.innerText()]

    await row.getByRole('button', { name: /^Turn the truth/ }).click()
    await expect.poll(() => tally.innerText()).not.toBe(counted)
    expect(await trained()).toBe(recorded)
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await expect.poll(() => tally.innerText()).toBe(counted)

    await row.getByRole('button', { name: 'Turn vote 1 on step 4, now −1' }).press('Enter')
    await page.getByText(/^Step 4: R = \+0\.67, so R ?· ?S of its votes = \+0\.67, −0\.67, −0\.67\./).waitFor()
    expect(await trained()).not.toBe(recorded)
    expect(await tally.innerText()).not.toBe(counted)
  })

  it('counts the tasks outside a band whose ends are moved, by key and by drag', async () => {
    const page = await openStory(pages, 'tasks')
    await answer(page)
    const high = page.getByRole('slider', { name: 'α_high, what if' })
    await high.waitFor()
    const said = () => page.getByText(/^Drag the ends of the band:/).innerText()
    const harder = async () => Number(/(\d+) harder/.exec(await said())![1])
    const before = await harder()
    await high.press('Home')
    await expect.poll(harder).toBeGreaterThan(before)
    expect(await high.getAttribute('aria-valuetext')).toContain(`${await harder()} tasks made harder`)
    // The key moved the handle, not the page.
    await high.press('ArrowRight')
    await heading(page, 'Tasks move').waitFor()
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await expect.poll(harder).toBe(before)

    const low = page.getByRole('slider', { name: 'α_low, what if' })
    const easier = async () => Number(/(\d+) would become easier/.exec(await said())![1])
    const fewer = await easier()
    await low.scrollIntoViewIfNeeded()
    const box = (await low.boundingBox())!
    const at = Number(await low.inputValue())
    // The centre of a handle stays half a handle inside its track.
    const x = (share: number) => box.x + 12 + share * (box.width - 24)
    await page.mouse.move(x(at), box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(x(0.6), box.y + box.height / 2, { steps: 5 })
    await page.mouse.up()
    await expect.poll(easier).toBeGreaterThan(fewer)
  })

  it('shows three ways to break, each with a link', async () => {
    const page = await openStory(pages, 'breaks')
    const ways = page.getByRole('group', { name: 'Three ways to break' })
    expect(await ways.count()).toBe(0)
    await answer(page)
    await page.getByRole('link', { name: 'Watch an alarm fire' }).waitFor()
    await ways.getByRole('button', { name: 'A judge that agrees with itself' }).click()
    await page
      .getByText(/^R · S also pays a vote .* on bad steps from 9\d % to 6\d %: it approves more and more\./)
      .waitFor()
    await page.getByRole('link', { name: 'See one collapse the other way, to −1' }).waitFor()
    await ways.getByRole('button', { name: 'Drift' }).click()
    await page.getByText('Tasks that are rewritten').waitFor()
    await page.getByRole('link', { name: 'See the drift of the pool under Tasks' }).waitFor()
  })

  it('is sound in every answered step, in both colour schemes and in 360 pixels', async () => {
    const page = await openStory(pages, 'outcome')
    for (const { id } of STORY_STEPS) {
      await turnTo(page, id)
      await answer(page)
      await REVEALED[id]?.(page).first().waitFor()
      if (id === 'tasks') await page.getByRole('slider', { name: 'α_low, what if' }).waitFor()
      await expectSound(page, [360, 390])
    }
  })
})
