/** One run kept in memory, for tests: what a file or a database would hold of it. */
import type { LoggedEvent } from '../../src/method/events.ts'
import type { ResumableRun, ResumableRunStore, RunCheckpoint, RunSummary } from '../../src/runs/run-store.ts'

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

  async lastUnfinished(): Promise<RunSummary | null> {
    return this.isFinished || this.checkpoints.length === 0 ? null : this.summary
  }

  async loadCheckpoint(runId: string): Promise<RunCheckpoint | null> {
    return this.checkpoints.findLast((checkpoint) => checkpoint.runId === runId) ?? null
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
    return { summary: this.summary, history: this.events.slice(), checkpoint }
  }
}
