/**
 * The reward model's m tests for tasks, each asked for as soon as the task's text is known, so that the policy can write its programs
 * meanwhile:
 *
 *     prompt of a task = encode(prompt(opening))     m completions of one prompt, one test each
 *
 * The reward model sees the problem but no program (llm_reward_rollout.py:459-491). A call takes tasks that were added together, up to
 * a limit, and calls follow one another in order: what is asked together does not depend on time.
 */
import type { Completion, LanguageModelPort, Task, TestWriterFormat, Tokens } from '../ports.ts'
import { deriveSeed } from '../random.ts'
import type { AskOptions } from '../reward-strategy.ts'
import { Turns } from '../turns.ts'

/** Most tests in one generate call, unless a single task has more. */
export const TESTS_PER_CALL = 256

export interface PosedTask {
  task: Task
  opening: string
}

export interface TestTexts {
  prompt: Tokens
  /** [test] */
  completions: readonly Completion[]
}

export class TestQuestions {
  readonly #reward: LanguageModelPort
  readonly #format: TestWriterFormat
  readonly #options: AskOptions
  /** By task. */
  readonly #texts = new Map<string, Promise<TestTexts>>()
  readonly #turns = new Turns()
  #isClosed = false

  constructor(reward: LanguageModelPort, format: TestWriterFormat, options: AskOptions) {
    this.#reward = reward
    this.#format = format
    this.#options = options
  }

  /** How many tasks a call takes. */
  get tasksPerCall(): number {
    return Math.max(1, Math.floor(TESTS_PER_CALL / this.#options.evaluationsPerStep))
  }

  /** Asks for tests of the tasks that it has not been asked for. */
  add(tasks: readonly PosedTask[]): void {
    const unknown = [...new Map(tasks.map((posed) => [posed.task.id, posed])).values()].filter(
      ({ task }) => !this.#texts.has(task.id),
    )
    for (let start = 0; start < unknown.length; start += this.tasksPerCall) {
      const batch = unknown.slice(start, start + this.tasksPerCall)
      const answers = this.#turns.take(() => this.#ask(batch))
      for (const [index, { task }] of batch.entries()) {
        const texts = answers.then((all) => all[index]!)
        // Errors reach those who wait for a task's tests; there may be none.
        texts.catch(() => {})
        this.#texts.set(task.id, texts)
      }
    }
  }

  /** Tests of a task that was added. Throws the errors of the reward model. */
  textsOf(task: Task): Promise<TestTexts> {
    return this.#texts.get(task.id)!
  }

  /** Drops what has not been asked yet, and waits for the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#turns.take(async () => {})
  }

  async #ask(batch: readonly PosedTask[]): Promise<TestTexts[]> {
    const { evaluationsPerStep, temperature, topP, seed, signal } = this.#options
    signal?.throwIfAborted()
    if (this.#isClosed) throw new Error('The reward model is no longer asked: the rollouts have ended with an error.')
    const prompts = await this.#reward.encode(batch.map(({ opening }) => this.#format.prompt(opening)))
    const completions = await this.#reward.generate(
      batch.map(({ task }, index) => ({
        prompt: prompts[index]!,
        count: evaluationsPerStep,
        seed: deriveSeed(seed, task.id),
      })),
      { temperature, topP, maxTokens: this.#format.maxTokens },
      signal,
    )
    return batch.map(({ task }, index) => {
      const own = completions[index]
      if (!own) throw new Error(`The reward model returned no tests for task ${task.id}.`)
      return { prompt: prompts[index]!, completions: own }
    })
  }
}
