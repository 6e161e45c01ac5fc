/** Keeps one run in memory, for tests. */
import type { LoggedEvent } from '../../src/method/events.ts'
import type { ResumableRun, ResumableRunStore, RunCheckpoint, RunSummary } from '../../src/runs/run-store.ts'
import { stateEvent } from '../../src/runs/state-event.ts'

export class MemoryStore implements ResumableRunStore {
  events: LoggedEvent[] = []
  checkpoints: RunCheckpoint[] = []
  summary: RunSummary | null = null
  isFinished = false

  async create(summary: RunSummary): Promise<void> {
    this.summary = summary
  }

  async append(_runId: string, events: readonly LoggedEvent[]): Promise<void> {
    this.events.push(...events)
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    this.checkpoints.push(checkpoint)
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
    const events = this.summary?.runId === runId ? this.events.filter(({ seq }) => seq >= from && seq < to) : []
    for (let i = 0; i < events.length; i += 5) yield events.slice(i, i + 5)
  }

  /** The branch replaces the run. */
  async branch(from: string, iteration: number, branch: { runId: string; iterations: number }) {
    const checkpoint = await this.loadCheckpoint(from, iteration)
    if (this.summary?.runId !== from || checkpoint === null) return null
    this.events = this.events
      .slice(0, checkpoint.eventCount)
      .map((event) => (event.type === 'run-started' ? { ...event, runId: branch.runId } : event))
    this.checkpoints = [{ ...checkpoint, runId: branch.runId }]
    this.isFinished = false
    this.summary = { ...this.summary, ...branch, origin: { kind: 'branch', runId: from, iteration } }
    return this.summary
  }

  async remove(): Promise<void> {
    this.events = []
    this.checkpoints = []
    this.summary = null
  }

  async prepareResume(runId: string): Promise<ResumableRun | null> {
    const checkpoint = this.checkpoints.at(-1)
    if (this.summary?.runId !== runId || checkpoint === undefined) return null
    this.events = this.events.slice(0, checkpoint.eventCount)
    return { summary: this.summary, history: this.events.map(stateEvent), checkpoint }
  }
}
