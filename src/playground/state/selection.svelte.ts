/** What a person looks at in the trajectories: the newest of everything until they choose. */
export class Selection {
  #iteration = $state.raw<number | null>(null)
  #taskId = $state.raw<string | null>(null)
  #rollout = $state.raw(0)
  #step = $state.raw(0)

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

  chooseIteration(iteration: number | null): void {
    this.#iteration = iteration
    this.#taskId = null
    this.#rollout = this.#step = 0
  }

  chooseTask(taskId: string): void {
    this.#taskId = taskId
    this.#rollout = this.#step = 0
  }

  chooseStep(rollout: number, step: number): void {
    this.#rollout = rollout
    this.#step = step
  }
}
