/**
 * How far rewritten tasks are from their originals in meaning. Whoever shows it says which pool it is seen from and which pairs it
 * wants; a worker is started with the first of them, and what it has said is kept. Nothing else waits for it.
 */
import type { EmbeddedWorld, MeaningReferences } from '../../../engines/embedding/task-embedding.ts'
import type { Bridge } from '../../../threads/worker-bridge.ts'
import type { Task } from '../../../method/ports.ts'
import type { EmbeddingWorker } from '../../../../workers/embedding.ts'
import type { OpenEmbedding } from '../../state/workers/embedding-worker.ts'
import type { RewrittenText } from './drift-history.ts'
import { PairDistances } from './pair-distances.ts'

/** Pairs asked for at once, so that the chart grows instead of coming at the end. */
const AT_ONCE = 256

interface Pool {
  world: EmbeddedWorld
  drawn: readonly Task[]
}

export class TaskMeaning {
  readonly #open: OpenEmbedding
  #bridge: Bridge<EmbeddingWorker> | null = null
  #pool: Pool | null = null
  /** What the worker sees distances from. */
  #opened: Pool | null = null
  #references = $state.raw<MeaningReferences | null>(null)
  #failure = $state.raw<string | null>(null)
  #distances = new PairDistances()
  /** That have come. */
  #answers = $state.raw(0)
  #isAsking = false
  #isClosed = false

  constructor(open: OpenEmbedding) {
    this.#open = open
  }

  /** Null until the pool as drawn has been embedded. */
  get references(): MeaningReferences | null {
    return this.#references
  }
  /** Why there are no distances; null where there are or may still come. */
  get failure(): string | null {
    return this.#failure
  }

  /** Undefined while it is not known. */
  distance(pair: RewrittenText): number | undefined {
    // Read, so that whoever shows it looks again when an answer has come.
    void this.#answers
    return this.#distances.of(pair)
  }

  /** Sees distances from this pool from now on; the same array is the same pool. */
  follow(world: EmbeddedWorld, drawn: readonly Task[]): void {
    if (drawn.length === 0 || (this.#pool?.drawn === drawn && this.#pool.world === world)) return
    this.#pool = { world, drawn }
    this.#references = null
    this.#failure = null
    this.#distances = new PairDistances()
    void this.#ask()
  }

  want(pairs: readonly RewrittenText[]): void {
    this.#distances.want(pairs)
    void this.#ask()
  }

  retry(): void {
    this.#failure = null
    void this.#ask()
  }

  close(): void {
    this.#isClosed = true
    this.#drop()
  }

  async #ask(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return
    this.#isAsking = true
    while (this.#hasWork && this.#failure === null) {
      const pool = this.#pool!
      try {
        await this.#askOnce(pool)
      } catch (cause) {
        // A worker in an unknown state is not asked again; another pool begins with another one.
        this.#drop()
        if (this.#pool === pool) this.#failure = cause instanceof Error ? cause.message : String(cause)
      }
    }
    this.#isAsking = false
  }

  get #hasWork(): boolean {
    return !this.#isClosed && this.#pool !== null && (this.#opened !== this.#pool || !this.#distances.isAnswered)
  }

  /** Answers to a question about a pool that is not on show any more are let go. */
  async #askOnce(pool: Pool): Promise<void> {
    const { remote } = (this.#bridge ??= this.#open())
    if (this.#opened !== pool) {
      this.#opened = null
      const tasks = pool.drawn.map(({ instruction, kind }) => ({ instruction, kind }))
      const references = await remote.open(pool.world, tasks)
      this.#opened = pool
      if (this.#pool === pool) this.#references = references
      return
    }
    const asked = this.#distances
    const pairs = asked.next(AT_ONCE)
    asked.learn(pairs, await remote.distances(pairs))
    if (this.#distances === asked) this.#answers++
  }

  #drop(): void {
    this.#bridge?.terminate()
    this.#bridge = null
    this.#opened = null
  }
}
