/** A lesson in your own run: its observation, its steps, and the actions that its buttons take. */
import { untrack } from 'svelte'
import { parseSettings } from '../../../method/presets.ts'
import { isLiveSetting, type LivePatch, type Settings } from '../../../method/settings.ts'
import { stepsDone } from './steps.ts'
import { isRunOf, lessonSettings, observe, type Lesson, type Observation, type Variation } from './lesson.ts'
import type { Learned } from './learned.ts'
import type { Lessons } from './lessons.svelte.ts'
import type { Playground } from '../../state/playground.svelte.ts'

export class LessonProgress {
  readonly lesson: Lesson
  readonly #playground: Playground
  readonly #lessons: Lessons
  /** Observations depend only on finished things: this changes whenever one finishes. */
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

  /** Undefined before the observation was made. */
  get learned(): Learned | undefined {
    return this.#lessons.learned[this.lesson.id]
  }
  get seen(): Observation {
    const { learned } = this
    return learned ? { isMade: true, evidence: learned.evidence } : this.#seen
  }
  /** For setting up and each step (steps.ts). */
  get done(): readonly boolean[] {
    return this.#done
  }
  /** Index of the current step, 0 for setting up; null when all are done. */
  get now(): number | null {
    const index = this.#done.indexOf(false)
    return index < 0 ? null : index
  }
  get isBusy(): boolean {
    return this.#playground.live.isBusy
  }

  /** Keeps the observation once it is made. */
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
    const { launcher } = this.#playground
    await (what === 'run' ? launcher.runOrPause() : launcher.step(what))
  }

  change(patch: LivePatch | Partial<Settings>): void {
    for (const [name, value] of Object.entries(patch) as [keyof Settings, Settings[keyof Settings]][])
      this.#playground.set(name, value)
  }

  /** Whether the current run can apply a variation; else it needs a new run. */
  isTakenOver({ change }: Variation): boolean {
    const { live, launcher } = this.#playground
    void this.#progress
    return launcher.takesChanges && isRunOf(this.lesson, live.view) && Object.keys(change).every(isLiveSetting)
  }

  async vary(variation: Variation): Promise<void> {
    if (this.isTakenOver(variation)) return this.change(variation.change)
    const { preset, difference } = this.lesson
    const settings = parseSettings({ ...difference, ...variation.change }, preset)
    await this.#lessons.setUp(this.lesson, settings, this.#playground)
  }
}
