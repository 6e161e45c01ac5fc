/** The real judge as a port in the test's thread. Records its calls. */
import { Judge } from '../../../src/worlds/coding/judge/judge.ts'
import type { JudgeJob, JudgePort, JudgeResult } from '../../../src/worlds/coding/judge/verdict.ts'

export class InThreadJudge implements JudgePort {
  /** calls[call]: its jobs. */
  readonly calls: (readonly JudgeJob[])[] = []
  readonly #judge = new Judge()

  async judge(jobs: readonly JudgeJob[]): Promise<JudgeResult[]> {
    this.calls.push(jobs)
    const results: JudgeResult[] = []
    for (const job of jobs) results.push(await this.#judge.judge(job))
    return results
  }
}
