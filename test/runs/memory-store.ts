/** Keeps one run in memory, for tests. */
import type { LoggedEvent } from '../../src/method/events.ts'
import type { LivePatch } from '../../src/method/settings.ts'
import {
  branchCheckpoint,
  branchEvents,
  branchSummary,
  changedSummary,
  changesAfter,
  cutBack,
  noteChange,
} from '../../src/runs/branch.ts'
import type {
  Branch,
  ModelChange,
  ResumableRun,
  ResumableRunStore,
  RunCheckpoint,
  RunSummary,
} from '../../src/runs/run-store.ts'
import { stateEvent } from '../../src/runs/state-event.ts'

export class MemoryStore implements ResumableRunStore {
  events: LoggedEvent[] = []
  checkpoints: RunCheckpoint[] = []
  run: RunSummary | null = null
  isFinished = false

  async create(summary: RunSummary): Promise<void> {
    this.run = { ...summary }
  }

  async summary(runId: string): Promise<RunSummary | null> {
    return this.run?.runId === runId ? this.run : null
  }

  async append(_runId: string, events: readonly LoggedEvent[]): Promise<void> {
    this.events.push(...events)
    for (const event of events) if (this.run) noteChange(this.run, event)
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    this.checkpoints.push(checkpoint)
  }

  async keepPatch(_runId: string, waiting: LivePatch): Promise<void> {
    if (this.run) this.run.waiting = waiting
  }

  async replaceModel(change: ModelChange): Promise<void> {
    this.events.push(change.event)
    this.checkpoints.push(change.checkpoint)
    this.run = this.run && changedSummary(this.run, change)
  }

  async finish(): Promise<void> {
    this.isFinished = true
  }

  async loadCheckpoint(runId: string, iteration?: number): Promise<RunCheckpoint | null> {
    const own = this.checkpoints.filter((checkpoint) => checkpoint.runId === runId)
    return own.findLast((checkpoint) => iteration === undefined || checkpoint.iteration === iteration) ?? null
  }

  /** In parts of five events, so that readers must join them. */
  async *readEvents(runId: string, from = 0, to = Infinity): AsyncGenerator<LoggedEvent[]> {
    const events = this.run?.runId === runId ? this.events.filter(({ seq }) => seq >= from && seq < to) : []
    for (let i = 0; i < events.length; i += 5) yield events.slice(i, i + 5)
  }

  /** The branch replaces the run. */
  async branch(from: string, iteration: number, branch: Branch) {
    const checkpoint = await this.loadCheckpoint(from, iteration)
    if (this.run?.runId !== from || checkpoint === null) return null
    const begins = branchEvents(this.run, checkpoint, branch)
    this.events = this.events
      .slice(0, checkpoint.eventCount)
      .map((event) => (event.type === 'run-started' ? { ...event, runId: branch.runId } : event))
      .concat(begins)
    this.checkpoints = [branchCheckpoint(checkpoint, branch, begins)]
    this.isFinished = false
    this.run = branchSummary(this.run, checkpoint, branch, begins)
    return this.run
  }

  async remove(): Promise<void> {
    this.events = []
    this.checkpoints = []
    this.run = null
  }

  async prepareResume(runId: string): Promise<ResumableRun | null> {
    const checkpoint = this.checkpoints.at(-1)
    if (this.run?.runId !== runId || checkpoint === undefined) return null
    const later = changesAfter(this.events, this.run, checkpoint)
    this.run = cutBack(this.run, checkpoint)
    for (const event of later) noteChange(this.run, event)
    this.events = [...this.events.slice(0, checkpoint.eventCount), ...later]
    const at = { ...checkpoint, eventCount: this.events.length }
    return { summary: this.run, history: this.events.map(stateEvent), checkpoint: at }
  }
}
