/** The store of kept runs, opened when the first run needs it. */
import type { ResumableRunStore } from '../runs/run-store.ts'
import { errorText } from '../threads/error-text.ts'

export class StoreOpener {
  readonly #openStore: () => Promise<ResumableRunStore>
  #store: Promise<ResumableRunStore> | null = null
  #preparing: Promise<unknown> = Promise.resolve()

  /** `openStore` rejects if the browser keeps nothing. */
  constructor(openStore: () => Promise<ResumableRunStore>) {
    this.#openStore = openStore
  }

  /** Null, after a notice that says why, if the browser keeps nothing. */
  async open(notice?: (text: string) => void): Promise<ResumableRunStore | null> {
    this.#store ??= this.#openStore()
    try {
      return await this.#store
    } catch (error) {
      // The next run tries again.
      this.#store = null
      notice?.(errorText(error))
      return null
    }
  }

  /** Prepares a run to continue. Null if the browser keeps nothing. */
  prepare<T>(work: (store: ResumableRunStore) => Promise<T>): Promise<T | null> {
    const prepared = this.open().then((store) => (store ? work(store) : null))
    this.#preparing = prepared.catch(() => {})
    return prepared
  }

  /** Settles when the last run is prepared, even if that run was cancelled meanwhile; never rejects. */
  get prepared(): Promise<unknown> {
    return this.#preparing
  }
}
