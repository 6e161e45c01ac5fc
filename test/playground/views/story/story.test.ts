import { describe, expect, it } from 'vitest'
import { STORY_STEPS } from '../../../../src/playground/views/story/steps.ts'
import { Story, storyAddress, storyStepOf } from '../../../../src/playground/views/story/story.svelte.ts'
import { LESSONS } from '../../../../src/playground/views/learn/lessons.ts'
import { placeOf } from '../../../../src/playground/state/views.ts'

describe('the story', () => {
  it('has an address for each of its steps', () => {
    for (const { id } of STORY_STEPS) {
      expect(storyStepOf(storyAddress(id))).toBe(id)
      expect(placeOf(storyAddress(id)).view).toBe('story')
    }
    expect(storyStepOf('#tasks')).toBeNull()
  })

  it('turns to the step of an address, and stays for another', () => {
    const story = new Story()
    story.lookAt('#v1.abc&view=story-judge')
    expect([story.before?.id, story.step.id, story.after?.id]).toEqual(['votes', 'judge', 'tasks'])
    story.lookAt('#tasks')
    expect(story.step.id).toBe('judge')
  })

  it('keeps the first answer to each question', () => {
    const story = new Story()
    story.choose(2)
    story.choose(0)
    story.lookAt(storyAddress('votes'))
    expect(story.answer).toBeNull()
    expect(story.answerTo('outcome')).toBe(2)
  })

  it('leads to exercises that exist', () => {
    const exercises = LESSONS.map(({ id }) => id)
    for (const { exercise } of STORY_STEPS) expect(exercises).toContain(exercise)
  })
})
