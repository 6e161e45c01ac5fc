/** A program that a person writes, judged as the policy's are: by the environment of the runs, in a judge of its own. */
import { CodingEnvironment } from '../../../worlds/coding/environment.ts'
import { checkerFault } from '../../../worlds/coding/released/checker-trial.ts'
import type { CodingTask, Problem } from '../../../worlds/coding/problem.ts'
import { generatedProblems } from '../../../worlds/coding/problem-source.ts'
import type { StepResult, TestResult } from '../../../method/ports.ts'
import { SupervisedJudge } from '../../../worlds/coding/judge/supervised-judge.ts'
import { starterProgram } from './hand-program.ts'
import type { OpenJudge } from '../../state/workers/judge-worker.ts'

export type HandVerdict =
  | { state: 'none' }
  | { state: 'judging' }
  | { state: 'judged'; isRight: boolean; observation: string; tests: readonly TestResult[] }
  | { state: 'failed'; why: string }

/** One judge for all programs of a person; it starts with the first. */
export class HandJudge {
  readonly #judge: SupervisedJudge
  readonly #environment: CodingEnvironment
  #count = 0

  constructor(open: OpenJudge) {
    this.#judge = new SupervisedJudge({ startWorker: open })
    this.#environment = new CodingEnvironment({ judge: this.#judge, problems: generatedProblems() })
  }

  /** Throws a WorkerLostError if no judge can be started, or this one was closed. */
  async judge(task: CodingTask, program: string): Promise<StepResult> {
    const episodeId = `hand-${++this.#count}`
    await this.#environment.reset([{ episodeId, task, maxSteps: 1 }])
    return (await this.#environment.step([{ episodeId, command: program }]))[0]!
  }

  /** Why the problem's checker cannot be relied on (checker-trial.ts); null where it can, or there is none. Throws likewise. */
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

  /** Begins with the frame that the problem asks for, unless there is a program already. */
  constructor(task: CodingTask, judge: HandJudge, { program, onwrite }: HandProgramOptions = {}) {
    this.task = task
    this.#judge = judge
    this.#program = program ?? starterProgram(task.body)
    this.#onwrite = onwrite
  }

  get program(): string {
    return this.#program
  }
  /** Of the program as it was when it was last judged. */
  get verdict(): HandVerdict {
    return this.#verdict
  }

  /** What was said of the program before does not hold any more. */
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
      this.#verdict = { state: 'failed', why: cause instanceof Error ? cause.message : String(cause) }
    }
  }
}
