/**
 * Offers to resume the run that an earlier visit left unfinished, from the checkpoints that this browser keeps. Runs that another
 * tab runs are offered once that tab closes or they end.
 */
import { SvelteSet } from 'svelte/reactivity'
import { IndexedDbRunStore, RUNS_CHANNEL } from '../../runs/indexeddb-store.ts'
import { runLocks, whileFree, type RunLocks } from '../../runs/run-locks.ts'
import { openTabChannel } from '../../storage/browser-storage.ts'
import { errorText } from '../../threads/error-text.ts'

export interface UnfinishedRun {
  runId: string
  preset: string
  /** Requested iterations, and finished ones, the last of which has a checkpoint. */
  iterations: number
  finishedIterations: number
  /** Time of its last event, milliseconds since 1970. */
  updatedAt: number
}

export class KeptRun {
  readonly #locks: RunLocks
  readonly #changes = openTabChannel(RUNS_CHANNEL)
  /** Runs of this visit, which are not offered. */
  readonly #own = new SvelteSet<string>()
  readonly #awaited = new SvelteSet<string>()
  #offer = $state.raw<UnfinishedRun | null>(null)
  #problem = $state.raw<string | null>(null)

  constructor(locks: RunLocks = runLocks()) {
    this.#locks = locks
    // Another tab may have resumed or deleted the run on offer.
    this.#changes.onmessage = () => {
      if (this.#offer !== null) void this.look()
    }
  }

  /** Null if there is nothing to resume. */
  get offer(): UnfinishedRun | null {
    return this.#offer
  }
  /** Why the run could not be discarded; null if it could. */
  get problem(): string | null {
    return this.#problem
  }

  /** Looks for the latest unfinished run. Offers nothing if the storage cannot be read. */
  async look(): Promise<void> {
    const store = await IndexedDbRunStore.open().catch(() => null)
    if (store === null) return
    try {
      const inUse = await this.#locks.inUse()
      const unfinished = (await store.list()).filter(
        ({ runId, isFinished, checkpoints }) => !isFinished && checkpoints.length > 0 && !this.#own.has(runId),
      )
      for (const { runId } of unfinished) if (inUse.has(runId)) this.#lookOnceFree(runId)
      const summary = unfinished.find(({ runId }) => !inUse.has(runId))
      const checkpoint = summary?.checkpoints.at(-1)
      if (!summary || !checkpoint) {
        this.#offer = null
        return
      }
      const { runId, preset, iterations, updatedAt } = summary
      this.#offer = { runId, preset, iterations, finishedIterations: checkpoint.iteration, updatedAt }
    } catch {
      return
    } finally {
      store.close()
    }
  }

  /** Takes the offer, which is then gone. */
  take(): UnfinishedRun | null {
    const offer = this.#offer
    this.#offer = null
    return offer
  }

  async discard(): Promise<void> {
    const offer = this.take()
    if (offer === null) return
    this.#problem = null
    try {
      const store = await IndexedDbRunStore.open()
      await whileFree(this.#locks, offer.runId, () => store.remove(offer.runId)).finally(() => store.close())
    } catch (cause) {
      this.#problem = errorText(cause)
    }
  }

  /** Marks a run as one of this visit. */
  claim(runId: string): void {
    this.#offer = null
    this.#own.add(runId)
  }

  #lookOnceFree(runId: string): void {
    if (this.#awaited.has(runId)) return
    this.#awaited.add(runId)
    void this.#locks.whenFree(runId).then(() => {
      this.#awaited.delete(runId)
      return this.look()
    })
  }
}
