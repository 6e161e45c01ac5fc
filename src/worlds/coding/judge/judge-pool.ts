/** Judges that share the programs of all calls. What a program may do is metered, so a verdict does not depend on how many there are. */
import type { JudgeJob, JudgePort, JudgeResult } from './verdict.ts'
import type { SupervisedJudge } from './supervised-judge.ts'

/** Each takes a thread with a machine of 16 MB or more. */
const MOST_JUDGES = 4

/** One for each core: a run judges while nothing else is left to do. */
export function judgesFor(cores: number | undefined): number {
  return Math.max(1, Math.min(cores ?? 1, MOST_JUDGES))
}

export class JudgePool implements JudgePort {
  readonly #all: readonly SupervisedJudge[]
  /** The one that was used last is the last, and the next to be used: a judge's worker starts only if all others are busy. */
  readonly #free: SupervisedJudge[]
  readonly #waiting: ((judge: SupervisedJudge) => void)[] = []

  /** At least one judge. */
  constructor(judges: readonly SupervisedJudge[]) {
    this.#all = judges
    this.#free = [...judges]
  }

  /** In the order of the jobs. Rejects as SupervisedJudge does, and then judges no more of these jobs. */
  async judge(jobs: readonly JudgeJob[], signal?: AbortSignal): Promise<JudgeResult[]> {
    let hasFailed = false
    const judgeOne = async (job: JudgeJob): Promise<JudgeResult> => {
      const judge = await this.#take()
      try {
        return hasFailed ? [] : (await judge.judge([job], signal))[0]!
      } catch (error) {
        hasFailed = true
        throw error
      } finally {
        this.#give(judge)
      }
    }
    return Promise.all(jobs.map(judgeOne))
  }

  /** Ends the workers. Pending calls reject. */
  close(): void {
    for (const judge of this.#all) judge.close()
  }

  async #take(): Promise<SupervisedJudge> {
    return this.#free.pop() ?? new Promise((resolve) => this.#waiting.push(resolve))
  }

  #give(judge: SupervisedJudge): void {
    const next = this.#waiting.shift()
    if (next) next(judge)
    else this.#free.push(judge)
  }
}
