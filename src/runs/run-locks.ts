/**
 * At most one tab writes a kept run. The worker that runs it holds a lock of its name, which the browser releases when the tab
 * closes or crashes; resuming, discarding and deleting take the same lock. Over plain http browsers have no locks: there the
 * store still refuses every writer but the last (indexeddb-store.ts), so that no log is mixed up.
 */
import { openLocks } from '../storage/browser-storage.ts'

/** Another tab runs this run. The message is for display. */
export class RunInUseError extends Error {
  override readonly name = 'RunInUseError'

  constructor(runId: string) {
    super(
      `Run "${runId}" is running in another tab or is being changed there. Use that tab, or stop the run there and try again.`,
    )
  }
}

export interface RunLocks {
  /** Returns a function that releases the run. Throws RunInUseError. */
  take(runId: string): Promise<() => void>
  /** Ids of runs in use, in this tab or another. */
  inUse(): Promise<ReadonlySet<string>>
  /** Resolves once no tab uses the run. */
  whenFree(runId: string): Promise<void>
}

export type LocksOfBrowser = Pick<LockManager, 'request' | 'query'>

const PREFIX = 'run '

/** A tab that was just closed or reloaded may keep its locks for a moment. Milliseconds. */
const PATIENCE_MS = 3000
const LOOK_MS = 1000

export function runLocks(locks: LocksOfBrowser | null = openLocks(), patienceMs = PATIENCE_MS): RunLocks {
  return {
    take(runId) {
      if (locks === null) return Promise.resolve(() => {})
      return new Promise((resolve, reject) => {
        const hold = () => new Promise<void>((release) => resolve(release))
        locks.request(PREFIX + runId, { signal: AbortSignal.timeout(patienceMs) }, hold).catch((error: unknown) => {
          // A frame without an origin has no locks, and shares no storage either.
          if (isNamed(error, 'SecurityError')) resolve(() => {})
          else if (isWaitOver(error)) reject(new RunInUseError(runId))
          else reject(error instanceof Error ? error : new Error(String(error)))
        })
      })
    },
    async inUse() {
      const held = (await locks?.query().catch(() => null))?.held ?? []
      return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) === true ? [name.slice(PREFIX.length)] : [])))
    },
    async whenFree(runId) {
      // Without a request of its own: a page that the browser keeps asleep would be given the lock and never release it.
      while ((await this.inUse()).has(runId)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    },
  }
}

/** Runs `work` while no other tab uses the run. Throws RunInUseError, and what `work` throws. */
export async function whileFree<T>(locks: RunLocks, runId: string, work: () => Promise<T>): Promise<T> {
  const release = await locks.take(runId)
  try {
    return await work()
  } finally {
    release()
  }
}

function isWaitOver(error: unknown): boolean {
  return isNamed(error, 'TimeoutError') || isNamed(error, 'AbortError')
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name
}
