/** Which lesson is open, and which are learned. An observation stays made until you forget it. */
import type { Lesson } from './lesson.ts'
import type { Settings } from '../../../method/settings.ts'
import { readLearned, writeLearned, type Learned, type LearnedLessons } from './learned.ts'
import type { Playground } from '../../state/playground.svelte.ts'

export class Lessons {
  #openId = $state.raw<string | null>(null)
  #isFollowed = $state.raw(false)
  #learned = $state.raw<LearnedLessons>(readLearned())

  /** The lesson that you opened, or that a link names. */
  get openId(): string | null {
    return this.#openId
  }
  get learned(): LearnedLessons {
    return this.#learned
  }

  /** Whether you started the lesson or came by a link to it: only then do other views show it. */
  get isFollowed(): boolean {
    return this.#isFollowed
  }

  /** Opens a lesson to read. */
  choose(id: string | null): void {
    if (id !== this.#openId) this.#isFollowed = false
    this.#openId = id
  }

  /** Opens a lesson to do. */
  follow(id: string): void {
    this.#openId = id
    this.#isFollowed = true
  }

  /** Opens the lesson that a link names. Returns null, or an error message if there is none. */
  async openNamed(id: string): Promise<string | null> {
    // The first load leaves out the texts of the lessons.
    const { LESSONS } = await import('./lessons.ts')
    if (LESSONS.some((lesson) => lesson.id === id)) {
      this.follow(id)
      return null
    }
    const ids = LESSONS.map((lesson) => lesson.id).join(', ')
    return `The link names the lesson “${id}”, which does not exist. Choose one under Learn: ${ids}.`
  }

  keep(id: string, learned: Learned): void {
    // Another tab may have kept another observation meanwhile.
    const before = { ...readLearned(), ...this.#learned }
    if (Object.hasOwn(before, id)) return
    this.#learned = { ...before, [id]: learned }
    writeLearned(this.#learned)
  }

  /** Forgets all observations, for the next class on the same machine. */
  forget(): void {
    this.#learned = {}
    writeLearned(this.#learned)
  }

  /** Puts settings of the lesson on the controls and stops the current run. */
  async setUp({ id, preset }: Lesson, settings: Settings, playground: Playground): Promise<void> {
    this.follow(id)
    if (playground.live.isOpen) await playground.launcher.commands.stop()
    await playground.follow({ ...playground.draft.content, preset, settings })
  }
}
