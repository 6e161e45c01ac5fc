/**
 * Programming problems as the loop's environment: an episode is one step, the program, and ground truth are the problem's
 * hidden tests. Programs of a call go to the judge together, each of a task once, however often it was written.
 */
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
  WrittenTest,
} from '../../method/ports.ts'
import { DEFAULT_LIMITS, type JudgeJob, type JudgePort, type Limits, type Test } from './judge/verdict.ts'
import type { CodingTask, Problem } from './problem.ts'
import { describeImported, rewriteImported } from './problem-rewrites.ts'
import type { ProblemSource } from './problem-source.ts'
import { describeSpec } from './problems/describe.ts'
import { applyRewrite } from './problems/rewrites.ts'
import { readTest, testResult } from './written-tests.ts'

export interface CodingOptions {
  judge: JudgePort
  problems: ProblemSource
}

/** Thrown when a step names an episode that was never reset or is over. */
export class UnknownProgramError extends Error {
  override readonly name = 'UnknownProgramError'

  constructor(readonly episodeId: string) {
    super(`There is no running episode "${episodeId}": it was not reset, or it is over. Reset it before stepping it.`)
  }
}

/** Errors of the judge itself propagate from `step` and `runTests`; whatever programs do is a result. */
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
      if (!task) throw new UnknownProgramError(episodeId)
      return { episodeId, index: batch.add(task.id, command, () => groundTruth(task)) }
    })
    const results = await batch.run(this.#judge)
    return programs.map(({ episodeId, index }) => {
      this.#tasks.delete(episodeId)
      const tests = results[index]!
      const failed = tests.filter(({ passed }) => !passed).length
      return {
        episodeId,
        observation: observationOf(tests),
        won: failed === 0,
        done: true,
        trueLabel: failed === 0 ? 1 : -1,
        distance: failed,
        tests: tests.map((test) => ({ ...test })),
      }
    })
  }

  async describe(task: Task): Promise<string> {
    const coding = task as CodingTask
    return coding.body.spec ? describeSpec(coding) : describeImported(coding)
  }

  async rewrite(task: Task, rewriteText: string, newId: string): Promise<RewriteResult> {
    const coding = task as CodingTask
    return coding.body.spec ? applyRewrite(coding, rewriteText, newId) : rewriteImported(coding, rewriteText, newId)
  }

  async runTests(jobs: readonly UnitTestJob[]): Promise<UnitTestReport[]> {
    const batch = new ProgramBatch()
    const asked = jobs.map(({ task, programs, tests }, index) => {
      const problem = problemOf(task)
      const { columns, distinct } = columnsOf(problem, tests)
      const runs = () => ({ problem, tests: distinct })
      const add = (source: string) => (distinct.length === 0 ? null : batch.add(index, source, runs))
      const rows = programs.map(add)
      return { columns, rows, reference: problem.reference === null ? null : add(problem.reference) }
    })
    const results = await batch.run(this.#judge)
    return asked.map(({ columns, rows, reference }) => {
      const inColumns = (row: number | null) =>
        columns.map((column) => (row === null || column === null ? null : { ...results[row]![column]! }))
      return {
        results: rows.map(inColumns),
        isTrue: inColumns(reference).map((result) => result?.passed ?? null),
      }
    })
  }
}

interface Runs {
  problem: Problem
  tests: readonly Test[]
}

/** Programs on their way to the judge. */
class ProgramBatch {
  readonly #jobs: JudgeJob[] = []
  readonly #indices = new Map<string, number>()

  /** Where the results of the program will be. Programs of the same text and key, a task or a job, are one. */
  add(key: string | number, source: string, runs: () => Runs): number {
    const identity = JSON.stringify([key, source])
    const known = this.#indices.get(identity)
    if (known !== undefined) return known
    const { problem, tests } = runs()
    const index = this.#jobs.push({ source, tests, limits: limitsOf(problem, tests) }) - 1
    this.#indices.set(identity, index)
    return index
  }

  /** results[index][test] */
  async run(judge: JudgePort): Promise<TestResult[][]> {
    if (this.#jobs.length === 0) return []
    const results = await judge.judge(this.#jobs)
    return results.map((verdicts) => verdicts.map(testResult))
  }
}

/** Throws an Error for a problem whose own tests cannot be read: nothing that imports or generates problems lets it pass. */
function groundTruth(task: CodingTask): Runs {
  const problem = problemOf(task)
  const tests = problem.tests.map((written, index) => {
    const read = readTest(problem, written, Infinity)
    if ('test' in read) return read.test
    throw new Error(`Problem "${task.id}" cannot be judged: of its test ${index + 1}, ${read.reason}. Import it anew.`)
  })
  return { problem, tests }
}

/** The tests that can be read, each once, and which of them stands in which column. */
function columnsOf(problem: Problem, tests: readonly (WrittenTest | null)[]) {
  const distinct: Test[] = []
  const indices = new Map<string, number>()
  const columns = tests.map((written) => {
    const read = written === null ? null : readTest(problem, written)
    if (read === null || !('test' in read)) return null
    const identity = JSON.stringify(read.test)
    const index = indices.get(identity) ?? distinct.push(read.test) - 1
    indices.set(identity, index)
    return index
  })
  return { columns, distinct }
}

/**
 * The clock is a backstop: three times what all tests may take by executed time, so that it decides nothing on a machine
 * that is not very slow. Output has room for the longest expected answer and as much again.
 */
function limitsOf({ timeLimitMs }: Problem, tests: readonly Test[]): Limits {
  const longest = Math.max(...tests.map(({ expected }) => (typeof expected === 'string' ? expected : JSON.stringify(expected)).length)) // prettier-ignore
  return {
    ...DEFAULT_LIMITS,
    executedMs: timeLimitMs,
    wallMs: DEFAULT_LIMITS.wallMs + 3 * timeLimitMs * tests.length,
    outputCharacters: Math.max(DEFAULT_LIMITS.outputCharacters, 2 * longest),
  }
}

function observationOf(tests: readonly TestResult[]): string {
  const passed = tests.filter((test) => test.passed).length
  const summary = `${passed} of ${tests.length} tests passed`
  const first = tests.findIndex((test) => !test.passed)
  if (first < 0) return summary
  const { verdict, detail } = tests[first]!
  return `${summary}; test ${first + 1}: ${verdict}${detail === '' ? '' : `, ${detail}`}`
}

function problemOf(task: Task): Problem {
  return task.body as Problem
}
