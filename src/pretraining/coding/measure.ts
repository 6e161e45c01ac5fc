/** Measures the coding models like the loop, with every program and test through the judge. */
import { demonstrateProgram } from '../../worlds/coding/roles/demonstrations.ts'
import { CodingEnvironment } from '../../worlds/coding/environment.ts'
import { Judge } from '../../worlds/coding/judge/judge.ts'
import type { JudgeResult } from '../../worlds/coding/judge/verdict.ts'
import { generatedProblems } from '../../worlds/coding/problem-source.ts'
import type { CodingTask } from '../../worlds/coding/problem.ts'
import { effortOf } from '../../worlds/coding/problems/spec.ts'
import { codingFormats } from '../../worlds/coding/roles/plain-roles.ts'
import { seededRandom } from '../../worlds/random.ts'
import { programGroupOf } from '../../method/test-writing/program-group.ts'
import { testRates, type TestRates } from '../../method/test-writing/test-metrics.ts'
import type { EpisodeFinished } from '../../method/events.ts'
import type { LanguageModelPort, Split } from '../../method/ports.ts'
import type { TaskGroup } from '../../method/task-group.ts'
import { TestQuestions } from '../../method/test-writing/test-questions.ts'
import { writeTests } from '../../method/test-writing/write-tests.ts'
import { lastOf, playEpisodes, type AuthorValidity } from '../measure-roles.ts'

export interface CodingMeasureOptions {
  split: Split
  tasks: number
  /** Programs of each task. */
  programs: number
  seed: number
  /** 1 by default; 0 is greedy. */
  temperature?: number
}

/** Generated problems and a judge in this thread. */
export function codingEnvironmentHere(): CodingEnvironment {
  const one = new Judge()
  const judge = {
    async judge(jobs: readonly Parameters<Judge['judge']>[0][]) {
      const results: JudgeResult[] = []
      for (const job of jobs) results.push(await one.judge(job))
      return results
    },
  }
  return new CodingEnvironment({ judge, problems: generatedProblems() })
}

export interface ProgramAccuracy {
  /** Share of programs that pass all tests. */
  strict: number
  /** Share of tasks that some programs solve and some do not. */
  mixed: number
  /** Share of programs that cannot be read. */
  malformed: number
}

export async function measurePrograms(
  policy: LanguageModelPort,
  environment: CodingEnvironment,
  { programs, ...options }: CodingMeasureOptions,
): Promise<ProgramAccuracy> {
  const episodes = await playEpisodes(policy, environment, codingFormats, {
    ...options,
    rollouts: programs,
    maxSteps: 1,
  })
  const outcomesOf = new Map<string, number[]>()
  for (const { taskId, outcome } of episodes) outcomesOf.set(taskId, [...(outcomesOf.get(taskId) ?? []), outcome])
  return {
    strict: shareOf(episodes, ({ outcome }) => outcome === 1),
    mixed: shareOf([...outcomesOf.values()], (outcomes) => new Set(outcomes).size === 2),
    malformed: shareOf(episodes, ({ steps }) => steps[0]!.tests!.every(({ verdict }) => verdict === 'syntax error')),
  }
}

export interface TestAccuracy extends TestRates {
  /** Share of tests that the reference solution passes. */
  truth: number
  unreadable: number
}

/** Measures tests on demonstrated programs with mistakes, as many for a task as tests are written for it. */
export async function measureTests(
  reward: LanguageModelPort,
  environment: CodingEnvironment,
  slip: number,
  options: CodingMeasureOptions,
): Promise<TestAccuracy> {
  const groups = await demonstratedGroups(environment, slip, options)
  const asked = {
    evaluationsPerStep: options.programs,
    temperature: 1,
    topP: 1,
    rewardVersion: 0,
    seed: options.seed,
  }
  const all = await lastOf(
    writeTests(
      new TestQuestions(reward, codingFormats.reward, asked),
      environment,
      codingFormats.reward,
      groups,
      asked,
    ),
  )
  const written = all.flatMap(({ written: { tests } }) => tests)
  return {
    ...testRates(groups.map(({ rollouts }, index) => programGroupOf(rollouts, all[index]!.passed))),
    truth: shareOf(written, ({ isTrue }) => isTrue === true),
    unreadable: shareOf(written, ({ test }) => test === null),
  }
}

/** Demonstrated programs in the form of rollouts, to measure tests on. */
async function demonstratedGroups(
  environment: CodingEnvironment,
  slip: number,
  { split, tasks, programs, seed }: CodingMeasureOptions,
): Promise<TaskGroup[]> {
  const sampled = (await environment.sampleTasks(split, tasks, seed)) as CodingTask[]
  const groups: TaskGroup[] = []
  for (const task of sampled) {
    const random = seededRandom('measured programs', seed, task.id)
    const actions = Array.from({ length: programs }, (_, rollout) => ({
      episodeId: `${task.id}#${rollout}`,
      command: demonstrateProgram(task.body.spec!, { slip }, random),
    }))
    const starts = await environment.reset(actions.map(({ episodeId }) => ({ episodeId, task, maxSteps: 1 })))
    const results = await environment.step(actions)
    const rollouts = actions.map(({ episodeId, command }, rollout) => {
      const { observation, won, trueLabel, distance, tests } = results[rollout]!
      const episode: EpisodeFinished = {
        type: 'episode',
        episodeId,
        taskId: task.id,
        split,
        rollout,
        policyVersion: 0,
        instruction: task.instruction,
        opening: starts[rollout]!.opening,
        outcome: won ? 1 : -1,
        steps: [
          {
            response: command,
            thought: '',
            command,
            observation,
            trueLabel,
            distance,
            ...(tests && { tests }),
            tokens: [],
            logProbs: [],
            entropies: [],
          },
        ],
      }
      return { episode, samples: [], clippedResponses: 0 }
    })
    groups.push({ task, pending: null, rollouts })
  }
  return groups
}

/** Share of valid rewrites that changed a task's effort in the requested direction. */
export function shareAsAsked(rewrites: AuthorValidity['rewrites']): number {
  return shareOf(rewrites, ({ before, after, direction }) => {
    const change = effortOf((after as CodingTask).body.spec!) - effortOf((before as CodingTask).body.spec!)
    return direction === 'harder' ? change > 0 : change < 0
  })
}

function shareOf<Item>(items: readonly Item[], isCounted: (item: Item) => boolean): number {
  return items.filter(isCounted).length / items.length
}
