/**
 * Runs the items of a plan one after another. A run that completes is followed by the next. A run that is stopped, fails or
 * is replaced holds the queue, since the next seed would probably fail as well. A held queue says why, and resumes its run
 * from the last checkpoint or starts it again. The browser keeps the plan, so closing the page only holds the queue.
 */
import type { StartRequest } from '../../sessions/loop-service.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { counted } from '../kit/format.ts'
import type { HoldReason } from './queue-words.ts'
import { nextItem, requestOf, withItem, type PlanItem, type RunPlan } from '../run/run-plan.ts'
import type { PlanStore } from './plan-store.ts'

/** What became of a run that was started before the queue was held. */
export type RunFate = 'finished' | 'resumable' | 'gone'

export interface QueuePorts {
  plans: PlanStore
  newRunId(): string
  /** Resolves when the run has started, or has failed and `ended` was called. */
  start(request: StartRequest): Promise<void>
  /** Resumes a kept run from its last checkpoint; resolves as `start`. */
  resume(runId: string): Promise<void>
  fateOf(runId: string): Promise<RunFate>
  /** Called for each completed run of the plan, also of earlier visits. */
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

  /** Null if nothing is queued. */
  get plan(): RunPlan | null {
    return this.#plan
  }
  /** The running or next item; null if nothing is queued. */
  get current(): PlanItem | null {
    return this.#plan && nextItem(this.#plan)
  }
  /** Why the queue is held; null if it is not. */
  get held(): HoldReason | null {
    return this.#held
  }
  /** Reports on a queue that is gone. */
  get notice(): string | null {
    return this.#notice
  }
  get isActive(): boolean {
    return this.#plan !== null && this.#held === null
  }
  /** Whether the active queue is at this run, which then keeps its settings. */
  isAt(runId: string): boolean {
    return this.isActive && this.current?.runId === runId
  }

  /** Finds the queue that an earlier visit left. */
  async look(): Promise<void> {
    const { plan, unreadable } = await this.#ports.plans.unfinished()
    if (unreadable > 0) {
      this.#notice =
        `${counted(unreadable, 'queue')} of an earlier visit cannot be read and was discarded, probably because this page ` +
        'was updated. Completed runs are kept. Start the missing ones again.'
    }
    if (this.#plan !== null || plan === null || nextItem(plan) === null) return
    this.#plan = plan
    this.#held = 'closed'
  }

  /** Starts a plan in place of the one before. */
  async begin(plan: RunPlan): Promise<void> {
    if (this.#plan) this.drop()
    this.#notice = null
    this.#plan = plan
    this.#held = null
    this.#ports.plans.hold(plan.id)
    this.#ports.plans.save(plan)
    await this.#startNext()
  }

  /** Continues after it was held. */
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

  /** Skips the run at which it is held. */
  leaveOut(): void {
    if (this.#plan === null || this.#held === null || this.current === null) return
    this.#change(withItem(this.#plan, this.current, { state: 'left-out' }))
  }

  /** Discards the remaining items. A run in progress continues. */
  drop(): void {
    if (this.#plan === null) return
    const { id } = this.#plan
    this.#plan = null
    this.#held = null
    this.#ports.plans.remove(id)
    this.#ports.plans.release()
  }

  /** Must be called before any run of this tab begins. */
  async began(runId: string): Promise<void> {
    if (this.#plan === null) return
    if (this.current?.runId !== runId) {
      if (this.#held === null) this.#held = 'replaced'
      return
    }
    // Its run is resumed without the queue, as from the offer at the top of the page.
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
    // In its own task, since the feed is still reporting how this run ended. Meanwhile another run may start.
    setTimeout(() => {
      if (this.isActive) void this.#startNext()
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
    this.#notice = 'Another tab is running the queue or has completed it. Its runs appear in this list.'
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
