/**
 * Offers to resume the run that an earlier visit left unfinished, from the checkpoints that this browser keeps. The tab that
 * runs a run holds a lock of its name, so that other tabs do not offer it.
 */
import { IndexedDbRunStore } from '../../runs/indexeddb-store.ts'

export interface UnfinishedRun {
  runId: string
  preset: string
  /** Requested iterations, and finished ones, the last of which has a checkpoint. */
  iterations: number
  finishedIterations: number
  /** Time of its last event, milliseconds since 1970. */
  updatedAt: number
}

const lockName = (runId: string) => `run ${runId}`

export class KeptRun {
  #offer = $state.raw<UnfinishedRun | null>(null)
  #release: (() => void) | null = null

  /** Null if there is nothing to resume. */
  get offer(): UnfinishedRun | null {
    return this.#offer
  }

  /** Looks for an unfinished run. Offers nothing if the storage cannot be read. */
  async look(): Promise<void> {
    const store = await IndexedDbRunStore.open().catch(() => null)
    if (store === null) return
    try {
      const summary = await store.lastUnfinished()
      const checkpoint = summary?.checkpoints.at(-1)
      if (!summary || !checkpoint || (await isBusyElsewhere(summary.runId))) return
      const { runId, preset, iterations, updatedAt } = summary
      const finishedIterations = checkpoint.iteration
      this.#offer = { runId, preset, iterations, finishedIterations, updatedAt }
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
    const store = await IndexedDbRunStore.open()
    await store.remove(offer.runId).finally(() => store.close())
  }

  /** Marks a run as this tab's, in place of the run before. */
  hold(runId: string): void {
    this.#offer = null
    this.#release?.()
    this.#release = null
    const released = new Promise<void>((resolve) => (this.#release = resolve))
    void locks()?.request(lockName(runId), () => released)
  }
}

async function isBusyElsewhere(runId: string): Promise<boolean> {
  const held = (await locks()?.query())?.held ?? []
  return held.some((lock) => lock.name === lockName(runId))
}

/** Undefined on pages without https. */
function locks(): LockManager | undefined {
  return (navigator as Partial<Navigator>).locks
}
