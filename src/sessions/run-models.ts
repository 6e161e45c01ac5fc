/**
 * The open models and world of a run, and how another model takes a role between two iterations: all are closed, because two large
 * models of a role may not fit into memory, and opened again with what they have learned, as when a run resumes. If the new model
 * cannot be opened, or the change cannot be stored, the run continues with the models that it had.
 */
import type { Role } from '../method/ports.ts'
import type { Settings } from '../method/settings.ts'
import { unlessAborted } from '../method/unless-aborted.ts'
import { checkLearners } from '../roles/learning.ts'
import { modelNames } from '../roles/shipped-models.ts'
import { sourcesOf, type RoleSource } from '../roles/source.ts'
import { RunLostError, type RunCheckpoint, type RunStore } from '../runs/run-store.ts'
import { failureOf } from './failures.ts'
import { serversWithKey } from './kept-request.ts'
import type { ModelExchange } from './loop-session.ts'
import type { StartRequest, SwapRequest } from './messages.ts'
import { loadCheckpoint, type OpenedRun } from './opened-run.ts'

export interface RunModelsParts {
  request: StartRequest
  opened: OpenedRun
  /** Opens a run that resumes. */
  open: (request: StartRequest) => Promise<OpenedRun>
  store: Pick<RunStore, 'replaceModel'>
}

export class RunModels {
  readonly #parts: RunModelsParts
  #request: StartRequest
  #opened: OpenedRun | null
  /** With those that wait for the end of the iteration. */
  #wanted: Record<Role, RoleSource>

  constructor(parts: RunModelsParts) {
    this.#parts = parts
    this.#request = parts.request
    this.#opened = parts.opened
    this.#wanted = sourcesOf(parts.request.models)
  }

  /** What plays the roles, or will from the next iteration on. */
  get sources(): Record<Role, RoleSource> {
    return this.#wanted
  }

  interrupt(): void {
    this.#opened?.interrupt?.()
  }

  close(): void {
    this.#opened?.close()
    this.#opened = null
  }

  /**
   * The exchange of a role's model, for a session to make between two iterations; `settings` are those of then. Throws RoleModelError
   * if the role should learn and the model cannot.
   */
  exchange({ role, source, keys }: SwapRequest, settings: () => Settings): ModelExchange {
    checkLearners({ ...this.#wanted, [role]: source }, settings())
    this.#wanted = { ...this.#wanted, [role]: source }
    const model = modelNames(sourcesOf({ [role]: source }), this.#request.settings.world)[role]
    return {
      role,
      model,
      open: async (event, before, signal) => {
        const current = { ...this.#request, settings: settings(), backend: this.#parts.opened.backend }
        const next: StartRequest = {
          ...current,
          models: { ...current.models, [role]: source },
          keys: { ...current.keys, ...keys },
        }
        const untrained = {
          ...before,
          eventCount: event.seq + 1,
          ...(role !== 'author' && { [role]: new Uint8Array() }),
        }
        try {
          const opened = await this.#reopen(next, untrained, signal)
          const keyedServers = serversWithKey({ [role]: source }, next.keys)
          await this.#parts.store.replaceModel?.({ event, source, checkpoint: untrained, keyedServers })
          this.#request = next
          return { ports: opened.ports, result: { state: 'swapped' } }
        } catch (error) {
          if (error instanceof RunLostError || signal.aborted) throw error
          const opened = await this.#reopen(current, before, signal)
          const { what, why } = failureOf(`${model} could not take over.`, error, next)
          return { ports: opened.ports, result: { state: 'kept', why: `${what} ${why}` } }
        }
      },
    }
  }

  /** A role keeps its model in place of the one that it should have got. */
  keep(role: Role): void {
    this.#wanted = { ...this.#wanted, [role]: sourcesOf(this.#request.models)[role] }
  }

  async #reopen(request: StartRequest, checkpoint: RunCheckpoint, signal: AbortSignal): Promise<OpenedRun> {
    this.close()
    signal.throwIfAborted()
    const opening = this.#parts.open(request)
    const opened = await unlessAborted(opening, signal).catch((error: unknown) => {
      // A download may take minutes after the run was stopped.
      opening.then((late) => late.close()).catch(() => {})
      throw error
    })
    this.#opened = opened
    await loadCheckpoint(opened, checkpoint)
    return opened
  }
}
