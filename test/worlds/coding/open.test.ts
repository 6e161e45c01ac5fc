import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WorkerLostError } from '../../../src/threads/errors.ts'
import { startThread } from '../../../src/threads/node-threads.ts'
import { openCoding, type CodingSources } from '../../../src/worlds/coding/open.ts'
import type { OpenedWorld } from '../../../src/worlds/world.ts'
import { connectWorker, type Bridge } from '../../../src/threads/worker-bridge.ts'
import type { Judge } from '../../../src/worlds/coding/judge/judge.ts'
import { expectingTests, type CodingTask } from '../../../src/worlds/coding/problem.ts'
import type { ImportedProblem } from '../../../src/worlds/coding/problem-source.ts'
import { codingFormats, importedCodingFormats } from '../../../src/worlds/coding/roles/plain-roles.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import type { Settings } from '../../../src/method/settings.ts'

const ENTRIES = {
  judge: new URL('../../../workers/judge.ts', import.meta.url),
  fragile: new URL('./judge/fixtures/fragile-judge.ts', import.meta.url),
}

const PLAIN = { policy: null, reward: null, author: null }

function imported(id: string, split: ImportedProblem['split']): ImportedProblem {
  const task: CodingTask = {
    id,
    rootId: id,
    instruction: 'Add two numbers.',
    kind: 'imported',
    body: {
      form: 'call',
      functionName: 'add',
      statement: 'Write add(a, b).',
      tests: [{ input: '[1, 2]', output: '3' }],
      timeLimitMs: 100,
      reference: null,
      spec: null,
    },
  }
  return { split, task }
}

describe('the coding world of a run', () => {
  let world: OpenedWorld | null = null
  let bridges: Bridge<Judge>[] = []
  afterEach(() => {
    world?.close()
    world = null
    bridges = []
  })

  function sources(given: Partial<Pick<CodingSources, 'listProblems'>> = {}, entry: keyof typeof ENTRIES = 'judge') {
    return {
      judges: 1,
      listProblems: vi.fn<CodingSources['listProblems']>(() => Promise.reject(new Error('no library'))),
      startJudge: vi.fn<CodingSources['startJudge']>(() => {
        const bridge = connectWorker<Judge>(startThread(ENTRIES[entry]), 'judge')
        bridges.push(bridge)
        return bridge
      }),
      onJudgeLoss: vi.fn<(loss: WorkerLostError) => void>(),
      ...given,
    }
  }

  async function open(settings: Settings, from: CodingSources, isResumed = false) {
    return (world = await openCoding({ settings, isResumed }, from))
  }

  const coding = (patch: Partial<Settings> = {}): Settings => ({ ...presetSettings('coding'), ...patch })

  it('has generated problems and a judge that starts with the first program and ends with the run', async () => {
    const from = sources()
    const { environment, unitTests, formatsFor, close } = await open(coding(), from)
    expect(await formatsFor(PLAIN)).toBe(codingFormats)
    const tasks = (await environment.sampleTasks('train', 2, 1)) as CodingTask[]
    await environment.reset(tasks.map((task) => ({ episodeId: task.id, task, maxSteps: 1 })))
    expect(from.startJudge).not.toHaveBeenCalled()
    const steps = tasks.map((task) => ({ episodeId: task.id, command: task.body.reference ?? '' }))
    expect((await environment.step(steps)).map(({ won }) => won)).toEqual([true, true])
    const [report] = await unitTests!.runTests([
      { task: tasks[0]!, programs: [tasks[0]!.body.reference!], tests: [expectingTests(tasks[0]!.body)[0]!, null] },
    ])
    expect(report).toMatchObject({ results: [[{ passed: true }, null]], isTrue: [true, null] })
    expect(from.startJudge).toHaveBeenCalledOnce()
    close()
    expect((await bridges[0]!.lost).reason).toBe('it was terminated')
    expect(from.onJudgeLoss).not.toHaveBeenCalled()
  })

  it('reports a lost judge, and only its current program fails', async () => {
    const from = sources({ listProblems: () => Promise.resolve([imported('a', 'train')]) }, 'fragile')
    const { environment } = await open(coding({ problems: 'imported' }), from)
    const [task] = await environment.sampleTasks('train', 1, 0)
    const programs = ['const add = (a, b) => a + b', 'EXIT', 'function add(a, b) { return b + a }']
    const ids = programs.map((_, index) => `e${index}`)
    await environment.reset(ids.map((episodeId) => ({ episodeId, task: task!, maxSteps: 1 })))
    const results = await environment.step(programs.map((command, index) => ({ episodeId: ids[index]!, command })))
    expect(results.map(({ won }) => won)).toEqual([true, false, true])
    expect(from.onJudgeLoss.mock.calls).toMatchObject([[{ worker: 'judge', reason: 'exit code 7' }]])
  })

  it('uses imported problems, and loads them only then', async () => {
    const listProblems = vi.fn<CodingSources['listProblems']>(() =>
      Promise.resolve([imported('a', 'train'), imported('b', 'id')]),
    )
    const { environment, formatsFor } = await open(coding({ problems: 'imported' }), sources({ listProblems }))
    expect(await formatsFor(PLAIN)).toBe(importedCodingFormats)
    expect((await environment.sampleTasks('train', 5, 0)).map(({ id }) => id)).toEqual(['a'])
    expect((await environment.sampleTasks('id', 5, 0)).map(({ id }) => id)).toEqual(['b'])
    expect(await environment.sampleTasks('ood', 5, 0)).toEqual([])
  })

  it('gives every role as many tokens for imported problems as released, chat models too', async () => {
    const pieces = { start: '', systemEnd: '', responseCue: '', responseEnd: '', nextUser: '', reserved: [] }
    const listProblems = () => Promise.resolve([imported('a', 'train')])
    const { formatsFor } = await open(coding({ problems: 'imported' }), sources({ listProblems }))
    const { policy, reward, author } = await formatsFor({ policy: pieces, reward: pieces, author: pieces })
    expect([policy, reward, author].map(({ maxTokens }) => maxTokens)).toEqual([2048, 2048, 8096])
  })

  const IMPORTED = coding({ problems: 'imported' })
  const UNEVALUATED = coding({ problems: 'imported', evaluateEvery: 0 })
  it.each([
    ['none at all', [], IMPORTED, false, 'none are imported.'],
    ['none for training', [imported('b', 'id')], IMPORTED, false, 'none of the 1 is for training'],
    ['none for the evaluations of a resumed run', [], IMPORTED, true, 'none are left'],
    ['none for a new run, evaluated or not', [], UNEVALUATED, false, 'none are imported.'],
    ['none, but all are in the log', [], UNEVALUATED, true, null],
    ['none for training, but those are in the log', [imported('b', 'id')], IMPORTED, true, null],
  ] as const)(
    'reports missing problems before anything is loaded: %s',
    async (_, problems, settings, isResumed, why) => {
      const opening = open(settings, sources({ listProblems: () => Promise.resolve(problems) }), isResumed)
      if (why === null) await expect(opening).resolves.toBeDefined()
      else
        await expect(opening).rejects.toMatchObject({
          name: 'NoProblemsError',
          message: expect.stringContaining(why) as string,
        })
    },
  )
})
