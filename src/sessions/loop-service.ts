/**
 * What the loop worker answers to: starts a run, steers it, and streams what happens to whoever listens. One run at a
 * time; starting another ends the one before. How models and environment are opened is the worker's business.
 */
import type { BackendChoice } from '../engines/backends/choice.ts'
import type { BackendWish } from './open-players.ts'
import { RemoteError } from '../engines/remote/remote-error.ts'
import { RoleModelError } from '../roles/error.ts'
import { checkLearners } from '../roles/learning.ts'
import { ROLES, type Role } from '../method/ports.ts'
import { keptSource, keyFor, serversOf, type RoleSource, type ServerKeys, sourcesOf } from '../roles/source.ts'
import type { LoggedEvent, RunEvent } from '../method/events.ts'
import { runLoop } from '../method/loop.ts'
import type { Component, LoopPorts, LoopRequest } from '../method/loop-contract.ts'
import { applyPatch, type LivePatch, type Settings } from '../method/settings.ts'
import { EventBatcher } from './event-batcher.ts'
import { readableEvent } from '../runs/readable-event.ts'
import {
  newSummary,
  type ResumableRun,
  type ResumableRunStore,
  type RunStore,
  type RunSummary,
} from '../runs/run-store.ts'
import { eventLine, headerLine } from '../runs/run-log.ts'
import { LoopSession, type SessionState } from './loop-session.ts'

export type { BackendWish }

export interface StartRequest {
  runId: string
  preset: string
  settings: Settings
  /** Iterations to run before the run ends by itself. */
  iterations: number
  /** `auto` unless given. */
  backend?: BackendWish
  /** Who plays; the built-in models unless given. */
  models?: Partial<Record<Role, RoleSource>>
  /** Of servers among them. They are not kept: a run that goes on later is given them again. */
  keys?: ServerKeys
}

/** Another future of a kept run: the same until a checkpoint, then under other settings. */
export interface BranchRequest {
  /** The kept run, and an iteration of which it has a checkpoint. */
  from: string
  iteration: number
  runId: string
  patch: LivePatch
  /** Of the branch, those of the run before it included. */
  iterations: number
  /** Of servers among its models. */
  keys?: ServerKeys
}

/** In words for people: what happened, why, and what they can do. */
export interface RunFailure {
  what: string
  why: string
  remedy: string
  /** Address of a server that wants another key, with which the run could go on. */
  keyFor?: string
}

export type RunStatus =
  | { state: 'idle' }
  /** Bytes; `total` is 0 where it is not known. */
  | { state: 'loading'; what: string; done: number; total: number }
  | { state: 'running' }
  | { state: 'pausing' }
  | { state: 'paused' }
  | { state: 'finished'; reason: 'completed' | 'stopped' }
  | { state: 'failed'; failure: RunFailure }

/** One stream for all, so that a status never overtakes the events before it. */
export type RunMessage =
  /** Readable ones (readable-event.ts). */
  | { type: 'events'; runId: string; batch: RunEvent[] }
  | { type: 'status'; runId: string | null; status: RunStatus }
  /** What computes the run, and why. */
  | { type: 'backend'; runId: string; choice: BackendChoice }
  /** The run goes on, but a person should know. */
  | { type: 'notice'; runId: string | null; text: string }

/** Thrown where a run cannot be opened and it is not for its models; `failure` is what people are told. */
export class OpeningError extends Error {
  override readonly name = 'OpeningError'
  readonly failure: RunFailure

  constructor(failure: RunFailure, options?: ErrorOptions) {
    super(failure.why, options)
    this.failure = failure
  }
}

export interface OpenedRun {
  ports: LoopPorts
  backend: 'cpu' | 'webgpu'
  /** Names of the models, as the log has them. */
  models: LoopRequest['models']
  /**
   * Gives up what the world is doing: the run has been stopped, and nobody waits for it any more. Programs may be judged
   * for minutes.
   */
  interrupt?(): void
  close(): void
}

export interface LoopServiceOptions {
  open: (
    request: StartRequest,
    context: {
      /** The run goes on from a checkpoint: its tasks are in its log. */
      isResumed: boolean
      onBytes: (done: number, total: number) => void
      onNotice: (text: string) => void
      onBackend: (choice: BackendChoice) => void
    },
  ) => Promise<OpenedRun>
  /** Rejects where the browser keeps nothing; the run then goes on without a store. */
  openStore: () => Promise<ResumableRunStore>
  /** Iterations between checkpoints. */
  checkpointEvery?: number
}

/** A message is read in one task of the page's thread, so a long history goes in many. */
const EVENTS_PER_MESSAGE = 32

/** Of a log that is written in parts. */
const EVENTS_PER_PART = 512

const KEEPS_NOTHING: RunStore = {
  create: async () => {},
  append: async () => {},
  saveCheckpoint: async () => {},
  finish: async () => {},
}

interface CurrentRun {
  session: LoopSession
  sources: Record<Role, RoleSource>
  interrupt(): void
  /** Settles when the run has ended and its workers are gone; never rejects. */
  ended: Promise<void>
}

export class LoopService {
  readonly #options: LoopServiceOptions
  #send: (message: RunMessage) => void = () => {}
  #current: CurrentRun | null = null
  #log: { runId: string; session: LoopSession; store: ResumableRunStore | null } | null = null
  #store: Promise<ResumableRunStore | null> | null = null
  /** Of the run whose models are loading; one that is not in here any more when it has loaded is wanted no more. */
  #loading: StartRequest | null = null

  constructor(options: LoopServiceOptions) {
    this.#options = options
  }

  /** Hears of everything from now on, in place of the listener before. Pending for as long as the worker lives. */
  listen(onMessage: (message: RunMessage) => void): Promise<never> {
    this.#send = onMessage
    return new Promise(() => {})
  }

  /** Loads what is asked for and runs; resolves when the run is under way. */
  async start(request: StartRequest): Promise<void> {
    await this.#begin(request, false)
  }

  /** The log of the run under way, or of the last one: whole, as a file of lines. Null if nothing has run. */
  async exportLog(): Promise<{ runId: string; file: Blob } | null> {
    if (this.#log === null) return null
    const { runId } = this.#log
    const parts: BlobPart[] = [headerLine()]
    // In parts, because a string has an end that a long log reaches.
    for await (const events of wholeLog(this.#log)) parts.push(events.map(eventLine).join(''))
    return { runId, file: new Blob(parts, { type: 'application/jsonl' }) }
  }

  /** Takes up a kept run at its last checkpoint, and tells its events again from the start. `keys` are of its servers. */
  async resumeRun(runId: string, keys?: ServerKeys): Promise<void> {
    const resumable = await (await this.#openStore())?.prepareResume(runId)
    if (!resumable) throw new Error(`Run "${runId}" has no checkpoint to go on from. Start it again with its settings.`)
    await this.#goOn(resumable, keys)
  }

  /**
   * Puts a branch beside a kept run and goes on with it; where a key is missing, the failure says so and there is no branch. Throws
   * SettingsError for a change that a run cannot take.
   */
  async branchRun({ from, iteration, runId, patch, iterations, keys }: BranchRequest): Promise<void> {
    const store = await this.#openStore()
    const summary = await store?.branch(from, iteration, { runId, iterations })
    if (!store || !summary) {
      throw new Error(
        `Run "${from}" has no checkpoint of iteration ${iteration}. Choose an iteration that the list of its checkpoints has.`,
      )
    }
    try {
      applyPatch(
        summary.changes.reduce((settings, change) => applyPatch(settings, change.patch), summary.settings),
        patch,
      )
    } catch (error) {
      await store.remove(runId)
      throw error
    }
    if (await this.#lacksKey(summary, keys)) return store.remove(runId)
    const resumable = await store.prepareResume(runId)
    if (!resumable) throw new Error(`The branch "${runId}" was deleted before it could go on.`)
    await this.#goOn(resumable, keys, patch)
  }

  async #goOn({ summary, history, checkpoint }: ResumableRun, keys: ServerKeys = {}, patch?: LivePatch): Promise<void> {
    const started = history.find((event) => event.type === 'run-started')
    const request: StartRequest = {
      runId: summary.runId,
      preset: summary.preset,
      settings: started?.settings ?? summary.settings,
      iterations: Math.max(1, summary.iterations - checkpoint.iteration),
      ...(started?.backend === 'cpu' || started?.backend === 'webgpu' ? { backend: started.backend } : {}),
      ...(summary.models && { models: keptSources(summary.models) }),
      keys,
    }
    if (await this.#lacksKey(summary, keys)) return
    await this.#begin(request, false, { history, checkpoint, ...(patch && { patch }) })
  }

  /** Ends what is under way and says which server's key is missing, if one is. */
  async #lacksKey({ runId, keyedServers }: RunSummary, keys: ServerKeys = {}): Promise<boolean> {
    const unnamed = keyedServers?.find((address) => keyFor(keys, address) === null)
    if (unnamed === undefined) return false
    await this.#end()
    this.#send({ type: 'status', runId, status: { state: 'failed', failure: keyMissing(unnamed) } })
    return true
  }

  async pause(): Promise<void> {
    this.#current?.session.pause()
  }

  async resume(): Promise<void> {
    this.#current?.session.resume()
  }

  async stop(): Promise<void> {
    const loading = this.#loading
    if (loading !== null) {
      const status: RunStatus = { state: 'finished', reason: 'stopped' }
      this.#send({ type: 'status', runId: loading.runId, status })
    }
    await this.#end()
  }

  /**
   * One iteration, then paused; of one component alone if `only` is given. Starts `request` if no run is under way. Throws
   * RoleModelError where that component cannot learn.
   */
  async stepOnce(only?: Component, request?: StartRequest): Promise<void> {
    const sources = this.#current?.sources ?? sourcesOf(request?.models)
    checkLearners(sources, { trainPolicy: only === 'policy', trainReward: only === 'reward' })
    if (this.#current === null && request !== undefined) await this.#begin(request, true)
    this.#current?.session.stepOnce(only)
  }

  /** Takes effect at the next iteration. Throws SettingsError, and RoleModelError where a model is to learn that cannot. */
  async patch(patch: LivePatch): Promise<void> {
    const { trainPolicy = false, trainReward = false } = patch
    if (this.#current) checkLearners(this.#current.sources, { trainPolicy, trainReward })
    this.#current?.session.patch(patch)
  }

  async saveCheckpoints(): Promise<void> {
    await this.#current?.session.saveCheckpoints()
  }

  async #begin(
    request: StartRequest,
    isPausedAtStart: boolean,
    resumed?: Pick<ResumableRun, 'history' | 'checkpoint'> & { patch?: LivePatch },
  ): Promise<void> {
    await this.#end()
    this.#loading = request
    const { runId } = request
    const notice = (text: string) => this.#send({ type: 'notice', runId, text })
    const status = (value: RunStatus) => this.#send({ type: 'status', runId, status: value })
    const loading = (done: number, total: number) => {
      if (this.#loading === request) status({ state: 'loading', what: 'the models', done, total })
    }
    loading(0, 0)
    let opened: OpenedRun | null = null
    try {
      opened = await this.#options.open(request, {
        isResumed: resumed !== undefined,
        onBytes: loading,
        onNotice: notice,
        onBackend: (choice) => this.#send({ type: 'backend', runId, choice }),
      })
      if (resumed) {
        const { policy, reward } = opened.ports
        await Promise.all([
          policy.loadCheckpoint(resumed.checkpoint.policy),
          reward.loadCheckpoint(resumed.checkpoint.reward),
        ])
      }
    } catch (error) {
      opened?.close()
      if (this.#loading !== request) return
      this.#loading = null
      const failure =
        error instanceof OpeningError ? error.failure : failureOf('The models could not be loaded.', error, request)
      status({ state: 'failed', failure })
      return
    }
    const kept = await this.#openStore(notice)
    const store = kept ?? KEEPS_NOTHING
    const keyedServers = serversOf(Object.values(request.models ?? {})).filter(
      (address) => keyFor(request.keys ?? {}, address) !== null,
    )
    if (!resumed)
      await store
        .create(newSummary({ ...request, ...(keyedServers.length > 0 && { keyedServers }) }))
        .catch((error: unknown) => notice(messageOf(error)))
    if (this.#loading !== request) {
      opened.close()
      return
    }
    this.#loading = null
    const send = (batch: RunEvent[]) => this.#send({ type: 'events', runId, batch: batch.map(readableEvent) })
    for await (const part of resumed && kept ? kept.readEvents(runId) : [])
      for (let i = 0; i < part.length; i += EVENTS_PER_MESSAGE) send(part.slice(i, i + EVENTS_PER_MESSAGE))
    const batcher = new EventBatcher(send)
    let hasToldOfStore = false
    const session = new LoopSession({
      loop: runLoop,
      ports: opened.ports,
      // Sources and keys stay here.
      request: {
        runId,
        preset: request.preset,
        settings: request.settings,
        backend: opened.backend,
        models: opened.models,
      },
      iterations: request.iterations,
      store,
      checkpointEvery: this.#options.checkpointEvery ?? 2,
      isPausedAtStart,
      ...(resumed && { history: resumed.history }),
      forgetsStored: kept !== null,
      onEvent: (event) => batcher.push(event),
      onState: (state) => {
        batcher.flush()
        status(statusOf(state))
      },
      onStoreFailure: (error) => {
        if (!hasToldOfStore) notice(messageOf(error))
        hasToldOfStore = true
      },
    })
    if (resumed?.patch) session.patch(resumed.patch)
    const ended = session
      .run()
      .then(() => {})
      .catch((error: unknown) => {
        batcher.flush()
        status({ state: 'failed', failure: failureOf('The run ended early.', error, request) })
      })
      .finally(() => {
        opened.close()
        if (this.#current?.session === session) this.#current = null
      })
    this.#current = { session, sources: sourcesOf(request.models), ended, interrupt: () => opened.interrupt?.() }
    this.#log = { runId, session, store: kept }
  }

  /** Ends the run under way, and forgets one that is still loading. */
  async #end(): Promise<void> {
    this.#loading = null
    this.#current?.session.stop()
    this.#current?.interrupt()
    await this.#current?.ended
  }

  async #openStore(notice?: (text: string) => void): Promise<ResumableRunStore | null> {
    this.#store ??= this.#options.openStore().catch((error: unknown) => {
      notice?.(messageOf(error))
      return null
    })
    return this.#store
  }
}

function statusOf(state: SessionState): RunStatus {
  return state === 'completed' || state === 'stopped' ? { state: 'finished', reason: state } : { state }
}

/** The whole log, from the store and, where that could not take it or has not yet, from the run itself. */
async function* wholeLog(of: {
  runId: string
  session: LoopSession
  store: ResumableRunStore | null
}): AsyncGenerator<readonly LoggedEvent[]> {
  // As it is now: what is stored while this reads is let go of there.
  const log = [...of.session.log]
  let next = 0
  for await (const events of of.store?.readEvents(of.runId, 0, log.length) ?? []) {
    const part: LoggedEvent[] = []
    for (const event of events) {
      part.push(...log.slice(next, event.seq), event)
      next = event.seq + 1
    }
    yield part
  }
  for (; next < log.length; next += EVENTS_PER_PART) yield log.slice(next, next + EVENTS_PER_PART)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Of an error that has such words of its own, these. */
function failureOf(what: string, error: unknown, { models = {} }: StartRequest): RunFailure {
  if (error instanceof RoleModelError) return { what: error.what, why: error.why, remedy: error.remedy }
  if (error instanceof RemoteError) {
    const refusing = serversOf(Object.values(models)).find((address) => new URL(address).origin === error.keyOrigin)
    return {
      what: error.what,
      why: error.why,
      remedy: error.remedy,
      ...(refusing !== undefined && { keyFor: refusing }),
    }
  }
  return {
    what,
    why: messageOf(error),
    remedy:
      'Start the run again. If it fails again, reload the page: a run with a checkpoint is offered there to go on.',
  }
}

function keptSources(kept: NonNullable<RunSummary['models']>): Partial<Record<Role, RoleSource>> {
  return Object.fromEntries(
    ROLES.flatMap((role) => {
      const source = kept[role]
      return source === undefined ? [] : [[role, keptSource(source)]]
    }),
  )
}

function keyMissing(address: string): RunFailure {
  return {
    what: 'The run could not go on.',
    why: `It has a model on ${address} with a key, and keys are not kept.`,
    remedy: 'Give the key again, here or under Models, and the run goes on; it is kept as it was.',
    keyFor: address,
  }
}
