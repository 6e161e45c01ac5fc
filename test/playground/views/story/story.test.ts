import { describe, expect, it } from 'vitest'
import { STORY_STEPS, stepOfLesson, storyAddress, type Exercise } from '../../../../src/playground/state/story-steps.ts'
import { Story, storyStepOf } from '../../../../src/playground/views/story/story.svelte.ts'
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

  it('has every lesson behind one of its steps, by its title', () => {
    const exercises = STORY_STEPS.flatMap((step): readonly Exercise[] => step.exercises)
    const titles = (list: readonly Exercise[]) => list.map(({ id, title }) => [id, title])
    expect(titles(exercises)).toEqual(titles(LESSONS))
    expect(new Set(exercises.map(({ id }) => id)).size).toBe(exercises.length)
    for (const { exercises: own } of STORY_STEPS) expect(own.length).toBeGreaterThan(0)
  })

  it('knows the step of a lesson', () => {
    expect(stepOfLesson('lies')).toMatchObject({ number: 3, step: { id: 'judge' } })
    expect(stepOfLesson('no-such-lesson')).toBeNull()
  })
})
