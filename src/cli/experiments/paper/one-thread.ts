/**
 * The three models of a run in the thread of its loop, so that as many runs as there are cores do not share them with threads of
 * each other: this takes a tenth less CPU time than a thread for each model, and the log is the same. Calls run one after another:
 * a thread's tensors belong to one computation at a time.
 */
import { TransformerModel } from '../../../engines/transformer/transformer-model.ts'
import { Turns } from '../../../method/turns.ts'
import type { Bridge } from '../../../threads/worker-bridge.ts'

type Call = (...args: never[]) => Promise<unknown>

export class OneThread {
  readonly #turns = new Turns()

  startModel(): Bridge<TransformerModel> {
    const model = new TransformerModel()
    const remote = new Proxy(model, {
      get: (_target, name) => {
        const method: unknown = Reflect.get(model, name, model)
        if (typeof method !== 'function') return method
        return (...args: never[]) => this.#turns.take(() => (method as Call).apply(model, args))
      },
    })
    return {
      remote: remote,
      // The thread ends with the process.
      lost: new Promise(() => {}),
      terminate: () => void this.#turns.take(() => model.unload()),
    }
  }
}
