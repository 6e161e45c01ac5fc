/**
 * A run that an earlier visit left unfinished, and that can go on: this browser keeps logs and checkpoints. A run that
 * another tab is busy with is not offered; whoever runs one holds a lock of its name until the tab closes.
 */
import { IndexedDbRunStore } from '../../runs/indexeddb-store.ts'

export interface UnfinishedRun {
  runId: string
  preset: string
  /** Asked for, and finished with a checkpoint of the last. */
  iterations: number
  finishedIterations: number
  /** When something last happened in it, milliseconds since 1970. */
  updatedAt: number
}

const lockName = (runId: string) => `run ${runId}`

export class KeptRun {
  #offer = $state.raw<UnfinishedRun | null>(null)
  #release: (() => void) | null = null

  /** Null when there is nothing to go on with, or nothing any more. */
  get offer(): UnfinishedRun | null {
    return this.#offer
  }

  /** Without storage there is nothing to offer, and nothing to say about it before a run is started. */
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

  /** Gives the run out, once. */
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

  /** This tab runs it now, in place of the run before. */
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

/** Pages that are not served over https have none. */
function locks(): LockManager | undefined {
  return (navigator as Partial<Navigator>).locks
}
