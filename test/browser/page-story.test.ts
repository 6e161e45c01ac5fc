/** The story: each of its six steps asks before it answers, and moves under the reader's hand. */
import { describe, expect, it } from 'vitest'
import { STORY_STEPS } from '../../src/playground/state/story-steps.ts'
import { usePages } from './harness.ts'
import { sliderOf, wastedStepOf } from './start-screen.ts'
import { answer, answerOf, choices, exercisesOf, openStory, REVEALED, turnTo } from './story-page.ts'

const pages = usePages()

describe('the story', () => {
  it('asks before it answers, in every step', async () => {
    const page = await openStory(pages, 'outcome')
    for (const { id, exercises } of STORY_STEPS) {
      await turnTo(page, id)
      const revealed = REVEALED[id]?.(page) ?? null
      expect(await answerOf(page).count(), `${id} answers`).toBe(0)
      expect(
        await choices(page)
          .filter({ hasText: /✓|, right/ })
          .count(),
        `${id} marks a choice`,
      ).toBe(0)
      expect(await exercisesOf(page).count(), `${id} has exercises`).toBe(0)
      if (revealed) expect(await revealed.count(), `${id} shows its answer`).toBe(0)

      await answer(page)
      if (revealed) await revealed.first().waitFor()
      expect(await choices(page).filter({ hasText: ', right' }).count(), `${id} has one right choice`).toBe(1)
      expect(await exercisesOf(page).allInnerTexts()).toEqual(exercises.map(({ title }) => title))
    }
  })

  it('turns a step with λ', async () => {
    const page = await openStory(pages, 'votes')
    await choices(page)
      .filter({ hasText: /^Step 1:/ })
      .click()
    await page.getByText(/^No\. Step 4, “cool mug 1 to fridge 1”\./).waitFor()
    expect(await wastedStepOf(page).textContent()).toMatch(/, discouraged\s*$/)
    await sliderOf(page).press('Home')
    await expect.poll(() => wastedStepOf(page).textContent()).toMatch(/, encouraged\s*$/)
  })
})
