/**
 * Stores unfinished plans of runs in this browser, each under its own name. The tab that works on a plan holds a lock of its
 * name, so that no other tab offers to resume it.
 */
import { openLocks, openTexts } from '../../storage/browser-storage.ts'
import { deploymentFolder } from '../../storage/deployment.ts'
import { parsePlan, type RunPlan } from '../run/run-plan.ts'

const PREFIX = 'playground.queue/'
/** Ends the folder of a deployment in a key. Keys of earlier versions, and at the root of a host, have no folder. */
const END = '#'

export type PlanStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
export type PlanLocks = Pick<LockManager, 'request' | 'query'>

export class PlanStore {
  readonly #storage: PlanStorage | null
  readonly #locks: PlanLocks | null
  readonly #folder: string
  #unlock: (() => void) | null = null

  /** Storage is null if the browser keeps nothing; locks are null on pages without https. */
  constructor(storage: PlanStorage | null, locks: PlanLocks | null, folder = '/') {
    this.#folder = folder
    this.#storage = storage
    this.#locks = locks
  }

  /** The newest plan that no tab works on. Removes unreadable plans and counts them. */
  async unfinished(): Promise<{ plan: RunPlan | null; unreadable: number }> {
    const held = await this.#held()
    const plans: RunPlan[] = []
    let unreadable = 0
    for (const key of this.#keys()) {
      if (held.has(PREFIX + idIn(key))) continue
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
    if (!(await this.#holdIfFree(id))) return null
    const key = this.#keys().find((each) => idIn(each) === id)
    const plan = parsePlan((key !== undefined && this.#storage?.getItem(key)) || '')
    if (plan === null) this.release()
    return plan
  }

  /** A browser that cannot store it (private mode, storage full) forgets the plan with the page. */
  save(plan: RunPlan): void {
    try {
      const key = this.#keys().find((each) => idIn(each) === plan.id)
      this.#storage?.setItem(key ?? this.#prefix + plan.id, JSON.stringify(plan))
    } catch {
      return
    }
  }

  remove(id: string): void {
    for (const key of this.#keys()) if (idIn(key) === id) this.#storage?.removeItem(key)
  }

  get #prefix(): string {
    return this.#folder === '/' ? PREFIX : PREFIX + this.#folder + END
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

  /** In one step, so that of two tabs only one gets it. */
  #holdIfFree(id: string): Promise<boolean> {
    this.release()
    const locks = this.#locks
    if (locks === null) return Promise.resolve(true)
    return new Promise((resolve) => {
      const released = new Promise<void>((unlock) => (this.#unlock = unlock))
      const hold = (lock: Lock | null) => {
        resolve(lock !== null)
        return lock === null ? undefined : released
      }
      locks.request(PREFIX + id, { ifAvailable: true }, hold).catch(() => resolve(true))
    })
  }

  /** Names of held locks; none in a frame without an origin, which shares no storage either. */
  async #held(): Promise<ReadonlySet<string | undefined>> {
    const snapshot = await this.#locks?.query().catch(() => null)
    return new Set((snapshot?.held ?? []).map(({ name }) => name))
  }

  #keys(): string[] {
    const { length = 0 } = this.#storage ?? {}
    const keys = Array.from({ length }, (_, i) => this.#storage?.key(i) ?? '')
    return keys.filter(
      (key) => key.startsWith(PREFIX + this.#folder + END) || (key.startsWith(PREFIX) && !key.includes(END)),
    )
  }
}

export function browserPlanStore(): PlanStore {
  return new PlanStore(openTexts(), openLocks(), deploymentFolder())
}

function idIn(key: string): string {
  return key.slice(Math.max(PREFIX.length, key.lastIndexOf(END) + 1))
}
