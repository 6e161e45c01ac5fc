/** Which lesson is open, and which have been learned on this visit: an observation that was made once stays made. */
import { LESSONS, lessonSettings, observe, type Lesson, type Observation } from '../panels/lessons.ts'
import type { RunView } from '../../method/fold.ts'
import type { Playground } from './playground.svelte.ts'

export class Lessons {
  #openId = $state.raw<string | null>(null)
  #learned = $state.raw<Readonly<Record<string, string>>>({})

  get open(): Lesson | null {
    return LESSONS.find(({ id }) => id === this.#openId) ?? null
  }
  /** What was seen, by lesson. */
  get learned(): Readonly<Record<string, string>> {
    return this.#learned
  }

  choose(id: string | null): void {
    this.#openId = id
  }

  /** The open lesson's observation in a person's own run. */
  look(view: RunView): Observation | null {
    const lesson = this.open
    if (!lesson) return null
    const learned = this.#learned[lesson.id]
    return learned === undefined ? observe(lesson, view) : { isMade: true, evidence: learned }
  }

  keep(id: string, evidence: string): void {
    if (!Object.hasOwn(this.#learned, id)) this.#learned = { ...this.#learned, [id]: evidence }
  }

  /** Puts the lesson's settings on the controls, and ends a run that has others. */
  async setUp(lesson: Lesson, playground: Playground): Promise<void> {
    if (playground.live.isOpen) await playground.live.stop()
    await playground.follow({ ...playground.draft.content, preset: lesson.preset, settings: lessonSettings(lesson) })
  }
}
