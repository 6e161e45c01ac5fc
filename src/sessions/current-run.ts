/** The run of the loop worker: its session and open models, and the messages by which the page follows it. */
import { runLoop } from '../method/loop.ts'
import { readableEvent } from '../runs/readable-event.ts'
import { RunLostError, type ResumableRun, type ResumableRunStore, type RunStore } from '../runs/run-store.ts'
import { errorText } from '../threads/error-text.ts'
import { EventBatcher } from './event-batcher.ts'
import { failureOf, lostFailure } from './failures.ts'
import { LoopSession, type SessionState } from './loop-session.ts'
import type { RunMessage, RunStatus, StartRequest } from './messages.ts'
import { loopRequest, type OpenedRun } from './opened-run.ts'
import { RunModels } from './run-models.ts'

export interface CurrentRunParts {
  request: StartRequest
  opened: OpenedRun
  /** Opens other models for the run, which continues with them. */
  open: (request: StartRequest) => Promise<OpenedRun>
  /** Null if the browser keeps nothing. */
  store: ResumableRunStore | null
  /** Iterations between checkpoints. */
  checkpointEvery: number
  isPausedAtStart: boolean
  resumed?: Pick<ResumableRun, 'history'>
  onMessage: (message: RunMessage) => void
}

const KEEPS_NOTHING: RunStore = {
  create: async () => {},
  append: async () => {},
  saveCheckpoint: async () => {},
  finish: async () => {},
}

export class CurrentRun {
  readonly session: LoopSession
  readonly models: RunModels
  readonly #parts: CurrentRunParts
  readonly #batcher: EventBatcher
  #hasReportedStore = false

  constructor(parts: CurrentRunParts) {
    this.#parts = parts
    const { request, opened, open, resumed, checkpointEvery, isPausedAtStart, onMessage } = parts
    const { runId, iterations } = request
    const store = parts.store ?? KEEPS_NOTHING
    this.#batcher = new EventBatcher((batch) => onMessage({ type: 'events', runId, batch: batch.map(readableEvent) }))
    this.models = new RunModels({ request, opened, store, open })
    this.session = new LoopSession({
      loop: runLoop,
      ports: opened.ports,
      request: loopRequest(request, opened),
      ...{ iterations, store, checkpointEvery, isPausedAtStart },
      ...(resumed && { history: resumed.history }),
      forgetsStored: parts.store !== null,
      onEvent: (event) => this.#batcher.push(event),
      onState: (state) => this.#send(statusOf(state)),
      onStoreFailure: (error) => this.#reportStore(error),
    })
  }

  /** Resolves when the run has ended and its workers are gone; never rejects. */
  async play(): Promise<void> {
    const { request, store } = this.#parts
    try {
      await this.session.run()
    } catch (error) {
      const isLost = error instanceof RunLostError
      const isKept = store !== null && this.session.hasCheckpoint
      const failure = isLost ? lostFailure(error) : failureOf('The run ended early.', error, request, { isKept })
      this.#send({ state: 'failed', failure })
    } finally {
      this.models.close()
    }
  }

  /** After the events that precede it. */
  #send(status: RunStatus): void {
    this.#batcher.flush()
    this.#parts.onMessage({ type: 'status', runId: this.#parts.request.runId, status })
  }

  /** Once, because the store tries again with the next events. */
  #reportStore(error: unknown): void {
    if (error instanceof RunLostError) throw error
    const { request, onMessage } = this.#parts
    if (!this.#hasReportedStore) onMessage({ type: 'notice', runId: request.runId, text: errorText(error) })
    this.#hasReportedStore = true
  }
}

function statusOf(state: SessionState): RunStatus {
  return state === 'completed' || state === 'stopped' ? { state: 'finished', reason: state } : { state }
}
