/**
 * Plans of runs that are not done, each under a name of its own in this browser's storage. Whoever is at one holds a lock
 * of its name until the tab closes, so that no other tab offers to go on with it.
 */
import { parsePlan, type RunPlan } from '../run/run-plan.ts'

const PREFIX = 'playground.queue/'

export type PlanStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
export type PlanLocks = Pick<LockManager, 'request' | 'query'>

export class PlanStore {
  readonly #storage: PlanStorage | null
  readonly #locks: PlanLocks | null
  #release: (() => void) | null = null

  /** Null where the browser keeps nothing, or has no locks: pages that are not served over https have none. */
  constructor(storage: PlanStorage | null, locks: PlanLocks | null) {
    this.#storage = storage
    this.#locks = locks
  }

  /** The newest plan that no tab is at, and how many could not be read and are gone. */
  async unfinished(): Promise<{ plan: RunPlan | null; unreadable: number }> {
    const held = await this.#held()
    const plans: RunPlan[] = []
    let unreadable = 0
    for (const key of this.#keys()) {
      if (held.has(key)) continue
      const plan = parsePlan(this.#storage?.getItem(key) ?? '')
      if (plan) plans.push(plan)
      else {
        unreadable++
        this.#storage?.removeItem(key)
      }
    }
    plans.sort((a, b) => b.createdAt - a.createdAt)
    return { plan: plans[0] ?? null, unreadable }
  }

  /** The plan as it is now, for this tab to be at; null where another tab is at it, or is done with it. */
  async take(id: string): Promise<RunPlan | null> {
    if ((await this.#held()).has(PREFIX + id)) return null
    const plan = parsePlan(this.#storage?.getItem(PREFIX + id) ?? '')
    if (plan) this.hold(id)
    return plan
  }

  /** A browser that keeps nothing (private mode, storage full) forgets the plan with the page. */
  save(plan: RunPlan): void {
    try {
      this.#storage?.setItem(PREFIX + plan.id, JSON.stringify(plan))
    } catch {
      return
    }
  }

  remove(id: string): void {
    this.#storage?.removeItem(PREFIX + id)
  }

  /** This tab is at it, and at no other. */
  hold(id: string): void {
    this.letGo()
    const released = new Promise<void>((resolve) => (this.#release = resolve))
    void this.#locks?.request(PREFIX + id, () => released).catch(() => {})
  }

  letGo(): void {
    this.#release?.()
    this.#release = null
  }

  /** Names of locks. A page in a frame of no origin is refused an answer, and has no storage to share either. */
  async #held(): Promise<ReadonlySet<string | undefined>> {
    const snapshot = await this.#locks?.query().catch(() => null)
    return new Set((snapshot?.held ?? []).map(({ name }) => name))
  }

  #keys(): string[] {
    const { length = 0 } = this.#storage ?? {}
    const keys = Array.from({ length }, (_, i) => this.#storage?.key(i) ?? '')
    return keys.filter((key) => key.startsWith(PREFIX))
  }
}

/** That of this browser. Reading `localStorage` throws where a person has forbidden it. */
export function browserPlanStore(): PlanStore {
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks ?? null
  try {
    return new PlanStore(localStorage, locks)
  } catch {
    return new PlanStore(null, locks)
  }
}
