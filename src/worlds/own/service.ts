/**
 * The worker of a world of one's own (workers/own-world.ts). The sandbox already stops every call of the world that takes too long;
 * the worker keeps the world away from the other threads' time.
 */
import type { EnvironmentPort, Split, Task } from '../../method/ports.ts'
import { loadEngine } from '../sandbox/engine-binary.ts'
import { OwnEnvironment } from './environment.ts'
import { factsOf, OwnGuest, type WorldFacts } from './guest.ts'
import type { OwnModule } from './module.ts'

export class OwnWorldService implements EnvironmentPort {
  #environment: OwnEnvironment | null = null

  /** Call first, and once. Throws OwnWorldError. */
  async load(module: OwnModule): Promise<WorldFacts> {
    const guest = await OwnGuest.open(await loadEngine(), module)
    this.#environment = new OwnEnvironment(guest)
    return factsOf(guest)
  }

  async sampleTasks(split: Split, count: number, seed: number) {
    return this.#loaded.sampleTasks(split, count, seed)
  }

  async reset(starts: Parameters<EnvironmentPort['reset']>[0]) {
    return this.#loaded.reset(starts)
  }

  async step(actions: Parameters<EnvironmentPort['step']>[0]) {
    return this.#loaded.step(actions)
  }

  async describe(task: Task) {
    return this.#loaded.describe(task)
  }

  async rewrite(task: Task, rewriteText: string, newId: string, maxSteps: number) {
    return this.#loaded.rewrite(task, rewriteText, newId, maxSteps)
  }

  get #loaded(): OwnEnvironment {
    if (this.#environment === null) throw new Error('The world is not loaded: call load first.')
    return this.#environment
  }
}
