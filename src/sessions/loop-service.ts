/**
 * The service of the loop worker: starts a run, controls it, and streams its events to the listener. One run at a time;
 * starting another ends the current one. The worker decides how models and world are opened.
 */
import type { Component } from '../method/loop-contract.ts'
import type { LivePatch } from '../method/settings.ts'
import { RoleModelError } from '../roles/error.ts'
import { checkLearners } from '../roles/learning.ts'
import { sourcesOf, type ServerKeys } from '../roles/source.ts'
import { RunInUseError, type RunLocks } from '../runs/run-locks.ts'
import type { ResumableRun, ResumableRunStore, RunSummary } from '../runs/run-store.ts'
import { errorText } from '../threads/error-text.ts'
import { CurrentRun } from './current-run.ts'
import { failureOf, resumeFailure, inUseFailure, keyMissing, OpeningError } from './failures.ts'
import { branchOf, resumingRequest, serverWithoutKey, startedSummary } from './kept-request.ts'
import type { BranchRequest, RunMessage, RunStatus, StartRequest, SwapRequest, SwapResult } from './messages.ts'
import { loadCheckpoint, type OpenedRun, type OpenRun } from './opened-run.ts'
import { replayHistory } from './replay-history.ts'
import { RunClaims, type Claim } from './run-claim.ts'
import { StoreOpener } from './store-opener.ts'
import { logFile, type StoredSession } from './whole-log.ts'

export type {
  BackendWish,
  BranchRequest,
  RunFailure,
  RunMessage,
  RunStatus,
  StartRequest,
  SwapRequest,
  SwapResult,
} from './messages.ts'

export interface LoopServiceOptions {
  open: OpenRun
  /** Rejects if the browser keeps nothing; the run then continues without a store. */
  openStore: () => Promise<ResumableRunStore>
  /** Keeps other tabs from a run while it runs here. None by default. */
  locks?: Pick<RunLocks, 'take'>
  /** Iterations between checkpoints. */
  checkpointEvery?: number
}

const WAITS_FOR_TAB: RunStatus = { state: 'loading', what: 'a run that another tab may still use', done: 0, total: 0 }

/** How a run begins other than at the start of a new log, and whether it runs a single step. */
interface Beginning {
  isStep?: boolean
  resumed?: Pick<ResumableRun, 'history' | 'checkpoint'>
}

export class LoopService {
  readonly #options: LoopServiceOptions
  #send: (message: RunMessage) => void = () => {}
  #current: CurrentRun | null = null
  /** Resolves when the current or last run has ended and its workers are gone; never rejects. */
  #ended: Promise<void> = Promise.resolve()
  #log: StoredSession | null = null
  #isSparing = false
  readonly #store: StoreOpener
  readonly #claims: RunClaims

  constructor(options: LoopServiceOptions) {
    this.#options = options
    this.#store = new StoreOpener(options.openStore)
    this.#claims = new RunClaims(options.locks)
  }

  /** Sends all messages to this listener from now on. The promise stays pending. */
  listen(onMessage: (message: RunMessage) => void): Promise<never> {
    this.#send = onMessage
    return new Promise(() => {})
  }

  /** Whether the runs that begin or continue from now on spare the device. */
  async spare(isSparing: boolean): Promise<void> {
    this.#isSparing = isSparing
  }

  /** Loads the models and starts the run; resolves when it is running. */
  async start(request: StartRequest): Promise<void> {
    const claim = await this.#claim(request.runId)
    if (claim) await this.#begin(claim, request)
  }

  /** The whole log of the current or last run as a JSON lines file. Null if nothing has run. */
  async exportLog(): Promise<{ runId: string; file: Blob } | null> {
    if (this.#log === null) return null
    const { runId } = this.#log
    return { runId, file: await logFile(this.#log) }
  }

  /** Resumes a kept run at its last checkpoint, and sends its events from the start. `keys` are those of its servers. */
  async resumeRun(runId: string, keys?: ServerKeys): Promise<void> {
    const claim = await this.#claim(runId)
    if (claim === null) return
    try {
      const resumable = await this.#store.prepare((store) => store.prepareResume(runId))
      if (!this.#claims.holds(claim)) return
      if (!resumable)
        throw new Error(`Run "${runId}" has no checkpoint to resume from. Start it again with its settings.`)
      await this.#continue(claim, resumable, keys)
    } catch (error) {
      this.#claims.free(claim)
      throw error
    }
  }

  /**
   * Branches from a kept run and continues the branch. If a key is missing, sends a failure and creates no branch. Throws
   * SettingsError for an invalid change.
   */
  async branchRun(request: BranchRequest): Promise<void> {
    const { from, iteration, runId, keys } = request
    const claim = await this.#claim(runId)
    if (claim === null) return
    try {
      const resumable = await this.#store.prepare(async (store) => {
        const source = await store.summary(from)
        const summary = source && (await store.branch(from, iteration, branchOf(request, source.settings.world)))
        if (!summary) return null
        if (!this.#claims.holds(claim) || serverWithoutKey(summary, keys) !== undefined) {
          await store.remove(runId)
          return { summary }
        }
        return store.prepareResume(runId)
      })
      if (!this.#claims.holds(claim)) return
      if (!resumable) {
        throw new Error(
          `Run "${from}" has no checkpoint of iteration ${iteration}. Choose an iteration from the list of its checkpoints.`,
        )
      }
      if (await this.#refuseWithoutKey(resumable.summary, keys)) return
      if ('history' in resumable) await this.#continue(claim, resumable, keys)
    } catch (error) {
      this.#claims.free(claim)
      throw error
    }
  }

  async #continue(claim: Claim, run: ResumableRun, keys: ServerKeys = {}): Promise<void> {
    if (await this.#refuseWithoutKey(run.summary, keys)) return
    const { history, checkpoint } = run
    await this.#begin(claim, resumingRequest(run, keys), { resumed: { history, checkpoint } })
  }

  /** If a server's key is missing, ends the current run and sends a failure. */
  async #refuseWithoutKey(summary: RunSummary, keys: ServerKeys = {}): Promise<boolean> {
    const missing = serverWithoutKey(summary, keys)
    if (missing === undefined) return false
    await this.#end()
    this.#report(summary.runId, { state: 'failed', failure: keyMissing(missing) })
    return true
  }

  /** A run that is still being opened rests before its first iteration, without a further sign of loading. */
  async pause(): Promise<void> {
    if (this.#claims.opening) this.#claims.opening.isPaused = true
    else this.#current?.session.pause()
  }

  async resume(): Promise<void> {
    if (this.#claims.opening) this.#claims.opening.isPaused = false
    else this.#current?.session.resume()
  }

  async stop(): Promise<void> {
    const { opening } = this.#claims
    if (opening !== null) this.#report(opening.runId, { state: 'finished', reason: 'stopped' })
    await this.#end()
  }

  /**
   * Runs one iteration, then pauses; with `only`, trains or adapts that component alone. Starts `request` if no run is active.
   * Throws RoleModelError if that component cannot learn.
   */
  async stepOnce(only?: Component, request?: StartRequest): Promise<void> {
    const sources = this.#current?.models.sources ?? sourcesOf(request?.models)
    checkLearners(sources, { trainPolicy: only === 'policy', trainReward: only === 'reward' })
    const run = this.#current === null && request !== undefined ? await this.#beginStep(request) : this.#current
    run?.session.stepOnce(only)
  }

  /** Null for a run that was stopped while it loaded, when another may be current by now, or paused: it takes no step. */
  async #beginStep(request: StartRequest): Promise<CurrentRun | null> {
    const claim = await this.#claim(request.runId)
    const run = claim && (await this.#begin(claim, request, { isStep: true }))
    return claim?.isPaused ? null : run
  }

  /**
   * Takes effect at the next iteration. Throws SettingsError, and RoleModelError if a model that should learn cannot. Waits for a run
   * that is still being opened: its settings and models are not known before.
   */
  async patch(patch: LivePatch): Promise<void> {
    const { opening } = this.#claims
    if (opening && !(await opening.opened)) return
    const { trainPolicy = false, trainReward = false } = patch
    if (this.#current) checkLearners(this.#current.models.sources, { trainPolicy, trainReward })
    this.#current?.session.patch(patch)
  }

  /**
   * Gives a role of the current run another model from the next iteration on, logged and stored as a change of the run. Resolves when
   * it plays, or when it is known that it will not.
   */
  async replaceModel(swap: SwapRequest): Promise<SwapResult> {
    const { session, models } = this.#current ?? {}
    if (!session || !models) return { state: 'dropped' }
    try {
      const result = await session.replaceModel(models.exchange(swap, () => session.settings))
      if (result.state === 'kept') models.keep(swap.role)
      return result
    } catch (error) {
      if (error instanceof RoleModelError) return { state: 'kept', why: error.message }
      throw error
    }
  }

  /** Null if the run was cancelled, or a failure was sent. */
  async #begin(claim: Claim, request: StartRequest, beginning: Beginning = {}): Promise<CurrentRun | null> {
    const opened = await this.#openModels(claim, request, beginning)
    if (opened === null) return null
    try {
      const run = await this.#startSession(claim, request, opened, beginning)
      if (run === null) opened.close()
      return run
    } catch (error) {
      opened.close()
      this.#claims.free(claim)
      throw error
    }
  }

  /** Null if the run was cancelled, or a failure was sent. */
  async #openModels(claim: Claim, request: StartRequest, { resumed }: Beginning): Promise<OpenedRun | null> {
    const { runId } = request
    const loading = (done: number, total: number) => {
      if (this.#claims.holds(claim) && !claim.isPaused) this.#reportLoading(runId, done, total)
    }
    loading(0, 0)
    let opened: OpenedRun | null = null
    try {
      opened = await this.#open(request, resumed !== undefined, loading)
      if (resumed) await loadCheckpoint(opened, resumed.checkpoint)
      if (this.#claims.holds(claim)) return opened
      opened.close()
    } catch (error) {
      opened?.close()
      if (!this.#claims.holds(claim)) return null
      this.#claims.free(claim)
      const what = 'The models could not be loaded.'
      const explain = () => (resumed ? resumeFailure(what, error, request) : failureOf(what, error, request))
      this.#report(runId, { state: 'failed', failure: error instanceof OpeningError ? error.failure : explain() })
    }
    return null
  }

  #open(request: StartRequest, isResumed: boolean, onBytes: (done: number, total: number) => void): Promise<OpenedRun> {
    const { runId } = request
    return this.#options.open(request, {
      isResumed,
      isSparing: this.#isSparing,
      onBytes,
      onNotice: (text) => this.#send({ type: 'notice', runId, text }),
      onBackend: (choice) => this.#send({ type: 'backend', runId, choice }),
    })
  }

  /** Null if the run was cancelled. */
  async #startSession(
    claim: Claim,
    request: StartRequest,
    opened: OpenedRun,
    { isStep = false, resumed }: Beginning,
  ): Promise<CurrentRun | null> {
    const { runId } = request
    const { settings = request.settings } = opened
    const notice = (text: string) => this.#send({ type: 'notice', runId, text })
    let store = await this.#store.open(notice)
    try {
      if (!resumed && this.#claims.holds(claim)) await store?.create(startedSummary({ ...request, settings }))
    } catch (error) {
      notice(errorText(error))
      store = null
    }
    const isWanted = () => this.#claims.holds(claim)
    if (resumed && store) await replayHistory(store, runId, isWanted, (message) => this.#send(message))
    if (!isWanted()) return null
    const run = new CurrentRun({
      ...{ request, opened, store },
      open: (next) => this.#open(next, true, (done, total) => this.#reportLoading(runId, done, total)),
      checkpointEvery: this.#options.checkpointEvery ?? 2,
      isPausedAtStart: isStep || claim.isPaused,
      ...(resumed && { resumed }),
      onMessage: (message) => this.#send(message),
    })
    // From here on, whatever ends the run finds its session.
    this.#claims.endOpening(true)
    this.#current = run
    this.#log = { runId, session: run.session, store }
    this.#ended = run.play().finally(() => {
      if (this.#current !== run) return
      this.#current = null
      this.#claims.release()
    })
    return run
  }

  /** Ends the current run and takes the lock of another. Null, after a failure was sent, if another tab uses it. */
  async #claim(runId: string): Promise<Claim | null> {
    const ended = this.#end()
    // At once, so that a stop in the meantime finds it.
    const claim = this.#claims.claim(runId)
    await ended
    if (!this.#claims.holds(claim)) return null
    try {
      const isLocked = await this.#claims.lock(claim, () => this.#report(runId, WAITS_FOR_TAB))
      return isLocked ? claim : null
    } catch (error) {
      if (!(error instanceof RunInUseError)) throw error
      this.#report(runId, { state: 'failed', failure: inUseFailure(error) })
      return null
    }
  }

  /** Ends the current run, and cancels one that is still being opened. */
  async #end(): Promise<void> {
    this.#claims.endOpening(false)
    this.#current?.session.stop()
    this.#current?.models.interrupt()
    await this.#ended
    await this.#store.prepared
    this.#claims.release()
  }

  #report(runId: string, status: RunStatus): void {
    this.#send({ type: 'status', runId, status })
  }

  #reportLoading(runId: string, done: number, total: number): void {
    this.#report(runId, { state: 'loading', what: 'the models', done, total })
  }
}
