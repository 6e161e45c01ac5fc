/**
 * Divides requests over samplers. Requests with one affinity begin alike, so they go to the sampler that has read that beginning;
 * a new affinity goes to the sampler with the least to do.
 */
import type { GenerateRequest } from '../../method/ports.ts'

/** Affinities to remember of a model that never learns: several iterations of a large run. */
const MOST_HOMES = 10_000

export class AffinityRouter {
  readonly #samplers: number
  /** By affinity. */
  readonly #homes = new Map<string, number>()

  constructor(samplers: number) {
    this.#samplers = samplers
  }

  /** Indices of the requests, by sampler. */
  divide(requests: readonly Pick<GenerateRequest, 'affinity' | 'count'>[]): number[][] {
    if (this.#homes.size > MOST_HOMES) this.forget()
    const shares = Array.from({ length: this.#samplers }, (): number[] => [])
    const loads = shares.map(() => 0)
    const give = (sampler: number, index: number) => {
      shares[sampler]!.push(index)
      loads[sampler]! += requests[index]!.count
    }
    const newcomers: number[] = []
    for (const [index, { affinity }] of requests.entries()) {
      const home = affinity === undefined ? undefined : this.#homes.get(affinity)
      if (home === undefined) newcomers.push(index)
      else give(home, index)
    }
    for (const index of newcomers) {
      const { affinity } = requests[index]!
      // An earlier newcomer of this call may have found the home.
      const home = (affinity === undefined ? undefined : this.#homes.get(affinity)) ?? loads.indexOf(Math.min(...loads))
      if (affinity !== undefined) this.#homes.set(affinity, home)
      give(home, index)
    }
    return shares
  }

  /** After an update no sampler knows any beginning. */
  forget(): void {
    this.#homes.clear()
  }
}
