/** The lesson that somebody looks at, in their own run: what has been seen, what has been done, and the page's hand in it. */
import { untrack } from 'svelte'
import { isLiveSetting, parseSettings, type LivePatch, type Settings } from '../../../method/settings.ts'
import { stepsDone } from './steps.ts'
import { isRunOf, lessonSettings, observe, type Lesson, type Observation, type Variation } from './lessons.ts'
import type { Learned } from './learned.ts'
import type { Lessons } from './lessons.svelte.ts'
import type { Playground } from '../../state/playground.svelte.ts'

export class LessonProgress {
  readonly lesson: Lesson
  readonly #playground: Playground
  readonly #lessons: Lessons
  /** An observation rests on what has finished, so it is looked for once for each event of that kind. */
  readonly #progress = $derived.by(() => {
    const view = this.#playground.live.viewFor('tasks')
    const newest = view.current
    const updates = `${newest?.policyUpdate !== null}/${newest?.rewardUpdate !== null}`
    return `${view.started?.runId}/${view.iterations.length}/${newest?.isFinished}/${updates}/${view.evaluations.length}`
  })
  readonly #seen = $derived.by(() => {
    void this.#progress
    return untrack(() => observe(this.lesson, this.#playground.live.view))
  })
  readonly #done = $derived.by(() => {
    void this.#progress
    const { live, draft } = this.#playground
    const state = { isOpen: live.isOpen, draft: draft.values, isObserved: this.seen.isMade }
    return untrack(() => stepsDone(this.lesson, { ...state, view: live.view }))
  })

  constructor(lesson: Lesson, lessons: Lessons, playground: Playground) {
    this.lesson = lesson
    this.#lessons = lessons
    this.#playground = playground
  }

  /** When and where it was observed; undefined before. */
  get learned(): Learned | undefined {
    return this.#lessons.learned[this.lesson.id]
  }
  get seen(): Observation {
    const { learned } = this
    return learned ? { isMade: true, evidence: learned.evidence } : this.#seen
  }
  /** Setting up, and each step (lesson-steps.ts). */
  get done(): readonly boolean[] {
    return this.#done
  }
  /** What to do now: 0 is setting up, then the steps; null where all is done. */
  get now(): number | null {
    const index = this.#done.indexOf(false)
    return index < 0 ? null : index
  }
  get isBusy(): boolean {
    return this.#playground.live.isBusy
  }

  /** An observation that has been made is kept. */
  keep(): void {
    const { live } = this.#playground
    if (this.learned || !this.#seen.isMade) return
    const { evidence } = this.#seen
    const iteration = live.view.current?.iteration ?? 0
    this.#lessons.keep(this.lesson.id, { evidence, when: Date.now(), runId: live.runId, iteration })
  }

  async setUp(): Promise<void> {
    await this.#lessons.setUp(this.lesson, lessonSettings(this.lesson), this.#playground)
  }

  async press(what: 'run' | 'policy' | 'reward'): Promise<void> {
    await (what === 'run' ? this.#playground.runOrPause() : this.#playground.step(what))
  }

  change(patch: LivePatch | Partial<Settings>): void {
    for (const [name, value] of Object.entries(patch) as [keyof Settings, Settings[keyof Settings]][])
      this.#playground.set(name, value)
  }

  /** Whether the run under way takes a variation over; else it needs a run of its own. */
  isTakenOver({ change }: Variation): boolean {
    const { live } = this.#playground
    void this.#progress
    return live.isOpen && isRunOf(this.lesson, live.view) && Object.keys(change).every(isLiveSetting)
  }

  async vary(variation: Variation): Promise<void> {
    if (this.isTakenOver(variation)) return this.change(variation.change)
    const { preset, difference } = this.lesson
    const settings = parseSettings({ ...difference, ...variation.change }, preset)
    await this.#lessons.setUp(this.lesson, settings, this.#playground)
  }
}
