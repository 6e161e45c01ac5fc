/** Which lesson is open, and which have been learned: an observation that was made once stays made, until it is forgotten. */
import type { Lesson } from './lessons.ts'
import type { Settings } from '../../../method/settings.ts'
import { readLearned, writeLearned, type Learned, type LearnedLessons } from './learned.ts'
import type { Playground } from '../../state/playground.svelte.ts'

export class Lessons {
  #openId = $state.raw<string | null>(null)
  #isFollowed = $state.raw(false)
  #learned = $state.raw<LearnedLessons>(readLearned())

  /** Of the lesson that a person opened or a link names; null where none is. */
  get openId(): string | null {
    return this.#openId
  }
  get learned(): LearnedLessons {
    return this.#learned
  }

  /** Whether somebody has begun with it, or came for it: only then is it shown beside other views. */
  get isFollowed(): boolean {
    return this.#isFollowed
  }

  /** To be read. */
  choose(id: string | null): void {
    if (id !== this.#openId) this.#isFollowed = false
    this.#openId = id
  }

  /** To be done. */
  follow(id: string): void {
    this.#openId = id
    this.#isFollowed = true
  }

  /** Opens what a link names. Returns what is wrong with the name; null where there is such a lesson. */
  async openNamed(id: string): Promise<string | null> {
    // The lessons themselves are not in the first load.
    const { LESSONS } = await import('./lessons.ts')
    if (LESSONS.some((lesson) => lesson.id === id)) {
      this.follow(id)
      return null
    }
    const ids = LESSONS.map((lesson) => lesson.id).join(', ')
    return `The link is to the lesson “${id}”, and there is none of that name. There are ${ids}; all are under Learn.`
  }

  keep(id: string, learned: Learned): void {
    // Another tab may have seen something else meanwhile.
    const before = { ...readLearned(), ...this.#learned }
    if (Object.hasOwn(before, id)) return
    this.#learned = { ...before, [id]: learned }
    writeLearned(this.#learned)
  }

  /** For the next class on the same machine. */
  forget(): void {
    this.#learned = {}
    writeLearned(this.#learned)
  }

  /** Puts settings of the lesson on the controls, and ends a run that has others. */
  async setUp({ id, preset }: Lesson, settings: Settings, playground: Playground): Promise<void> {
    this.follow(id)
    if (playground.live.isOpen) await playground.live.stop()
    await playground.follow({ ...playground.draft.content, preset, settings })
  }
}
