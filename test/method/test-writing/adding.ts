/**
 * A coding world small enough to reason about: the problem is to add a number to every input below a size, and the program
 * "3<4" adds 3 to inputs below 4 and returns others unchanged. The policy handles each further input correctly with
 * probability `skill`, so larger sizes are harder. The reward model writes tests such as "2:5", for input 2 and output 5,
 * which are true with probability `insight` and sometimes unreadable. All draws depend only on the given seeds.
 */
import type { LoopPorts } from '../../../src/method/loop-contract.ts'
import type {
  EnvironmentPort,
  RoleFormats,
  Task,
  TestResult,
  UnitTestJob,
  UnitTestPort,
  UnitTestReport,
  WrittenTest,
} from '../../../src/method/ports.ts'
import { parseSettings, presetSettings } from '../../../src/method/presets.ts'
import type { Settings } from '../../../src/method/settings.ts'
import { FakeModel } from '../corridor.ts'

interface Problem {
  addend: number
  size: number
}
const problemOf = (task: Task) => task.body as Problem
const adding = (id: string, rootId: string, body: Problem): Task => ({
  id,
  rootId,
  instruction: `add ${body.addend} to ${body.size} inputs`,
  kind: 'adding',
  body,
})

/** The output of a program; null if it is invalid. */
export function run(program: string, input: number): number | null {
  const match = /^(\d+)<(\d+)$/u.exec(program)
  if (!match) return null
  return input < Number(match[2]) ? input + Number(match[1]) : input
}

function result(program: string, input: number, expected: number): TestResult {
  const output = run(program, input)
  if (output === expected) return { passed: true, verdict: 'passed', detail: '' }
  if (output === null) return { passed: false, verdict: 'syntax error', detail: '' }
  return { passed: false, verdict: 'wrong answer', detail: `expected ${expected}, got ${output}` }
}

const hiddenTests = (task: Task, program: string): TestResult[] => {
  const { addend, size } = problemOf(task)
  return Array.from({ length: size }, (_, input) => result(program, input, input + addend))
}

export class AddingEnvironment implements EnvironmentPort {
  readonly #sizes: readonly number[]
  readonly #tasks = new Map<string, Task>()

  constructor(sizes: readonly number[]) {
    this.#sizes = sizes
  }

  async sampleTasks(split: 'train' | 'id' | 'ood', count: number): Promise<Task[]> {
    return Array.from({ length: count }, (_, index) => {
      const id = `${split}-${index}`
      return adding(id, id, { addend: 1 + (index % 9), size: this.#sizes[index % this.#sizes.length]! })
    })
  }

  async reset(starts: readonly { episodeId: string; task: Task }[]) {
    return starts.map(({ episodeId, task }) => {
      this.#tasks.set(episodeId, task)
      return { episodeId, opening: `${task.instruction}.` }
    })
  }

  async step(actions: readonly { episodeId: string; command: string }[]) {
    return actions.map(({ episodeId, command }) => {
      const tests = hiddenTests(this.#tasks.get(episodeId)!, command)
      this.#tasks.delete(episodeId)
      const failed = tests.filter(({ passed }) => !passed).length
      return {
        episodeId,
        observation: `${failed} failed`,
        won: failed === 0,
        done: true,
        trueLabel: failed === 0 ? (1 as const) : (-1 as const),
        distance: failed,
        tests,
      }
    })
  }

  async describe(task: Task): Promise<string> {
    return task.instruction
  }

  async rewrite(task: Task, rewriteText: string, newId: string) {
    const size = Number(rewriteText)
    if (!Number.isInteger(size) || size < 1) return { ok: false, message: `"${rewriteText}" is not a size.` }
    return {
      ok: true,
      task: adding(newId, task.rootId, { ...problemOf(task), size }),
      message: `Size ${problemOf(task).size} became ${size}.`,
    }
  }
}

export function isReadable(test: WrittenTest | null): test is WrittenTest {
  return test !== null && Number.isInteger(Number(test.input))
}

export class AddingTests implements UnitTestPort {
  readonly jobs: UnitTestJob[] = []
  readonly hasReference: boolean

  constructor(hasReference = true) {
    this.hasReference = hasReference
  }

  async runTests(jobs: readonly UnitTestJob[]): Promise<UnitTestReport[]> {
    this.jobs.push(...jobs)
    return jobs.map(({ task, programs, tests }) => ({
      results: programs.map((program) =>
        tests.map((test) => (isReadable(test) ? result(program, Number(test.input), Number(test.output)) : null)),
      ),
      isTrue: tests.map((test) =>
        isReadable(test) && this.hasReference
          ? Number(test.input) + problemOf(task).addend === Number(test.output)
          : null,
      ),
    }))
  }
}

export const codingFormats: RoleFormats = {
  policy: {
    opening: (text) => `${text}>`,
    afterResponse: () => '',
    parse: (response) => ({ thought: '', command: response }),
    maxTokens: 8,
  },
  reward: {
    kind: 'test-writer',
    prompt: (text) => `${text}?`,
    parse: (text) => {
      const match = /^(\w+):(\d+) (.*)$/u.exec(text)
      if (!match) return { reasoning: text, test: null }
      return { reasoning: match[3]!, test: { input: match[1]!, output: match[2]! } }
    },
    maxTokens: 24,
  },
  author: {
    prompt: ({ description, direction, criticSummary }) => `${direction} ${description} because ${criticSummary}`,
    parse: (text) => text,
    maxTokens: 8,
  },
}

export interface CodingWorldOptions {
  sizes?: number[]
  skill?: number
  insight?: number
  hasReference?: boolean
  onGenerate?: () => void
}

export type CodingWorld = LoopPorts & {
  policy: FakeModel
  reward: FakeModel
  author: FakeModel
  unitTests: AddingTests
}

export function codingWorld(options: CodingWorldOptions = {}): CodingWorld {
  let clock = 0
  const asked = (prompt: string) => /add (\d+) to (\d+) inputs/u.exec(prompt)!.slice(1).map(Number) as [number, number]
  return {
    policy: new FakeModel(
      options.skill ?? 0.75,
      (prompt, skill, uniform) => {
        const [addend, size] = asked(prompt)
        if (uniform() < 0.03) return 'no idea'
        let reach = 0
        while (reach < size && uniform() < skill) reach++
        return `${addend}<${reach}`
      },
      options.onGenerate,
    ),
    reward: new FakeModel(options.insight ?? 0.7, (prompt, insight, uniform) => {
      const [addend, size] = asked(prompt)
      if (uniform() < 0.1) return uniform() < 0.5 ? 'unreadable' : `x:1 adds ${addend}`
      const input = Math.floor(uniform() * size)
      const isTrue = uniform() < insight
      return `${input}:${input + addend + (isTrue ? 0 : 1)} adds ${addend}`
    }),
    author: new FakeModel(0, (prompt, _, uniform) => {
      if (uniform() < 0.3) return 'no idea'
      const size = asked(prompt)[1]
      return String(prompt.startsWith('harder') ? size + 1 : Math.max(1, size - 1))
    }),
    environment: new AddingEnvironment(options.sizes ?? [3, 1, 5, 2]),
    unitTests: new AddingTests(options.hasReference),
    formats: codingFormats,
    now: () => ++clock,
  }
}

export const codingSettings = (input: Partial<Settings> = {}, preset = 'coding'): Settings =>
  parseSettings(
    {
      seed: 7,
      groupSize: 6,
      tasksPerIteration: 4,
      taskPoolSize: 8,
      evaluationsPerStep: 5,
      rewriteAttempts: 3,
      evaluateEvery: 2,
      evaluationTasks: 4,
      evaluationRollouts: 6,
      // One pass of evaluation, unless a test asks for two.
      evaluationTemperature: input.policyTemperature ?? presetSettings(preset).policyTemperature,
      policyLearningRate: 0.02,
      rewardLearningRate: 0.02,
      ...input,
    },
    preset,
  )
