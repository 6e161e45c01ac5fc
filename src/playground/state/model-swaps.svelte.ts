/** Other models for the roles of the run in this tab: which wait for its next iteration, and what became of them. */
import type { Role } from '../../method/ports.ts'
import type { SwapRequest, SwapResult } from '../../sessions/loop-service.ts'

export interface Swap {
  runId: string
  /** Name of the model, as in the log. */
  model: string
  /** The first iteration that it plays in. */
  iteration: number
  result: SwapResult | 'waiting'
}

export class ModelSwaps {
  readonly #send: (swap: SwapRequest) => Promise<SwapResult>
  #byRole = $state.raw<Partial<Record<Role, Swap>>>({})

  constructor(send: (swap: SwapRequest) => Promise<SwapResult>) {
    this.#send = send
  }

  /** The last one of a role in a run; null without any. */
  of(role: Role, runId: string): Swap | null {
    const swap = this.#byRole[role]
    return swap?.runId === runId ? swap : null
  }

  async ask(request: SwapRequest, told: Pick<Swap, 'runId' | 'model' | 'iteration'>): Promise<void> {
    const { role } = request
    const swap: Swap = { ...told, result: 'waiting' }
    this.#byRole = { ...this.#byRole, [role]: swap }
    const result = await this.#send(request)
    if (this.#byRole[role] === swap) this.#byRole = { ...this.#byRole, [role]: { ...swap, result } }
  }
}
