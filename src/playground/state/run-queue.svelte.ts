/**
 * Runs one after another: what is left of a plan, and whether it goes on. A run that ends by itself is followed by the
 * next. One that is stopped or fails holds the queue, since what went wrong with one seed would go wrong with the next, and
 * so does a run that a person puts in its place. A queue that is held says why, and can be gone on with: the run it was at
 * is taken up at its last checkpoint, or begun again. It is kept in the browser, so a page that is closed only holds it.
 */
import type { StartRequest } from '../../sessions/loop-service.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { counted } from '../kit/format.ts'
import type { HoldReason } from './queue-words.ts'
import { nextItem, requestOf, withItem, type PlanItem, type RunPlan } from '../run/run-plan.ts'
import type { PlanStore } from './plan-store.ts'

/** What became of a run that was begun in an earlier visit, or was held. */
export type RunFate = 'finished' | 'resumable' | 'gone'

export interface QueuePorts {
  plans: PlanStore
  newRunId(): string
  /** Resolves when the run is under way, or has failed and `ended` has been told so. */
  start(request: StartRequest): Promise<void>
  /** Goes on with a kept run from its last checkpoint; resolves as `start`. */
  resume(runId: string): Promise<void>
  fateOf(runId: string): Promise<RunFate>
  /** A run of the plan is done, now or in an earlier visit. */
  onDone(runId: string): void
}

export function fateOf(run: RunSummary | null): RunFate {
  if (run === null) return 'gone'
  if (run.finishedIterations >= run.iterations) return 'finished'
  return run.checkpoints.length > 0 && !run.isEvicted ? 'resumable' : 'gone'
}

export type RunEnd = 'completed' | 'stopped' | 'failed'

export class RunQueue {
  readonly #ports: QueuePorts
  #plan = $state.raw<RunPlan | null>(null)
  #held = $state.raw<HoldReason | null>(null)
  #notice = $state.raw<string | null>(null)

  constructor(ports: QueuePorts) {
    this.#ports = ports
  }

  /** Null when nothing is queued. */
  get plan(): RunPlan | null {
    return this.#plan
  }
  /** The item that is run, or is next; null when nothing is queued. */
  get current(): PlanItem | null {
    return this.#plan && nextItem(this.#plan)
  }
  /** Why it does not go on; null while it does, and when nothing is queued. */
  get held(): HoldReason | null {
    return this.#held
  }
  /** What a person should know of a queue that is there no more. */
  get notice(): string | null {
    return this.#notice
  }
  get isGoing(): boolean {
    return this.#plan !== null && this.#held === null
  }
  /** Whether the run is the one that a queue under way is at: it keeps the settings that it was started with. */
  isAt(runId: string): boolean {
    return this.isGoing && this.current?.runId === runId
  }

  /** Finds what an earlier visit left. */
  async look(): Promise<void> {
    const { plan, unreadable } = await this.#ports.plans.unfinished()
    if (unreadable > 0) {
      this.#notice =
        `${counted(unreadable, 'queue')} of an earlier visit cannot be read, as when this page has been updated since, ` +
        'and will not go on. The runs that were done are kept. Start the missing ones again.'
    }
    if (this.#plan !== null || plan === null || nextItem(plan) === null) return
    this.#plan = plan
    this.#held = 'closed'
  }

  /** Starts a plan, in place of the one before. */
  async begin(plan: RunPlan): Promise<void> {
    if (this.#plan) this.drop()
    this.#notice = null
    this.#plan = plan
    this.#held = null
    this.#ports.plans.hold(plan.id)
    this.#ports.plans.save(plan)
    await this.#startNext()
  }

  /** Goes on after it was held. */
  async resume(): Promise<void> {
    if (this.#plan === null || this.#held === null) return
    if (this.#held === 'closed' && !(await this.#takeFromEarlierVisit(this.#plan.id))) return
    this.#held = null
    for (let item = this.current; item !== null; item = this.current) {
      const fate = item.runId === null ? 'gone' : await this.#ports.fateOf(item.runId)
      if (fate === 'resumable') return this.#ports.resume(item.runId!)
      if (fate === 'gone') return this.#startNext()
      this.#finishItem(item)
    }
  }

  /** Goes past the run that it is held at. */
  leaveOut(): void {
    if (this.#plan === null || this.#held === null || this.current === null) return
    this.#change(withItem(this.#plan, this.current, { state: 'left-out' }))
  }

  /** Lets go of what is left. A run that is under way goes on by itself. */
  drop(): void {
    if (this.#plan === null) return
    const { id } = this.#plan
    this.#plan = null
    this.#held = null
    this.#ports.plans.remove(id)
    this.#ports.plans.letGo()
  }

  /** A run begins in this tab, of the queue or of a person. */
  async began(runId: string): Promise<void> {
    if (this.#plan === null) return
    if (this.current?.runId !== runId) {
      if (this.#held === null) this.#held = 'replaced'
      return
    }
    // The run that it was at is gone on with otherwise, as from the offer at the top of the page.
    if (this.#held === 'closed' && !(await this.#takeFromEarlierVisit(this.#plan.id))) return
    this.#held = null
  }

  ended(runId: string, how: RunEnd): void {
    const item = this.current
    if (item === null || item.runId !== runId || this.#held === 'closed') return
    if (how !== 'completed') {
      this.#held = how
      return
    }
    this.#held = null
    this.#finishItem(item)
    // In a task of its own: the session is still telling how the run before ended. A person may start a run meanwhile.
    setTimeout(() => {
      if (this.isGoing) void this.#startNext()
    }, 0)
  }

  async #takeFromEarlierVisit(id: string): Promise<boolean> {
    const plan = await this.#ports.plans.take(id)
    if (plan !== null && nextItem(plan) !== null) {
      this.#plan = plan
      for (const { state, runId } of plan.items) if (state === 'done' && runId !== null) this.#ports.onDone(runId)
      return true
    }
    this.#plan = null
    this.#held = null
    this.#notice = 'Another tab of this page goes on with the queue, or is done with it. Its runs come into this list.'
    return false
  }

  async #startNext(): Promise<void> {
    const item = this.current
    if (this.#plan === null || item === null) return
    const runId = this.#ports.newRunId()
    const request = requestOf(this.#plan, item, runId)
    this.#change(withItem(this.#plan, item, { runId }))
    await this.#ports.start(request)
  }

  #finishItem(item: PlanItem): void {
    if (this.#plan === null) return
    this.#change(withItem(this.#plan, item, { state: 'done' }))
    if (item.runId !== null) this.#ports.onDone(item.runId)
  }

  #change(plan: RunPlan): void {
    if (nextItem(plan) === null) {
      const done = plan.items.filter(({ state }) => state === 'done').length
      this.drop()
      this.#notice = `The queue is done: ${counted(done, 'run')}.`
      return
    }
    this.#plan = plan
    this.#ports.plans.save(plan)
  }
}
