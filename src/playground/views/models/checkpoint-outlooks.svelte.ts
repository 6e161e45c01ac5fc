/** What is known about the checkpoints in the forms. Each is looked up once, after its address stays unchanged for a moment. */
import { SvelteMap } from 'svelte/reactivity'
import { lookAtCheckpoint, type CheckpointOutlook } from '../../../engines/transformer/checkpoint-outlook.ts'
import { errorText } from '../../../threads/error-text.ts'

type Outlook = { state: 'looking' } | { state: 'known'; outlook: CheckpointOutlook } | { state: 'unknown'; why: string }

/** Skips addresses while they are being typed. */
const DELAY_MS = 500

export class CheckpointOutlooks {
  readonly #byLocation = new SvelteMap<string, Outlook>()

  of(location: string): Outlook | null {
    return this.#byLocation.get(location) ?? null
  }

  /** Looks a folder up soon, unless it is known; returns a function that cancels this. */
  want(location: string): () => void {
    const timer = setTimeout(() => {
      if (!this.#byLocation.has(location)) void this.#look(location)
    }, DELAY_MS)
    return () => clearTimeout(timer)
  }

  /** Looks the folder up again next time, because it may have changed or become reachable. */
  forget(location: string): void {
    this.#byLocation.delete(location)
  }

  async #look(location: string): Promise<void> {
    this.#byLocation.set(location, { state: 'looking' })
    try {
      this.#byLocation.set(location, { state: 'known', outlook: await lookAtCheckpoint(location) })
    } catch (error) {
      this.#byLocation.set(location, { state: 'unknown', why: errorText(error) })
    }
  }
}
