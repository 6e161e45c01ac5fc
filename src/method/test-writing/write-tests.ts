/**
 * The reward model's m tests for every task, each run on all programs of the task's group:
 *
 *     prompt of a task = encode(prompt(opening))     m completions of one prompt, one test each
 *
 * The reward model sees the problem but no program (llm_reward_rollout.py:459-491). Each generate call takes whole tasks, up
 * to a limit, so that progress shows and memory stays flat.
 */
import type { GeneratedTest, PhaseProgressed, TestsWritten } from '../events.ts'
import type { Completion, LanguageModelPort, TestWriterFormat, UnitTestPort, UnitTestReport } from '../ports.ts'
import { deriveSeed } from '../random.ts'
import type { AskOptions, Sampling } from '../reward-strategy.ts'
import type { TaskGroup } from '../task-group.ts'
import type { TrainingSample } from '../training-sample.ts'
import { flippedResult, isFlipped } from '../vote-flips.ts'
import { passedOf } from './program-group.ts'

/** Most tests in one generate call, unless a single task has more. */
export const TESTS_PER_CALL = 256

export interface TaskTests extends Sampling {
  written: TestsWritten
  /** passed[program][test]; null if the test is unreadable, or void for the program. */
  passed: (boolean | null)[][]
  /** samples[test] */
  samples: TrainingSample[]
}

/** Yields each task's tests when they have been run. Returns them in the order of the groups. */
export async function* writeTests(
  ports: { reward: LanguageModelPort; unitTests: UnitTestPort },
  format: TestWriterFormat,
  groups: readonly TaskGroup[],
  options: AskOptions,
): AsyncGenerator<TestsWritten | PhaseProgressed, TaskTests[], void> {
  const phase = groups.some((group) => splitOf(group) === 'train') ? 'judge' : 'evaluate'
  const tasksPerCall = Math.max(1, Math.floor(TESTS_PER_CALL / options.evaluationsPerStep))
  const all: TaskTests[] = []
  yield { type: 'progress', phase, done: 0, total: groups.length }
  for (let start = 0; start < groups.length; start += tasksPerCall) {
    options.signal?.throwIfAborted()
    const batch = groups.slice(start, start + tasksPerCall)
    const prompts = await ports.reward.encode(batch.map((group) => format.prompt(openingOf(group))))
    const completions = await ports.reward.generate(
      batch.map(({ task }, index) => ({
        prompt: prompts[index]!,
        count: options.evaluationsPerStep,
        seed: deriveSeed(options.seed, task.id),
      })),
      { temperature: options.temperature, topP: options.topP, maxTokens: format.maxTokens },
      options.signal,
    )
    options.signal?.throwIfAborted()
    const parsed = batch.map(({ task }, index) => {
      const texts = completions[index]
      if (!texts) throw new Error(`The reward model returned no tests for task ${task.id}.`)
      return texts.map(({ text }) => format.parse(text))
    })
    const reports = await ports.unitTests.runTests(
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
        ...sampled(completions[index]!, prompts[index]!),
      })
      yield written
    }
    yield { type: 'progress', phase, done: all.length, total: groups.length }
  }
  return all
}

function sampled(
  completions: readonly Completion[],
  prompt: TrainingSample['prompt'],
): Pick<TaskTests, 'samples' | 'entropySum' | 'tokenCount'> {
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
