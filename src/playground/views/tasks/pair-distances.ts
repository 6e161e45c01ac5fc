/** Distances of pairs of texts, as far as they are known, and the pairs of which they are wanted. */
import type { RewrittenText } from './drift-history.ts'

export class PairDistances {
  /** By root and text; null while it is only wanted. */
  readonly #known = new Map<string, Map<string, number | null>>()
  #wanted: RewrittenText[] = []

  get isAnswered(): boolean {
    return this.#wanted.length === 0
  }

  of({ root, text }: RewrittenText): number | undefined {
    return this.#known.get(root)?.get(text) ?? undefined
  }

  /** A pair that was wanted before is not wanted again. */
  want(pairs: readonly RewrittenText[]): void {
    for (const { root, text } of pairs) {
      const ofRoot = this.#ofRoot(root)
      if (ofRoot.has(text)) continue
      ofRoot.set(text, null)
      this.#wanted.push({ root, text })
    }
  }

  /** Those that were wanted first. */
  next(count: number): RewrittenText[] {
    return this.#wanted.slice(0, count)
  }

  /** Of pairs that `next` gave. */
  learn(pairs: readonly RewrittenText[], distances: ArrayLike<number>): void {
    for (const [i, { root, text }] of pairs.entries()) this.#ofRoot(root).set(text, distances[i]!)
    this.#wanted = this.#wanted.slice(pairs.length)
  }

  #ofRoot(root: string): Map<string, number | null> {
    const ofRoot = this.#known.get(root) ?? new Map<string, number | null>()
    this.#known.set(root, ofRoot)
    return ofRoot
  }
}
