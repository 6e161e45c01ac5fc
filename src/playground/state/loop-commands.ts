/**
 * Starts and steers the run in this tab. What comes back from the loop goes to the feed, and so does what went wrong: a run that
 * cannot start or continue has failed, and a run that refuses a command continues with a notice.
 */
import type { Component } from '../../method/loop-contract.ts'
import type { LivePatch } from '../../method/settings.ts'
import type { ServerKeys } from '../../roles/source.ts'
import type { BranchRequest, StartRequest, SwapRequest, SwapResult } from '../../sessions/loop-service.ts'
import type { LoopPort, OpenLoop } from './loop-port.ts'
import type { RunFeed } from './run-feed.svelte.ts'
import { errorText } from '../../threads/error-text.ts'

export class LoopCommands {
  readonly #open: OpenLoop
  readonly #feed: RunFeed
  #port: LoopPort | null = null

  constructor(open: OpenLoop, feed: RunFeed) {
    this.#open = open
    this.#feed = feed
  }

  /** Whether the runs that begin or continue from now on spare the device. */
  async spare(isSparing: boolean): Promise<void> {
    await this.#try((port) => port.spare(isSparing), 'The run could not be started.')
  }

  async start(request: StartRequest): Promise<void> {
    this.#feed.expect(request.runId)
    await this.#try((port) => port.start(request), 'The run could not be started.')
  }

  /** Continues a kept run, as its last checkpoint left it. `keys` belong to the servers of its models. */
  async resumeKept(runId: string, keys: ServerKeys, onCaughtUp: () => void): Promise<void> {
    this.#feed.expect(runId, onCaughtUp)
    await this.#try((port) => port.resumeRun(runId, keys), 'The run could not be continued.')
  }

  /** Continues from a checkpoint of a kept run as a new run. */
  async branch(request: BranchRequest): Promise<void> {
    this.#feed.expect(request.runId)
    await this.#try((port) => port.branchRun(request), 'The run could not branch.')
  }

  async pause(): Promise<void> {
    const takeBack = this.#feed.awaitPause()
    if (!(await this.#steer((port) => port.pause(), 'The run could not be paused.'))) takeBack()
  }

  async resume(): Promise<void> {
    await this.#try((port) => port.resume(), 'The run could not be continued.')
  }

  async stop(): Promise<void> {
    await this.#steer((port) => port.stop(), 'The run could not be stopped.')
  }

  /** Runs one iteration, of the run that is open or of a new one. */
  async stepOnce(only: Component | undefined, request: StartRequest): Promise<void> {
    const what = 'The iteration could not be run.'
    if (this.#feed.isOpen) {
      await this.#steer((port) => port.stepOnce(only), what)
      return
    }
    this.#feed.expect(request.runId)
    await this.#try((port) => port.stepOnce(only, request), what)
  }

  /** False if the run that is open refused the change. */
  async patch(patch: LivePatch): Promise<boolean> {
    return !this.#feed.isOpen || this.#steer((port) => port.patch(patch), 'The setting could not be changed.')
  }

  /** Gives the run that is open another model. */
  async replaceModel(swap: SwapRequest): Promise<SwapResult> {
    if (!this.#feed.isOpen || !this.#port) return { state: 'dropped' }
    try {
      return await this.#port.replaceModel(swap)
    } catch (cause) {
      return { state: 'kept', why: errorText(cause) }
    }
  }

  /** The log so far as a file; null before the first run. */
  async exportLog(): Promise<{ runId: string; file: Blob } | null> {
    return (await this.#port?.exportLog()) ?? null
  }

  /** False if the run refused the command; it is still open then, and a notice says why. */
  async #steer(command: (port: LoopPort) => Promise<void>, what: string): Promise<boolean> {
    const { runId } = this.#feed
    this.#feed.refuse(null)
    try {
      await command(this.#connect())
    } catch (cause) {
      // A run that ended meanwhile, as with its worker, has reported why.
      if (this.#feed.runId !== runId || !this.#feed.isOpen) return true
      this.#feed.refuse(`${what} ${errorText(cause)}`)
      return false
    }
    return true
  }

  /** Fails the run if the command does, unless another has begun meanwhile. */
  async #try(command: (port: LoopPort) => Promise<void>, what: string): Promise<void> {
    const { runId } = this.#feed
    try {
      await command(this.#connect())
    } catch (cause) {
      if (this.#feed.runId !== runId) return
      const why = errorText(cause)
      const remedy = 'Press Run to start again. If it fails again, choose another preset or reload the page.'
      this.#feed.fail({ what, why, remedy })
    }
  }

  #connect(): LoopPort {
    this.#port ??= this.#open(
      (message) => this.#feed.hear(message),
      (why) => this.#lose(why),
    )
    return this.#port
  }

  #lose(why: string): void {
    this.#port = null
    if (!this.#feed.isOpen) return
    const remedy = 'Press Run to start again; the page opens a new worker for it.'
    this.#feed.fail({ what: 'The run was interrupted because its worker stopped.', why, remedy })
  }
}
