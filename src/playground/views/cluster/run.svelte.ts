/**
 * A run on a cluster that this page follows. Its events are handled like those of a run in this tab; its state and its log
 * are kept here. It reconnects by itself and reports the problems that this does not solve.
 */
import { GatewayError } from '../../../cluster/client/gateway-error.ts'
import type { GatewayClient } from '../../../cluster/client/gateway-client.ts'
import { RunFollower, type FollowState } from '../../../cluster/client/run-follower.ts'
import {
  isOver,
  type LiveParameter,
  type LivePatchAnswer,
  type LivePatchRequest,
  type LiveParameters,
  type LogLine,
  type RunFile,
  type GatewayRun,
} from '../../../cluster/protocol.ts'
import type { RunStatus } from '../../../sessions/loop-service.ts'
import { appendLog } from './log.ts'
import { RunFeed } from '../../state/run-feed.svelte.ts'

export type Link = FollowState | { state: 'lost'; problem: GatewayError } | { state: 'ended' }

/** Limits how often the log is drawn, in milliseconds. */
const LOG_INTERVAL_MS = 250

export class ClusterRun {
  readonly feed = new RunFeed({ origin: 'cluster' })
  readonly gateway: string
  /** The parameters that can change during the run. */
  readonly parameters: readonly LiveParameter[]
  #client: GatewayClient
  #summary = $state.raw<GatewayRun>() as GatewayRun
  #link = $state.raw<Link>({ state: 'connecting' })
  #linkProblem = $state.raw<GatewayError | null>(null)
  #log = $state.raw<readonly LogLine[]>([])
  #pendingLog: readonly LogLine[] = []
  #logTimer = 0
  #answer = $state.raw<LivePatchAnswer | null>(null)
  #problem = $state.raw<GatewayError | null>(null)
  #isSending = $state.raw(false)
  #files = $state.raw<readonly RunFile[]>([])
  #follower: RunFollower | null = null
  #stop = new AbortController()

  constructor(client: GatewayClient, summary: GatewayRun, parameters: readonly LiveParameter[]) {
    this.#client = client
    this.gateway = client.address
    this.parameters = parameters
    this.#summary = summary
    this.feed.expect(summary.runId)
    this.#hearStatus(summary)
    void this.#follow()
  }

  get runId(): string {
    return this.#summary.runId
  }
  get summary(): GatewayRun {
    return this.#summary
  }
  get link(): Link {
    return this.#link
  }
  /** Why there is no connection; kept during the next attempt. */
  get linkProblem(): GatewayError | null {
    return this.#linkProblem
  }
  get log(): readonly LogLine[] {
    return this.#log
  }
  get isOver(): boolean {
    return isOver(this.#summary.state)
  }
  /** The values once the last change takes effect. */
  get live(): LiveParameters {
    return (this.#summary.pending ?? this.#summary).live
  }
  /** The last change and the step from which it applies; null before one. */
  get answer(): LivePatchAnswer | null {
    return this.#summary.pending ?? this.#answer
  }
  /** Why the last command failed; null if it did not. */
  get problem(): GatewayError | null {
    return this.#problem
  }
  get isSending(): boolean {
    return this.#isSending
  }
  get files(): readonly RunFile[] {
    return this.#files
  }

  async patch(patch: LivePatchRequest): Promise<void> {
    await this.#send(async () => {
      this.#answer = await this.#client.patch(this.runId, patch)
      this.#summary = { ...this.#summary, pending: this.#answer }
    })
  }

  async stop(): Promise<void> {
    await this.#send(async () => this.#hearStatus(await this.#client.stop(this.runId)))
  }

  async lookForFiles(): Promise<void> {
    await this.#send(async () => {
      this.#files = await this.#client.files(this.runId)
    })
  }

  /** Null on failure, with the reason in `problem`. */
  async file(name: string): Promise<Blob | null> {
    let blob: Blob | null = null
    await this.#send(async () => {
      blob = await this.#client.file(this.runId, name)
    })
    return blob
  }

  /** Reconnects now, with the client of a new connection if there is one. */
  reconnect(client = this.#client): void {
    this.#client = client
    if (this.#link.state === 'lost') void this.#follow()
    else this.#follower?.retryNow()
  }

  /** Stops following; the run continues. */
  leave(): void {
    this.#stop.abort()
    clearTimeout(this.#logTimer)
  }

  async #follow(): Promise<void> {
    const { runId } = this
    this.#follower = new RunFollower(
      { events: (...request) => this.#client.events(...request) },
      runId,
      {
        onEvent: (event) => this.feed.hear({ type: 'events', runId, batch: [event] }),
        onNow: (event) => this.feed.hear({ type: 'events', runId, batch: [event] }),
        onLog: (lines) => {
          this.#pendingLog = appendLog(this.#pendingLog, lines)
          this.#logTimer ||= window.setTimeout(() => {
            this.#logTimer = 0
            this.#log = this.#pendingLog
          }, LOG_INTERVAL_MS)
        },
        onStatus: (summary) => this.#hearStatus(summary),
        onState: (state) => this.#hearLink(state),
      },
      { lastSeq: this.#follower?.lastSeq ?? null },
    )
    try {
      await this.#follower.follow(this.#stop.signal)
      this.#hearLink({ state: 'ended' })
    } catch (error) {
      if (this.#stop.signal.aborted) return
      if (!(error instanceof GatewayError)) throw error
      this.#hearLink({ state: 'lost', problem: error })
    }
  }

  #hearLink(link: Link): void {
    this.#link = link
    if (link.state !== 'connecting') this.#linkProblem = 'problem' in link ? link.problem : null
  }

  #hearStatus(summary: GatewayRun): void {
    this.#summary = summary
    this.feed.hear({ type: 'status', runId: summary.runId, status: statusOf(summary) })
  }

  async #send(command: () => Promise<void>): Promise<void> {
    this.#isSending = true
    this.#problem = null
    try {
      await command()
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.#problem = error
    } finally {
      this.#isSending = false
    }
  }
}

/** The state of a job as the status of a run. */
function statusOf({ state, message }: GatewayRun): RunStatus {
  switch (state) {
    case 'PENDING':
      return { state: 'loading', what: 'the cluster', done: 0, total: 0 }
    case 'RUNNING':
      return { state: 'running' }
    case 'STOPPED':
      return { state: 'finished', reason: 'stopped' }
    case 'SUCCEEDED':
      return { state: 'finished', reason: 'completed' }
    case 'FAILED':
      return {
        state: 'failed',
        failure: {
          what: 'The run failed on the cluster.',
          why: message || 'The cluster reported no reason.',
          remedy: 'Look for the cause at the end of its log below.',
        },
      }
  }
}
