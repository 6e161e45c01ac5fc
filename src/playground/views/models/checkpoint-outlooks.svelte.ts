/** What is known of the checkpoints that the forms name: asked for once each, when an address has stood for a moment. */
import { SvelteMap } from 'svelte/reactivity'
import { lookAtCheckpoint, type CheckpointOutlook } from '../../../engines/transformer/checkpoint-outlook.ts'

export type Outlook =
  { state: 'looking' } | { state: 'known'; outlook: CheckpointOutlook } | { state: 'unknown'; why: string }

/** Nobody wants to hear of every address that one being typed has been. */
const STANDS_MS = 500

export class CheckpointOutlooks {
  readonly #byLocation = new SvelteMap<string, Outlook>()

  of(location: string): Outlook | null {
    return this.#byLocation.get(location) ?? null
  }

  /** Looks at a folder soon, if nobody has; gives how to take that back. */
  want(location: string): () => void {
    const timer = setTimeout(() => {
      if (!this.#byLocation.has(location)) void this.#look(location)
    }, STANDS_MS)
    return () => clearTimeout(timer)
  }

  /** It is looked at anew: it may be another now, or can be reached. */
  forget(location: string): void {
    this.#byLocation.delete(location)
  }

  async #look(location: string): Promise<void> {
    this.#byLocation.set(location, { state: 'looking' })
    try {
      this.#byLocation.set(location, { state: 'known', outlook: await lookAtCheckpoint(location) })
    } catch (error) {
      this.#byLocation.set(location, { state: 'unknown', why: error instanceof Error ? error.message : String(error) })
    }
  }
}
