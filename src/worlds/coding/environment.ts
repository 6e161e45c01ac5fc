/**
 * Programming problems as the loop's environment. An episode is one step, the program; the problem's hidden tests are the
 * ground truth. All programs of a call go to the judge together, and duplicates of a task's program run once.
 */
import { EqualResults } from '../../method/equal-results.ts'
import type {
  EnvironmentPort,
  EpisodeStart,
  RewriteResult,
  Split,
  StepResult,
  Task,
  TestResult,
  UnitTestJob,
  UnitTestPort,
  UnitTestReport,
} from '../../method/ports.ts'
import {
  CHECKER_LIMITS,
  DEFAULT_LIMITS,
  type JudgeJob,
  type JudgePort,
  type Limits,
  type Test,
} from './judge/verdict.ts'
import type { CodingTask, Problem } from './problem.ts'
import { describeImported, rewriteImported } from './released/rewrites.ts'
import type { ProblemSource } from './problem-source.ts'
import { outcomeOf } from './program-outcome.ts'
import { UnknownEpisodeError } from '../unknown-episode-error.ts'
import { describeSpec } from './problems/statement.ts'
import { applyRewrite } from './problems/rewrites.ts'
import { claimsOf, columnsOf, settled, type WrittenColumns } from './written-tests/columns.ts'
import { readTest, testResult } from './written-tests/read-test.ts'

interface CodingOptions {
  judge: JudgePort
  problems: ProblemSource
}

/** Whatever programs do is a result. Errors of the judge itself propagate from `step` and `runTests`. */
export class CodingEnvironment implements EnvironmentPort, UnitTestPort {
  readonly #judge: JudgePort
  readonly #problems: ProblemSource
  readonly #tasks = new Map<string, CodingTask>()

  constructor({ judge, problems }: CodingOptions) {
    this.#judge = judge
    this.#problems = problems
  }

  sampleTasks(split: Split, count: number, seed: number): Promise<Task[]> {
    return this.#problems.draw(split, count, seed)
  }

  async reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]> {
    return starts.map(({ episodeId, task }) => {
      this.#tasks.set(episodeId, task as CodingTask)
      return { episodeId, opening: problemOf(task).statement }
    })
  }

  async step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]> {
    const batch = new ProgramBatch()
    const programs = actions.map(({ episodeId, command }) => {
      const task = this.#tasks.get(episodeId)
      if (!task) throw new UnknownEpisodeError(episodeId)
      return { episodeId, index: batch.add(task.id, command, () => groundTruth(task)) }
    })
    const results = await batch.run(this.#judge)
    return programs.map(({ episodeId, index }) => {
      this.#tasks.delete(episodeId)
      const tests = results[index]!
      const { isRight, failed, observation } = outcomeOf(tests)
      return {
        episodeId,
        observation,
        won: isRight,
        done: true,
        trueLabel: isRight ? 1 : -1,
        distance: failed,
        tests: [...tests],
      }
    })
  }

  async describe(task: Task): Promise<string> {
    const coding = task as CodingTask
    return coding.body.spec ? describeSpec(coding) : describeImported(coding)
  }

  async rewrite(task: Task, rewriteText: string, newId: string): Promise<RewriteResult> {
    const coding = task as CodingTask
    if (coding.body.spec) return applyRewrite(coding, rewriteText, newId)
    return rewriteImported(coding, rewriteText, newId, async (job) => (await this.#judge.judge([job]))[0]!)
  }

  async runTests(jobs: readonly UnitTestJob[]): Promise<UnitTestReport[]> {
    const batch = new ProgramBatch()
    const written = await this.#settle(jobs.map(({ task, tests }) => columnsOf(problemOf(task), tests)))
    const asked = jobs.map(({ task, programs }, index) => {
      const problem = problemOf(task)
      const { columns, distinct } = written[index]!
      const runs = () => ({ problem, tests: distinct })
      const add = (source: string) => (distinct.length === 0 ? null : batch.add(index, source, runs))
      const rows = programs.map(add)
      return { columns, rows, reference: problem.reference === null ? null : add(problem.reference) }
    })
    const results = await batch.run(this.#judge)
    return asked.map(({ columns, rows, reference }) => {
      const inColumns = (row: number | null) =>
        columns.map((column) => (row === null || column === null ? null : results[row]![column]!))
      return {
        results: rows.map(inColumns),
        isTrue: inColumns(reference).map((result) => (result === null || result.isVoid ? null : result.passed)),
      }
    })
  }

  /** Asks the problems' checkers about the written tests (written-tests/columns.ts). */
  async #settle(written: readonly WrittenColumns[]): Promise<readonly WrittenColumns[]> {
    const asked = written.map(claimsOf)
    const jobs = asked.flatMap((tests): JudgeJob[] =>
      tests.length === 0 ? [] : [{ source: '', tests, limits: { ...DEFAULT_LIMITS, wallMs: wallMsOf(0, tests) } }],
    )
    if (jobs.length === 0) return written
    const results = (await this.#judge.judge(jobs))[Symbol.iterator]()
    return written.map((each, index) => (asked[index]!.length === 0 ? each : settled(each, results.next().value!)))
  }
}

interface Runs {
  problem: Problem
  tests: readonly Test[]
}

/** Collects programs for the judge. */
class ProgramBatch {
  readonly #jobs: JudgeJob[] = []
  readonly #indices = new Map<string, number>()

  /** Adds a program and returns the index of its results. Merges equal programs with the same key (a task or a job). */
  add(key: string | number, source: string, runs: () => Runs): number {
    const identity = JSON.stringify([key, source])
    const known = this.#indices.get(identity)
    if (known !== undefined) return known
    const { problem, tests } = runs()
    const index = this.#jobs.push({ source, tests, limits: limitsOf(problem, tests) }) - 1
    this.#indices.set(identity, index)
    return index
  }

  /**
   * results[index][test]. Equal results are one object, which stays one in a message to another thread: an iteration has 24,000
   * results, and few differ.
   */
  async run(judge: JudgePort): Promise<TestResult[][]> {
    if (this.#jobs.length === 0) return []
    const results = await judge.judge(this.#jobs)
    const equal = new EqualResults()
    return results.map((verdicts) => verdicts.map((verdict) => equal.first(testResult(verdict))))
  }
}

/** Throws an Error if the problem's own tests cannot be read, which import and generator rule out. */
function groundTruth(task: CodingTask): Runs {
  const problem = problemOf(task)
  const tests = problem.tests.map((written, index) => {
    const read = readTest(problem, written, Infinity)
    if ('test' in read) return read.test
    throw new Error(`Problem "${task.id}" cannot be judged: of its test ${index + 1}, ${read.reason}. Import it anew.`)
  })
  return { problem, tests }
}

/** Allows twice as much output as the longest expected answer. */
function limitsOf({ timeLimitMs }: Problem, tests: readonly Test[]): Limits {
  const longest = Math.max(...tests.map(({ expected }) => (typeof expected === 'string' ? expected : JSON.stringify(expected)).length)) // prettier-ignore
  return {
    ...DEFAULT_LIMITS,
    executedMs: timeLimitMs,
    wallMs: wallMsOf(timeLimitMs, tests),
    outputCharacters: Math.max(DEFAULT_LIMITS.outputCharacters, 2 * longest),
  }
}

/**
 * The clock is a backstop: three times the limit of executed time for all tests and checkers, so that only a very slow machine
 * ever reaches it.
 */
function wallMsOf(timeLimitMs: number, tests: readonly Test[]): number {
  const checked = tests.filter(({ checker }) => checker !== undefined).length
  return DEFAULT_LIMITS.wallMs + 3 * (timeLimitMs * tests.length + CHECKER_LIMITS.executedMs * checked)
}

function problemOf(task: Task): Problem {
  return task.body as Problem
}
