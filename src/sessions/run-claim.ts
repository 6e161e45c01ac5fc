/** The run that a service is opening, and the lock that keeps other tabs from a run while it is opened and runs here. */
import type { RunLocks } from '../runs/run-locks.ts'

/** Compared by identity: the same run may be opened twice in quick succession. */
export interface Claim {
  runId: string
  /** Paused before its models were loaded. */
  isPaused: boolean
  /** Resolves when the run is no longer being opened: whether it runs. */
  opened: Promise<boolean>
}

/** A tab that was just closed gives its run back sooner. */
const SIGN_OF_WAITING_MS = 300

export class RunClaims {
  readonly #locks: Pick<RunLocks, 'take'> | undefined
  #opening: Claim | null = null
  #endOpened: (isRunning: boolean) => void = () => {}
  /** Gives the lock of the current run back. */
  #release: (() => void) | null = null

  /** Without `locks`, no other tab is kept from a run. */
  constructor(locks: Pick<RunLocks, 'take'> | undefined) {
    this.#locks = locks
  }

  /** The run that is being opened. */
  get opening(): Claim | null {
    return this.#opening
  }

  /** Whether a run is still being opened: not cancelled, and not yet running. */
  holds(claim: Claim): boolean {
    return this.#opening === claim
  }

  /** Claims a run in place of the one that is being opened. */
  claim(runId: string): Claim {
    this.endOpening(false)
    const opened = new Promise<boolean>((resolve) => (this.#endOpened = resolve))
    this.#opening = { runId, isPaused: false, opened }
    return this.#opening
  }

  /** No run is being opened any more: it runs now, or it was cancelled or failed. Its lock remains until `release`. */
  endOpening(isRunning: boolean): void {
    this.#opening = null
    this.#endOpened(isRunning)
  }

  /**
   * Takes the lock of a claimed run, and reports if it has to wait for another tab. False if the claim was cancelled meanwhile.
   * Rejects as the locks do (RunInUseError), unless the claim was cancelled.
   */
  async lock(claim: Claim, onWait: () => void): Promise<boolean> {
    const waiting = setTimeout(() => {
      if (this.holds(claim)) onWait()
    }, SIGN_OF_WAITING_MS)
    try {
      const release = await this.#locks?.take(claim.runId)
      if (this.holds(claim)) this.#release = release ?? null
      else release?.()
      return this.holds(claim)
    } catch (error) {
      if (!this.holds(claim)) return false
      this.endOpening(false)
      throw error
    } finally {
      clearTimeout(waiting)
    }
  }

  /** Gives up a run that could not be opened, unless another has taken its place. */
  free(claim: Claim): void {
    if (!this.holds(claim)) return
    this.endOpening(false)
    this.release()
  }

  /** Gives the lock back. No-op without one. */
  release(): void {
    this.#release?.()
    this.#release = null
  }
}
