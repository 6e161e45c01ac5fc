/**
 * A made-up run of the coding world for tests of the page. Its programs are functions of this file and really run.
 * Which programs and tests are written is made up, so that every mark and every verdict occurs.
 */
import type { EpisodeStep, GeneratedTest, LoggedBody, LoggedEvent } from '../../src/method/events.ts'
import type { Outcome, Task, TestResult, WrittenTest } from '../../src/method/ports.ts'
import { presetSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'
import { serialiseRunLog } from '../../src/runs/run-log.ts'

export const fakeCodingSettings: Settings = {
  ...presetSettings('coding'),
  seed: 7,
  lambda: 1,
  tasksPerIteration: 2,
  groupSize: 6,
  evaluationsPerStep: 5,
  taskPoolSize: 4,
  evaluateEvery: 2,
}

interface Variant {
  source: (limit: number) => string
  /** Its answer to a list, or its verdict. */
  answer: (xs: readonly number[], limit: number) => number | { verdict: string; detail: string }
}

const sum = (xs: readonly number[]) => xs.reduce((total, x) => total + x, 0)
const VARIANTS: readonly Variant[] = [
  {
    source: (limit) => `// Sum of what is above the limit.\nfunction f(xs) {\n  let total = 0\n  for (const x of xs) if (x > ${limit}) total += x\n  return total\n}`,
    answer: (xs, limit) => sum(xs.filter((x) => x > limit)),
  },
  {
    source: (limit) => `function f(xs) {\n  return xs.filter((x) => x >= ${limit}).reduce((a, b) => a + b, 0)\n}`,
    answer: (xs, limit) => sum(xs.filter((x) => x >= limit)),
  },
  {
    source: (limit) => `const f = (xs) => xs.filter((x) => x > ${limit}).reduce((a, b) => a + b, 0)`,
    answer: (xs, limit) => sum(xs.filter((x) => x > limit)),
  },
  {
    source: () => 'function f(xs) {\n  return xs.sum()\n}',
    answer: () => ({ verdict: 'runtime error', detail: 'TypeError: not a function (line 2)' }),
  },
  {
    source: () => 'function f(xs) {\n  while (xs.length) xs.push("<b>" + 1)\n}',
    answer: (xs) => (xs.length === 0 ? { verdict: 'wrong answer', detail: 'expected 0, got nothing' } : { verdict: 'time limit', detail: '' }),
  },
  { source: () => 'function f(xs) {\n  return xs.reduce((a, b => a', answer: () => ({ verdict: 'syntax error', detail: 'line 2' }) },
] // prettier-ignore

const rightAnswer = (xs: readonly number[], limit: number) => String(sum(xs.filter((x) => x > limit)))

function resultOf(variant: Variant, limit: number, { input, output }: WrittenTest): TestResult {
  const [xs] = JSON.parse(input) as [number[]]
  const answer = variant.answer(xs, limit)
  if (typeof answer !== 'number') return { passed: false, ...answer }
  return String(answer) === output
    ? { passed: true, verdict: 'passed', detail: '' }
    : { passed: false, verdict: 'wrong answer', detail: `expected ${output}, got ${answer}` }
}

function hiddenTests(limit: number): WrittenTest[] {
  return [[limit, limit + 1], [], [limit - 1, limit + 3, limit + 5]].map((xs) => ({
    input: JSON.stringify([xs]),
    output: rightAnswer(xs, limit),
  }))
}

function makeTask(id: string, rootId: string, limit: number): Task {
  const statement = `Write f(xs): the sum of the numbers of the list xs that are above ${limit}.`
  return {
    id,
    rootId,
    instruction: statement,
    kind: 'arrays',
    body: {
      statement,
      tests: hiddenTests(limit),
      timeLimitMs: 1000,
      reference: VARIANTS[0]!.source(limit),
      spec: null,
      form: 'call',
      functionName: 'f',
    },
  }
}

/** Tests that detect, that every running program passes, that are false, that cannot be parsed, and that are empty. */
function writtenTests(limit: number): GeneratedTest[] {
  const test = (xs: readonly number[], output?: number): WrittenTest => ({
    input: JSON.stringify([xs]),
    output: output === undefined ? rightAnswer(xs, limit) : String(output),
  })
  return [
    { reasoning: `xs = [${limit}, 7]: ${limit} is not above ${limit}, so it is left out.`, test: test([limit, 7]), isTrue: true },
    { reasoning: 'Nothing is above the limit.', test: test([]), isTrue: true },
    { reasoning: `Above ${limit} there is ${limit + 2}, and I add one.`, test: test([limit + 2], limit + 3), isTrue: false },
    { reasoning: 'Let me think of a list and', test: null, isTrue: null },
    { reasoning: 'A list of words.', test: { input: 'xs = one, two', output: '3' }, isTrue: null },
  ] // prettier-ignore
}

export interface FakeCodingRunOptions {
  iterations?: number
  settings?: Partial<Settings>
}

export function* fakeCodingRun({
  iterations = 4,
  settings: changes,
}: FakeCodingRunOptions = {}): Generator<LoggedEvent> {
  const settings = { ...fakeCodingSettings, ...changes }
  let seq = 0
  let iteration = 0
  const log = (body: LoggedBody): LoggedEvent => ({ ...body, seq: seq++, iteration })
  const limits = new Map<string, number>()
  const tasks: Task[] = []
  const add = (task: Task, limit: number) => {
    limits.set(task.id, limit)
    return task
  }

  yield log({
    type: 'run-started',
    runId: 'fake-coding',
    settings,
    preset: 'coding',
    backend: 'cpu',
    models: { policy: 'coding-policy', reward: 'coding-reward', author: 'coding-author' },
  })
  for (let i = 0; i < settings.taskPoolSize; i++) {
    const task = add(makeTask(`problem-${i}`, `problem-${i}`, 2 + i), 2 + i)
    tasks.push(task)
    yield log({ type: 'task-added', task, split: 'train' })
  }
  const original = tasks[0]!
  const candidate = add(makeTask('problem-0.1', 'problem-0', 9), 9)

  for (iteration = 1; iteration <= iterations; iteration++) {
    const chosen = [tasks[0]!, tasks[1 + (iteration % (tasks.length - 1))]!]
    const pending = iteration === 2 ? [candidate] : []
    yield log({
      type: 'iteration-started',
      taskIds: chosen.map(({ id }) => id),
      pendingTaskIds: pending.map(({ id }) => id),
    })
    if (settings.evaluateEvery > 0 && (iteration - 1) % settings.evaluateEvery === 0) {
      const growth = iteration / 20
      for (const split of ['id', 'ood'] as const) {
        const level = split === 'id' ? 0.4 + growth : 0.3 + growth
        const tests = {
          ut: level + 0.1,
          utTests: 80,
          detect: split === 'ood' && iteration === 1 ? null : level / 2,
          detectTests: 40,
        }
        yield log({
          type: 'evaluation',
          split,
          policyVersion: iteration - 1,
          acc: level,
          episodes: 64,
          tests,
          temperature: 0,
          serves: 'both',
        })
      }
    }
    for (const task of [...chosen, ...pending]) yield* playTask(task)
    for (const role of ['policy', 'reward'] as const) {
      yield log({
        type: 'model-updated',
        role,
        version: iteration,
        examples: 12,
        metrics: {
          pg_loss: 0.1,
          kl_loss: 0.001,
          ppo_kl: 0.002,
          pg_clipfrac: 0.01,
          entropy: 0.5,
          grad_norm: 0.7,
          lossTokens: 400,
          trainedTokens: 900,
        },
      })
    }
    if (iteration === 1) {
      yield log({
        type: 'rewrite-proposed',
        proposalId: 'proposal-1',
        taskId: original.id,
        direction: 'harder',
        accuracy: 0.83,
        policyVersion: 1,
        criticSummary: 'Most programs pass all tests; those that fail take the limit itself for one that is above it.',
        attempts: [
          {
            text: 'above 2 → above 99',
            message: 'Refused: 99 is not one of the constants that a limit may be.',
            ok: false,
          },
          { text: 'above 2 → above 9', message: 'The limit was changed from 2 to 9.', ok: true },
        ],
        candidate,
      })
    }
    if (iteration === 2) {
      yield log({
        type: 'rewrite-resolved',
        proposalId: 'proposal-1',
        taskId: original.id,
        candidateId: candidate.id,
        direction: 'harder',
        accuracyBefore: 0.83,
        policyVersionBefore: 1,
        accuracyAfter: 0.33,
        policyVersionAfter: 2,
        accepted: true,
        rule: "α_low < acc(q') < acc(q): 0.2 < 0.33 < 0.83",
      })
      tasks[0] = candidate
    }
    const theory = { pPlus: 0.7, pMinus: 0.6, mu: 1.3, precisionBound: 0.2, successShare: 1 / 3 }
    yield log({ type: 'theory', ...theory, grounded: 0.27, selfConsistency: 0.4 })
    yield log({
      type: 'iteration-finished',
      metrics: {
        'policy/acc': 1 / 3,
        'reward/ut': 0.5 + iteration / 40,
        'reward/detect': 0.3 + iteration / 40,
        'reward/test_truth': 0.4 + iteration / 40,
        'policy/entropy': 0.5,
        'reward/entropy': 0.4,
      },
    })
  }
  iteration -= 1
  yield log({ type: 'run-finished', reason: 'completed' })

  function* playTask(task: Task): Generator<LoggedEvent> {
    const limit = limits.get(task.id)!
    const group = Array.from({ length: settings.groupSize }, (_, rollout) => ({
      rollout,
      episodeId: `it${iteration}-${task.id}-${rollout}`,
      variant: VARIANTS[rollout % VARIANTS.length]!,
    }))
    const outcomes: Outcome[] = []
    for (const { rollout, episodeId, variant } of group) {
      const tests = hiddenTests(limit).map((test) => resultOf(variant, limit, test))
      const outcome: Outcome = tests.every(({ passed }) => passed) ? 1 : -1
      outcomes.push(outcome)
      const command = variant.source(limit)
      const failed = tests.filter(({ passed }) => !passed).length
      const step: EpisodeStep = {
        response: command,
        thought: '',
        command,
        observation: `${tests.length - failed} of ${tests.length} tests passed`,
        tokens: [4, 5, 6],
        logProbs: [-0.1, -0.2, -0.3],
        entropies: [0.2, 0.3, 0.4],
        trueLabel: outcome,
        distance: failed,
        tests,
      }
      yield log({
        type: 'episode',
        episodeId,
        taskId: task.id,
        split: 'train',
        rollout,
        policyVersion: iteration - 1,
        instruction: task.instruction,
        opening: task.instruction,
        steps: [step],
        outcome,
      })
    }
    const written = writtenTests(limit)
    const results = group.map(({ variant }) =>
      written.map(({ test, isTrue }) => (test === null || isTrue === null ? null : resultOf(variant, limit, test))),
    )
    yield log({
      type: 'tests-written',
      taskId: task.id,
      split: 'train',
      rewardVersion: iteration - 1,
      tests: written,
      episodeIds: group.map(({ episodeId }) => episodeId),
      results,
    })
    const scores = results.map((row) => row.flatMap((result) => (result === null ? [] : [result.passed ? 1 : -1])))
    const feedback = scores.map((row, i) => outcomes[i]! + settings.lambda * (sum(row) / row.length))
    const mean = sum(feedback) / feedback.length
    for (const [i, { episodeId }] of group.entries()) {
      yield log({
        type: 'advantages',
        episodeId,
        feedback: [feedback[i]!],
        policy: [feedback[i]! - mean],
        reward: [[]],
      })
    }
    yield log({
      type: 'test-advantages',
      taskId: task.id,
      feedback: [1.2, 0.9, -0.8, -2, -2],
      reward: [1.3, 1.1, -0.2, null, -0.9],
    })
  }
}

export function fakeCodingRunLines(options: FakeCodingRunOptions = {}): string {
  return serialiseRunLog([...fakeCodingRun(options)])
}
