/**
 * Offers to resume the run that an earlier visit or another tab left unfinished, from the checkpoints that this browser keeps.
 * Runs that another tab runs are offered once that tab closes or they end.
 */
import { SvelteSet } from 'svelte/reactivity'
import type { KeptRunList } from './kept-runs.svelte.ts'

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
  readonly #runs: Pick<KeptRunList, 'entries' | 'isInUse' | 'remove'>
  /** Runs of this visit and discarded ones, which are not offered. */
  readonly #own = new SvelteSet<string>()
  #problem = $state.raw<string | null>(null)

  constructor(runs: Pick<KeptRunList, 'entries' | 'isInUse' | 'remove'>) {
    this.#runs = runs
  }

  /** The latest unfinished run; null if there is nothing to resume. */
  get offer(): UnfinishedRun | null {
    let latest: UnfinishedRun | null = null
    for (const { runId, preset, iterations, isFinished, checkpoints, updatedAt } of this.#runs.entries ?? []) {
      const checkpoint = checkpoints.at(-1)
      if (isFinished || !checkpoint || this.#own.has(runId) || this.#runs.isInUse(runId)) continue
      if (latest !== null && latest.updatedAt >= updatedAt) continue
      latest = { runId, preset, iterations, finishedIterations: checkpoint.iteration, updatedAt }
    }
    return latest
  }
  /** Why the run could not be discarded; null if it could. */
  get problem(): string | null {
    return this.#problem
  }

  async discard(runId: string): Promise<void> {
    this.claim(runId)
    this.#problem = await this.#runs.remove(runId)
    if (this.#problem !== null) this.release(runId)
  }

  /** Marks a run as one of this visit. */
  claim(runId: string): void {
    this.#own.add(runId)
  }

  /** Offers a run of this visit again, after it failed. */
  release(runId: string): void {
    this.#own.delete(runId)
  }
}
