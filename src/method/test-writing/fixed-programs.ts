/** Counts the tests that the reward model writes for problems with fixed programs, by split (judge-evaluation/measures.ts). */
import type { PhaseProgressed, TestCounts } from '../events.ts'
import type { Replayed } from '../judge-evaluation/replay.ts'
import type { LanguageModelPort, TestWriterFormat, UnitTestPort } from '../ports.ts'
import type { AskOptions } from '../reward-strategy.ts'
import type { TaskGroup } from '../task-group.ts'
import { programGroupOf } from './program-group.ts'
import { testCounts } from './test-metrics.ts'
import { TestQuestions } from './test-questions.ts'
import { writeTests } from './write-tests.ts'

type Cell = TestCounts & { split: 'id' | 'ood' }

/** The tests themselves are not yielded, as held-out tasks of a run have the same place in the log. */
export async function* measureTests(
  ports: { reward: LanguageModelPort; unitTests: UnitTestPort },
  format: TestWriterFormat,
  replayed: readonly Replayed[],
  options: AskOptions,
): AsyncGenerator<PhaseProgressed, { tests: Cell[] }, void> {
  const groups = groupsOf(replayed)
  const writing = writeTests(new TestQuestions(ports.reward, format, options), ports.unitTests, format, groups, options)
  for (;;) {
    const next = await writing.next()
    if (!next.done) {
      if (next.value.type === 'progress') yield { ...next.value, phase: 'evaluate' }
      continue
    }
    const programs = groups.map(({ rollouts }, index) => ({
      split: rollouts[0]!.episode.split,
      group: programGroupOf(rollouts, next.value[index]!.passed),
    }))
    const cells = (['id', 'ood'] as const).flatMap((split): Cell[] => {
      const ofSplit = programs.filter((entry) => entry.split === split).map(({ group }) => group)
      return ofSplit.length === 0 ? [] : [{ split, ...testCounts(ofSplit) }]
    })
    return { tests: cells }
  }
}

/** The programs of each problem, whoever wrote them. */
function groupsOf(replayed: readonly Replayed[]): TaskGroup[] {
  const groups = new Map<string, TaskGroup & { rollouts: TaskGroup['rollouts'][number][] }>()
  for (const { trajectory, episode } of replayed) {
    const { task } = trajectory
    const group = groups.get(task.id) ?? { task, pending: null, rollouts: [] }
    group.rollouts.push({ episode, samples: [], clippedResponses: 0 })
    groups.set(task.id, group)
  }
  return [...groups.values()]
}
