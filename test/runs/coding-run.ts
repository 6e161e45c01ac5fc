/**
 * A coding run for tests: generated problems and the judge, as in a real run, but with fake models. The policy writes the reference
 * solution with probability `level`; the reward model writes true tests and spoils half of them.
 */
import { startThread } from '../../src/threads/node-threads.ts'
import { openCoding } from '../../src/worlds/coding/open.ts'
import { connectWorker, type Bridge } from '../../src/threads/worker-bridge.ts'
import { Judge } from '../../src/worlds/coding/judge/judge.ts'
import type { ImportedProblem } from '../../src/worlds/coding/problem-source.ts'
import { expectingTests, type Problem } from '../../src/worlds/coding/problem.ts'
import { testResponse } from '../worlds/coding/test-response.ts'
import type { EnvironmentPort } from '../../src/method/ports.ts'
import { presetSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'
import type { OpenedRun } from '../../src/sessions/opened-run.ts'
import { FakeModel } from '../method/corridor.ts'

const JUDGE = new URL('../../workers/judge.ts', import.meta.url)

export function smallCodingSettings(patch: Partial<Settings> = {}): Settings {
  return {
    ...presetSettings('coding'),
    tasksPerIteration: 2,
    groupSize: 4,
    evaluationsPerStep: 3,
    taskPoolSize: 4,
    rewriteAttempts: 1,
    evaluateEvery: 2,
    evaluationTasks: 2,
    evaluationRollouts: 2,
    evaluationTemperature: 1,
    ...patch,
  }
}

export interface CodingRunOptions {
  /** Used if the settings ask for imported problems. */
  problems?: readonly ImportedProblem[]
  /** What the policy writes instead of right and wrong programs. */
  write?: (uniform: () => number) => string
  /** Gives the judge a thread of its own, as in a real run, and is called when the thread is ready to judge. */
  onJudgeReady?: () => void
}

const judgeHere = (): Bridge<Judge> => ({ remote: new Judge(), lost: new Promise(() => {}), terminate() {} })

function judgeInThread(onReady: () => void): Bridge<Judge> {
  const bridge = connectWorker<Judge>(startThread(JUDGE), 'judge')
  void bridge.remote.load().then(onReady)
  return bridge
}

export async function openCodingRun(settings: Settings, options: CodingRunOptions = {}): Promise<OpenedRun> {
  const {
    close,
    formatsFor,
    grammars: _,
    ...world
  } = await openCoding(
    { settings, isResumed: false },
    {
      listProblems: () => Promise.resolve(options.problems ?? []),
      judges: 1,
      startJudge: () => (options.onJudgeReady ? judgeInThread(options.onJudgeReady) : judgeHere()),
      onJudgeLoss(loss) {
        throw loss
      },
    },
  )
  const problems = new Map<string, Problem>()
  const problemIn = (prompt: string): Problem => {
    for (const [statement, problem] of problems) if (prompt.startsWith(statement)) return problem
    throw new Error(`No problem that was begun has these words: ${prompt}`)
  }
  return {
    ports: {
      policy: new FakeModel(0.4, (prompt, skill, uniform) => {
        if (options.write) return options.write(uniform)
        return uniform() < skill ? problemIn(prompt).reference! : `// ${uniform()}`
      }),
      reward: new FakeModel(0.5, (prompt, insight, uniform) => {
        const tests = expectingTests(problemIn(prompt))
        const { input, output } = tests[Math.floor(uniform() * tests.length)]!
        return testResponse({ input, output: uniform() < insight ? output : '"spoilt"' })
      }),
      author: new FakeModel(0, () => 'nothing that could be read'),
      now: () => 0,
      ...world,
      formats: await formatsFor({ policy: null, reward: null, author: null }),
      environment: remembering(world.environment, problems),
    },
    backend: 'cpu',
    models: { policy: 'p', reward: 'r', author: 'a' },
    interrupt: close,
    close,
  }
}

/** The same environment, which also finds the problem of an episode by its statement. */
function remembering(environment: EnvironmentPort, problems: Map<string, Problem>): EnvironmentPort {
  return {
    sampleTasks: (...sample) => environment.sampleTasks(...sample),
    reset(starts) {
      for (const { task } of starts) problems.set((task.body as Problem).statement, task.body as Problem)
      return environment.reset(starts)
    },
    step: (actions) => environment.step(actions),
    describe: (task) => environment.describe(task),
    rewrite: (...rewrite) => environment.rewrite(...rewrite),
  }
}
