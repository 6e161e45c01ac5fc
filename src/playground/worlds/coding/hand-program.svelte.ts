/** A program that a person writes, judged as the policy's programs are, in a separate judge. */
import { CodingEnvironment } from '../../../worlds/coding/environment.ts'
import { checkerFault } from '../../../worlds/coding/released/checker-trial.ts'
import type { CodingTask, Problem } from '../../../worlds/coding/problem.ts'
import { generatedProblems } from '../../../worlds/coding/problem-source.ts'
import type { StepResult, TestResult } from '../../../method/ports.ts'
import { SupervisedJudge } from '../../../worlds/coding/judge/supervised-judge.ts'
import { starterProgram } from './hand-program.ts'
import type { OpenJudge } from './judge-worker.ts'
import { errorText } from '../../../threads/error-text.ts'

export type HandVerdict =
  | { state: 'none' }
  | { state: 'judging' }
  | { state: 'judged'; isRight: boolean; observation: string; tests: readonly TestResult[] }
  | { state: 'failed'; why: string }

/** One judge for all programs of a person. Starts with the first program. */
export class HandJudge {
  readonly #judge: SupervisedJudge
  readonly #environment: CodingEnvironment
  #count = 0

  constructor(open: OpenJudge) {
    this.#judge = new SupervisedJudge({ startWorker: open })
    this.#environment = new CodingEnvironment({ judge: this.#judge, problems: generatedProblems() })
  }

  /** Throws a WorkerLostError if no judge can be started or this one was closed. */
  async judge(task: CodingTask, program: string): Promise<StepResult> {
    const episodeId = `hand-${++this.#count}`
    await this.#environment.reset([{ episodeId, task, maxSteps: 1 }])
    return (await this.#environment.step([{ episodeId, command: program }]))[0]!
  }

  /** Why the problem's checker is unreliable (checker-trial.ts); null if it is reliable or there is none. Throws likewise. */
  checkerFault(problem: Problem): Promise<string | null> {
    return checkerFault(problem, async (job) => (await this.#judge.judge([job]))[0]!)
  }

  close(): void {
    this.#judge.close()
  }
}

export interface HandProgramOptions {
  program?: string
  onwrite?: ((program: string) => void) | undefined
}

export class HandProgram {
  readonly task: CodingTask
  readonly #judge: HandJudge
  readonly #onwrite: HandProgramOptions['onwrite']
  #program = $state.raw('')
  #verdict = $state.raw<HandVerdict>({ state: 'none' })

  /** Starts with the frame that the problem requires, unless a program is given. */
  constructor(task: CodingTask, judge: HandJudge, { program, onwrite }: HandProgramOptions = {}) {
    this.task = task
    this.#judge = judge
    this.#program = program ?? starterProgram(task.body)
    this.#onwrite = onwrite
  }

  get program(): string {
    return this.#program
  }
  /** Verdict on the program as last judged. */
  get verdict(): HandVerdict {
    return this.#verdict
  }

  /** Discards the verdict on the previous text. */
  write(program: string): void {
    this.#program = program
    this.#onwrite?.(program)
    if (this.#verdict.state !== 'judging') this.#verdict = { state: 'none' }
  }

  restart(): void {
    this.write(starterProgram(this.task.body))
  }

  async judge(): Promise<void> {
    if (this.#verdict.state === 'judging') return
    this.#verdict = { state: 'judging' }
    const program = this.#program
    try {
      const { won, observation, tests = [] } = await this.#judge.judge(this.task, program)
      this.#verdict =
        program === this.#program ? { state: 'judged', isRight: won, observation, tests } : { state: 'none' }
    } catch (cause) {
      this.#verdict = { state: 'failed', why: errorText(cause) }
    }
  }
}
