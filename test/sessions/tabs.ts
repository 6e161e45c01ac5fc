/** Browser tabs in Node: each has its own loop service and run library over one shared database, and can be killed at any moment. */
import { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
import { RunLibrary } from '../../src/runs/run-library.ts'
import { runLocks, type LocksOfBrowser } from '../../src/runs/run-locks.ts'
import { LoopService, type RunMessage } from '../../src/sessions/loop-service.ts'
import { world } from '../method/corridor.ts'

interface Waiting {
  client: object
  grant: () => void
}

/** Web Locks of one origin: exclusive locks, granted in order. */
export class OriginLocks {
  readonly #held = new Map<string, object>()
  readonly #waiting = new Map<string, Waiting[]>()

  of(client: object): LocksOfBrowser {
    const request = (
      name: string,
      options: LockOptions | LockGrantedCallback<unknown>,
      callback?: LockGrantedCallback<unknown>,
    ) => {
      const { signal } = typeof options === 'function' ? {} : options
      const work = typeof options === 'function' ? options : callback!
      return new Promise<unknown>((resolve, reject) => {
        const waiting: Waiting = {
          client,
          grant: () => {
            this.#held.set(name, client)
            void Promise.resolve(work({ name, mode: 'exclusive' }))
              .then(resolve, reject)
              .finally(() => {
                if (this.#held.get(name) === client) this.#free(name)
              })
          },
        }
        const queue = this.#waiting.get(name) ?? []
        this.#waiting.set(name, [...queue, waiting])
        signal?.addEventListener('abort', () => {
          const before = this.#waiting.get(name) ?? []
          if (!before.includes(waiting)) return
          this.#waiting.set(
            name,
            before.filter((other) => other !== waiting),
          )
          reject(signal.reason as Error)
        })
        this.#grantNext(name)
      })
    }
    const query = async () => ({ held: Array.from(this.#held.keys(), (name) => ({ name })), pending: [] })
    return { request, query }
  }

  /** Releases what a closed tab held or waited for. */
  drop(client: object): void {
    for (const [name, queue] of this.#waiting)
      this.#waiting.set(
        name,
        queue.filter((other) => other.client !== client),
      )
    for (const [name, holder] of this.#held) if (holder === client) this.#free(name)
  }

  #free(name: string): void {
    this.#held.delete(name)
    this.#grantNext(name)
  }

  #grantNext(name: string): void {
    if (this.#held.has(name)) return
    const [next, ...rest] = this.#waiting.get(name) ?? []
    this.#waiting.set(name, rest)
    next?.grant()
  }
}

const NEVER = new Promise<never>(() => {})

export class Tab {
  readonly service: LoopService
  readonly library: RunLibrary
  readonly messages: RunMessage[] = []
  readonly #locks: OriginLocks | null
  #isDead = false
  #stores: IndexedDbRunStore[] = []

  /** Without locks, as over plain http. */
  constructor(database: string, locks: OriginLocks | null) {
    this.#locks = locks
    const own = runLocks(locks?.of(this) ?? null, 5)
    const openStore = async () => this.#mortal(await IndexedDbRunStore.open(database))
    this.service = new LoopService({
      open: async () => ({
        ports: world({ lengths: [1, 2] }),
        backend: 'cpu',
        models: { policy: 'p', reward: 'r', author: 'a' },
        close: () => {},
      }),
      openStore,
      locks: own,
      checkpointEvery: 1,
    })
    void this.service.listen((message) => {
      if (!this.#isDead) this.messages.push(message)
    })
    this.library = new RunLibrary(openStore, own)
  }

  /** As a closed or crashed tab: nothing it was doing goes on, except a transaction that has begun. */
  kill(): void {
    this.#isDead = true
    for (const store of this.#stores) store.close()
    this.#locks?.drop(this)
  }

  /** The store until the tab dies; afterwards no call of it returns. */
  #mortal(store: IndexedDbRunStore): IndexedDbRunStore {
    if (this.#isDead) store.close()
    this.#stores.push(store)
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (this.#isDead) return NEVER
          const result: unknown = Reflect.apply(member, target, args)
          if (!(result instanceof Promise)) return result
          return result.then(
            (value: unknown) => (this.#isDead ? NEVER : value),
            (error: unknown) => (this.#isDead ? NEVER : Promise.reject(error as Error)),
          )
        }
      },
    })
  }
}
