/** Data of the page in parts that are fetched once, when a view first wants them. */
import { errorText } from '../../threads/error-text.ts'

export type FetchedPart<T> = { state: 'loading' } | { state: 'failed'; problem: string } | { state: 'ready'; value: T }

export class FetchedParts<K extends string, T> {
  #parts = $state.raw<Partial<Record<K, FetchedPart<T>>>>({})
  readonly #fetch: (key: K) => Promise<T>

  constructor(fetchPart: (key: K) => Promise<T>) {
    this.#fetch = fetchPart
  }

  of(key: K): FetchedPart<T> {
    return this.#parts[key] ?? { state: 'loading' }
  }

  /** Fetches the parts that are not there; one that failed is fetched again. */
  async load(...keys: readonly K[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#load(key)))
  }

  async #load(key: K): Promise<void> {
    if ((this.#parts[key]?.state ?? 'failed') !== 'failed') return
    this.#set(key, { state: 'loading' })
    try {
      this.#set(key, { state: 'ready', value: await this.#fetch(key) })
    } catch (cause) {
      this.#set(key, { state: 'failed', problem: errorText(cause) })
    }
  }

  #set(key: K, part: FetchedPart<T>): void {
    this.#parts = { ...this.#parts, [key]: part }
  }
}
