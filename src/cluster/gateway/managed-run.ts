/**
 * A run of the gateway: its job, its record on disk, its watch, and its listeners. The record (`run.json`) is written before the job
 * starts. A gateway that is killed in between starts the job again under the same name, and Ray starts that only once.
 */
import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EphemeralEvent } from '../../method/events.ts'
import {
  isOver,
  type LivePatchAnswer,
  type LivePatchRequest,
  type LiveParameters,
  type LogLines,
  type RunState,
  type GatewayRun,
} from '../protocol.ts'
import { plainLine } from '../released/job-log.ts'
import type { LiveChange } from '../released/live-changes.ts'
import type { JobBackend, JobRequest } from './jobs.ts'
import { LIVE_FILE, liveFileText } from './live-module.ts'
import { readLogEnd } from './log-end.ts'
import { replaceFile } from './patch.ts'
import type { Redactor } from './redactor.ts'
import { checkPatch, identityOf, liveOf, summaryOf, type RunRecord } from './run-record.ts'
import { RunWatch } from './run-watch.ts'
import type { DumpSource } from './step-dumps.ts'
import { errorText } from '../../threads/error-text.ts'

export interface RunListener {
  onEvents: () => void
  onNow: (event: EphemeralEvent) => void
  onLog: (lines: LogLines) => void
  onStatus: (summary: GatewayRun) => void
}

export interface ManagedRunOptions {
  /** The gateway's folder for the run. */
  folder: string
  checkout: string
  backend: JobBackend
  redactor: Redactor
  limits: { groupsPerStep: number; characters: number; reasoningCharacters: number }
  cleanup: (run: RunRecord) => Promise<string | null>
  pollMs: number
}

const MOST_NOTICES = 50
/** How much of the log's end a failure's message quotes. */
const LAST_BYTES = 16 << 10
const LAST_LINES = 12
/** Number of looks after the job has ended, because shared file systems show files late. */
const LAST_LOOKS = 2
/** Failures in a row to read the job's state before the run gets a notice. */
const QUIET_FAILURES = 5

export class ManagedRun {
  readonly record: RunRecord
  readonly watch: RunWatch
  readonly #context: ManagedRunOptions
  readonly #emitter = new EventEmitter()
  readonly #ending = new AbortController()
  #failures = 0
  /** Whether run.json contains the record. */
  #isSaved = true
  /** The attempt to stop the job that is under way. */
  #stopping: Promise<void> | null = null
  #cleaning: Promise<void> | null = null
  #lastStatus = ''
  #work: Promise<void> = Promise.resolve()

  constructor(record: RunRecord, context: ManagedRunOptions) {
    this.record = record
    this.#context = context
    this.#emitter.setMaxListeners(0)
    this.watch = new RunWatch({
      folder: context.folder,
      source: this.#source(),
      identity: identityOf(record, context.limits),
      redactor: context.redactor,
      listener: {
        onEvents: () => this.#emitter.emit('events'),
        onNow: (event) => this.#emitter.emit('now', event),
        onLog: (lines) => this.#emitter.emit('log', lines),
        onNotice: (notice) => this.notice(notice),
      },
    })
  }

  static load(folder: string, context: ManagedRunOptions): ManagedRun {
    return new ManagedRun(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunRecord, context)
  }

  get folder(): string {
    return this.#context.folder
  }
  get logFile(): string {
    return join(this.#context.folder, 'job.log')
  }
  /** Whether the run is over and all its events have been reported. */
  get isTold(): boolean {
    return isOver(this.record.state) && this.watch.isOver
  }

  get summary(): GatewayRun {
    return summaryOf(this.record, this.watch, this.#context.redactor)
  }

  listen(listener: RunListener): () => void {
    const pairs = [
      ['events', listener.onEvents],
      ['now', listener.onNow],
      ['log', listener.onLog],
      ['status', listener.onStatus],
    ] as const
    for (const [name, handler] of pairs) this.#emitter.on(name, handler)
    return () => {
      for (const [name, handler] of pairs) this.#emitter.off(name, handler)
    }
  }

  /** Writes the job's files and starts it. If it throws, the run has failed. */
  async start(script: string): Promise<void> {
    try {
      writeFileSync(join(this.folder, 'launch.sh'), script, { mode: 0o700 })
      this.#writeLive(this.record.changes)
      this.#write()
      await this.#startJob()
    } catch (error) {
      await this.#fail(error)
      throw error
    } finally {
      this.begin()
    }
  }

  async #startJob(): Promise<void> {
    this.record.handle = await this.#context.backend.start(this.#job())
    this.save()
  }

  async #fail(error: unknown): Promise<void> {
    this.#end('FAILED', errorText(error), null)
    // If this fails, #follow repeats it.
    await this.watch.end('stopped', () => this.record.changes).catch(() => undefined)
  }

  /** Watches the run until it is over; also for runs of an earlier gateway. */
  begin(): void {
    this.#work = this.#follow()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending
    const { record } = this
    if (record.handle === null && !isOver(record.state)) {
      await this.#startJob().catch((error: unknown) => this.#fail(error))
    }
    let looks = 0
    while (!signal.aborted) {
      if (!this.#isSaved) this.save()
      await this.#stopIfWanted()
      await this.#pollJob()
      try {
        await this.watch.look(() => record.changes)
        if (isOver(record.state) && ++looks >= LAST_LOOKS) {
          await this.#cleaning
          await this.watch.end(record.state === 'SUCCEEDED' ? 'completed' : 'stopped', () => record.changes)
        }
      } catch (error) {
        // The disk may be full, or the file system may be away for a moment.
        this.notice(`The gateway could not follow the run and tries again: ${errorText(error)}`)
      }
      this.#tellStatus()
      if (this.isTold && this.#isSaved) return
      await pause(this.#context.pollMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Stops a job that was stopped while it was starting, by an earlier gateway, or without success. */
  async #stopIfWanted(): Promise<void> {
    const { isStopWanted, handle, state } = this.record
    if (!isStopWanted || handle === null || isOver(state) || this.#stopping || this.#cleaning) return
    try {
      await this.#stopJob(handle)
    } catch (error) {
      this.notice(`The gateway could not stop the job and tries again: ${errorText(error)}`)
    }
  }

  async #pollJob(): Promise<void> {
    const { record } = this
    if (isOver(record.state) || record.handle === null) return
    try {
      const status = await this.#context.backend.status(record.handle, this.#job())
      this.#failures = 0
      if (isOver(status.state)) {
        // A job that the user stopped has not failed.
        const state = record.isStopWanted && status.state === 'FAILED' ? 'STOPPED' : status.state
        this.#end(state, state === 'FAILED' ? this.#failure(status.message) : status.message, status.exitCode)
      } else if (status.state !== record.state) {
        record.state = status.state
        this.save()
      }
    } catch (error) {
      if (++this.#failures === QUIET_FAILURES) this.notice(`The state of the job is unknown: ${errorText(error)}`)
    }
  }

  /** The message with the log's last lines, which show the error. */
  #failure(message: string): string {
    const tail = readLogEnd(this.logFile, LAST_BYTES)
      .map(({ text }) => this.#context.redactor.text(plainLine(text)))
      .filter((line) => line.trim() !== '')
    return [message, ...tail.slice(-LAST_LINES)].filter((part) => part !== '').join('\n')
  }

  #end(state: RunState, message: string, exitCode: number | null): void {
    Object.assign(this.record, { state, message, exitCode, endedAt: Date.now() })
    this.save()
  }

  /** Sets values from the next step on. Throws GatewayProblem. */
  async patch(request: LivePatchRequest, checked: LiveParameters): Promise<LivePatchAnswer> {
    const { record } = this
    checkPatch(record, request)
    let fromStep = 0
    // The step may have changed since the last look.
    await this.watch.look(
      () => record.changes,
      () => {
        fromStep = this.watch.translator.state.step + 1
        const earlier = record.changes.filter((change) => change.fromStep < fromStep)
        const changes = [...earlier, { fromStep, live: checked }]
        this.#writeLive(changes)
        record.changes = changes
        this.save()
      },
    )
    this.#tellStatus()
    return { effectiveFromStep: fromStep, live: checked }
  }

  /** The values once all changes are in effect. */
  get latestLive(): LiveParameters {
    return liveOf(this.record, Infinity)
  }

  /** Resolves once the job is asked to end. Cleanup may take minutes, and the run is over after it. Throws GatewayProblem. */
  async stop(): Promise<GatewayRun> {
    const { record } = this
    if (!isOver(record.state)) {
      record.isStopWanted = true
      this.save()
      if (record.handle !== null) await this.#stopJob(record.handle)
    }
    return this.summary
  }

  /** One attempt at a time: a second SIGTERM makes some programs quit without saving. */
  #stopJob(handle: string): Promise<void> {
    this.#stopping ??= this.#askToStop(handle).finally(() => (this.#stopping = null))
    return this.#stopping
  }

  async #askToStop(handle: string): Promise<void> {
    await this.#context.backend.stop(handle)
    this.#cleaning ??= this.#context.cleanup(this.record).then((problem) => {
      if (problem !== null) this.notice(problem)
    })
  }

  notice(text: string): void {
    const notice = this.#context.redactor.text(text)
    if (this.record.notices.includes(notice)) return
    this.record.notices = [...this.record.notices, notice].slice(-MOST_NOTICES)
    this.save()
    this.#tellStatus()
  }

  /** Does not throw: #follow repeats what failed. */
  save(): void {
    try {
      this.#write()
      this.#isSaved = true
    } catch (error) {
      this.#isSaved = false
      this.notice(`The gateway could not save the run and tries again: ${errorText(error)}`)
    }
  }

  #write(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    replaceFile(join(this.folder, 'run.json'), `${JSON.stringify(this.record)}\n`, 0o600)
  }

  /** Stops watching, not the job. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.#work
    await this.#cleaning
    await this.watch.close()
  }

  #tellStatus(): void {
    // There is nothing to report while the watch is being created.
    if (!(this.watch as RunWatch | undefined)) return
    const { summary } = this
    const text = JSON.stringify(summary)
    if (text === this.#lastStatus) return
    this.#lastStatus = text
    this.#emitter.emit('status', summary)
  }

  #writeLive(changes: readonly LiveChange[]): void {
    const folder = join(this.#context.checkout, this.record.runId)
    mkdirSync(folder, { recursive: true })
    replaceFile(join(folder, LIVE_FILE), liveFileText(changes), 0o644)
  }

  #job(): JobRequest {
    return { id: this.record.runId, script: join(this.folder, 'launch.sh'), folder: this.folder }
  }

  #source(): DumpSource {
    const { system, runId, config } = this.record
    const { checkout, limits } = this.#context
    return { system, checkout, project: runId, config, groupsPerStep: limits.groupsPerStep }
  }
}
