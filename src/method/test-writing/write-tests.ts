/**
 * The reward model's m tests for every task, each run on all programs of the task's group. Some tasks at a time, so that progress
 * shows and memory stays flat; tests of the next ones are written while these run.
 */
import type { GeneratedTest, PhaseProgressed, TestsWritten } from '../events.ts'
import type { TestWriterFormat, UnitTestPort, UnitTestReport } from '../ports.ts'
import type { AskOptions, Sampling } from '../reward-strategy.ts'
import type { TaskGroup } from '../task-group.ts'
import type { TrainingSample } from '../training-sample.ts'
import { flippedResult, isFlipped } from '../vote-flips.ts'
import { passedOf } from './program-group.ts'
import type { TestQuestions, TestTexts } from './test-questions.ts'

export interface TaskTests extends Sampling {
  written: TestsWritten
  /** passed[program][test]; null if the test is unreadable, or void for the program. */
  passed: (boolean | null)[][]
  /** samples[test] */
  samples: TrainingSample[]
}

/** Yields each task's tests when they have been run. Returns them in the order of the groups. */
export async function* writeTests(
  questions: TestQuestions,
  unitTests: UnitTestPort,
  format: TestWriterFormat,
  groups: readonly TaskGroup[],
  options: AskOptions,
): AsyncGenerator<TestsWritten | PhaseProgressed, TaskTests[], void> {
  const phase = groups.some((group) => splitOf(group) === 'train') ? 'judge' : 'evaluate'
  const { tasksPerCall } = questions
  const all: TaskTests[] = []
  questions.add(groups.map((group) => ({ task: group.task, opening: openingOf(group) })))
  yield { type: 'progress', phase, done: 0, total: groups.length }
  for (let start = 0; start < groups.length; start += tasksPerCall) {
    options.signal?.throwIfAborted()
    const batch = groups.slice(start, start + tasksPerCall)
    const texts = await Promise.all(batch.map(({ task }) => questions.textsOf(task)))
    options.signal?.throwIfAborted()
    const parsed = texts.map(({ completions }) => completions.map(({ text }) => format.parse(text)))
    const reports = await unitTests.runTests(
      batch.map((group, index) => ({
        task: group.task,
        programs: group.rollouts.map(({ episode }) => episode.steps[0]?.command ?? ''),
        tests: parsed[index]!.map(({ test }) => test),
      })),
    )
    options.signal?.throwIfAborted()
    for (const [index, group] of batch.entries()) {
      const report = checkedReport(reports[index], group, parsed[index]!.length)
      const tests = parsed[index]!.map(({ reasoning, test }, position): GeneratedTest => ({
        reasoning,
        test,
        isTrue: report.isTrue[position] ?? null,
      }))
      const results = report.results.map((ofProgram, program) =>
        ofProgram.map((result, test) =>
          result && isFlipped(options, group.task.id, program, test) ? flippedResult(result) : result,
        ),
      )
      const written: TestsWritten = {
        type: 'tests-written',
        taskId: group.task.id,
        split: splitOf(group),
        rewardVersion: options.rewardVersion,
        tests,
        episodeIds: group.rollouts.map(({ episode }) => episode.episodeId),
        results,
      }
      all.push({
        written,
        passed: results.map((ofProgram) => ofProgram.map(passedOf)),
        ...sampled(texts[index]!),
      })
      yield written
    }
    yield { type: 'progress', phase, done: all.length, total: groups.length }
  }
  return all
}

function sampled({ completions, prompt }: TestTexts): Pick<TaskTests, 'samples' | 'entropySum' | 'tokenCount'> {
  return {
    samples: completions.map(({ tokens, logProbs }) => ({ prompt, response: tokens, oldLogProbs: logProbs })),
    entropySum: completions.reduce((sum, { entropies }) => entropies.reduce((total, value) => total + value, sum), 0),
    tokenCount: completions.reduce((count, { entropies }) => count + entropies.length, 0),
  }
}

function checkedReport(report: UnitTestReport | undefined, { task, rollouts }: TaskGroup, tests: number) {
  const isWhole = report?.results.length === rollouts.length && report.results.every((row) => row.length === tests)
  if (!report || !isWhole) {
    throw new Error(`The tests of task ${task.id} were not reported as ${rollouts.length} programs on ${tests} tests.`)
  }
  return report
}

function splitOf({ rollouts, task }: TaskGroup): TestsWritten['split'] {
  return firstEpisode(rollouts, task.id).split
}

function openingOf({ rollouts, task }: TaskGroup): string {
  return firstEpisode(rollouts, task.id).opening
}

function firstEpisode(rollouts: TaskGroup['rollouts'], taskId: string) {
  const first = rollouts[0]
  if (!first) throw new Error(`Task ${taskId} has no programs to write tests for.`)
  return first.episode
}
