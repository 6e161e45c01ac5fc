/** Where a reader is in the story, and what they answered. The address names the step: `#story-votes`. */
import { partOf } from '../../state/views.ts'
import { STORY_STEPS, storyPart, type StoryStepId } from '../../state/story-steps.ts'

/** Null for an address of something else. */
export function storyStepOf(hash: string): StoryStepId | null {
  const page = partOf(hash, 'story')
  return STORY_STEPS.find(({ id }) => storyPart(id) === page)?.id ?? null
}

export class Story {
  #at = $state.raw(0)
  /** Index of the choice by step. */
  #answers = $state.raw<Partial<Record<StoryStepId, number>>>({})

  get at(): number {
    return this.#at
  }
  get step() {
    return STORY_STEPS[this.#at]!
  }
  /** Null at either end. */
  get before() {
    return STORY_STEPS[this.#at - 1] ?? null
  }
  get after() {
    return STORY_STEPS[this.#at + 1] ?? null
  }
  /** Null until the question of the step is answered. */
  get answer(): number | null {
    return this.answerTo(this.step.id)
  }

  answerTo(id: StoryStepId): number | null {
    return this.#answers[id] ?? null
  }

  /** No-op for an address of something else. */
  lookAt(hash: string): void {
    const id = storyStepOf(hash)
    if (id !== null) this.#at = STORY_STEPS.findIndex((step) => step.id === id)
  }

  /** A question is answered once. */
  choose(choice: number): void {
    if (this.answer === null) this.#answers = { ...this.#answers, [this.step.id]: choice }
  }
}
