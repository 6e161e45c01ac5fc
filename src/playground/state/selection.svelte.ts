/** What a person looks at in the trajectories: the newest of everything until they choose. */
import type { Spot } from '../run/spot.ts'

export class Selection {
  #iteration = $state.raw<number | null>(null)
  #taskId = $state.raw<string | null>(null)
  #rollout = $state.raw(0)
  #step = $state.raw(0)
  #test = $state.raw<number | null>(null)
  #isOnHeads = $state.raw(false)

  /** Null follows the run. */
  get iteration(): number | null {
    return this.#iteration
  }
  /** Null takes the most telling group. */
  get taskId(): string | null {
    return this.#taskId
  }
  get rollout(): number {
    return this.#rollout
  }
  get step(): number {
    return this.#step
  }
  /** Of programs × tests: the column; null where only a program is chosen. */
  get test(): number | null {
    return this.#test
  }
  /** Whether the test itself was chosen, not how a program fares on it. */
  get isOnHeads(): boolean {
    return this.#isOnHeads
  }

  /** Whether anything was chosen at all. */
  get isMade(): boolean {
    const isFirst = this.#rollout === 0 && this.#step === 0 && this.#test === null
    return this.#iteration !== null || this.#taskId !== null || !isFirst
  }

  /** Looks at one place, chosen elsewhere. */
  lookAt({ iteration, taskId, rollout, step, test, isOnHeads }: Spot): void {
    this.#iteration = iteration
    this.#taskId = taskId
    this.#rollout = rollout
    this.#step = step
    this.#test = test
    this.#isOnHeads = isOnHeads
  }

  /** What is looked at now stays in sight when the run goes on; what is chosen in it stays chosen. */
  stay(iteration: number, taskId: string): void {
    this.#iteration = iteration
    this.#taskId = taskId
  }

  chooseIteration(iteration: number | null): void {
    this.#iteration = iteration
    this.#taskId = null
    this.#restart()
  }

  chooseTask(taskId: string): void {
    this.#taskId = taskId
    this.#restart()
  }

  chooseStep(rollout: number, step: number): void {
    this.#rollout = rollout
    this.#step = step
  }

  chooseProgram(rollout: number, test: number | null): void {
    this.#rollout = rollout
    this.#test = test
    this.#isOnHeads = false
  }

  /** The program that is shown stays. */
  chooseTest(test: number): void {
    this.#test = test
    this.#isOnHeads = true
  }

  #restart(): void {
    this.#rollout = this.#step = 0
    this.#test = null
    this.#isOnHeads = false
  }
}
