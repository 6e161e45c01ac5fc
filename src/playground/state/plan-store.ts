/**
 * Stores unfinished plans of runs in this browser, each under its own name. The tab that works on a plan holds a lock of its
 * name, so that no other tab offers to resume it.
 */
import { parsePlan, type RunPlan } from '../run/run-plan.ts'

const PREFIX = 'playground.queue/'

export type PlanStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
export type PlanLocks = Pick<LockManager, 'request' | 'query'>

export class PlanStore {
  readonly #storage: PlanStorage | null
  readonly #locks: PlanLocks | null
  #unlock: (() => void) | null = null

  /** Storage is null if the browser keeps nothing; locks are null on pages without https. */
  constructor(storage: PlanStorage | null, locks: PlanLocks | null) {
    this.#storage = storage
    this.#locks = locks
  }

  /** The newest plan that no tab works on. Removes unreadable plans and counts them. */
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

  /** Takes a plan for this tab; null if another tab works on it or has finished it. */
  async take(id: string): Promise<RunPlan | null> {
    if ((await this.#held()).has(PREFIX + id)) return null
    const plan = parsePlan(this.#storage?.getItem(PREFIX + id) ?? '')
    if (plan) this.hold(id)
    return plan
  }

  /** A browser that cannot store it (private mode, storage full) forgets the plan with the page. */
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

  /** Marks the plan as this tab's, in place of the plan before. */
  hold(id: string): void {
    this.release()
    const released = new Promise<void>((resolve) => (this.#unlock = resolve))
    void this.#locks?.request(PREFIX + id, () => released).catch(() => {})
  }

  release(): void {
    this.#unlock?.()
    this.#unlock = null
  }

  /** Names of held locks; none in a frame without an origin, which shares no storage either. */
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

/** The store of this browser. Reading `localStorage` throws where storage is blocked. */
export function browserPlanStore(): PlanStore {
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks ?? null
  try {
    return new PlanStore(localStorage, locks)
  } catch {
    return new PlanStore(null, locks)
  }
}
