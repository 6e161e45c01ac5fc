import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { writeTinyModels } from '../engines/transformer/tiny-folders.ts'
import { worldOf } from '../worlds/own/worlds.ts'
import { SMALL, useCompiledLoop } from './loop-process.ts'

const loop = useCompiledLoop()
let folder: string
let models: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'own-world-'))
  models = await writeTinyModels()
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(models, { recursive: true })
})

/** Two tasks, one an iteration. */
const QUICK = ['--set', 'taskPoolSize=2', '--set', 'tasksPerIteration=1', '--set', 'evaluateEvery=0']

function play(name: string, source: string, ...args: string[]) {
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, source)
  const kept = ['--out', join(folder, `${name}.jsonl`), '--save', join(folder, `${name}-saved`)]
  return loop('--world', file, '--models', models, ...SMALL, ...QUICK, ...kept, ...args)
}

const eventsOf = (name: string) => parseRunLog(readFileSync(join(folder, `${name}.jsonl`), 'utf8'))

it('a run plays in the world of a file, logs which, and continues only there', async () => {
  const { code, stderr, stdout } = await play('mine', worldOf(), '--iterations', '1')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^iteration 1: acc /)])
  expect(stderr).toContain('This world has no rewrites, so its tasks stay as they are')
  const [started] = eventsOf('mine')
  expect(started).toMatchObject({
    type: 'run-started',
    preset: 'own',
    settings: { world: 'own', adaptEnvironment: false },
    worldFile: { name: 'Numbers', file: 'mine.ts', hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  })
  const other = await play('mine', worldOf({ rules: `'Another.'` }), '--iterations', '2', '--resume')
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining('--resume: the run plays in mine.ts (version'),
  ])
  const same = await play('mine', worldOf(), '--iterations', '2', '--resume')
  expect([same.code, same.stderr]).toEqual([0, expect.stringContaining('Resuming after iteration 1.')])
  expect(eventsOf('mine').at(-1)).toMatchObject({ type: 'run-finished', reason: 'completed' })
})

/** What else a world can do wrong, and the reasons, are in test/worlds/own/guest.test.ts. */
it.each([
  ['loops', 'for (;;);', 'did not end within 2 seconds and was stopped'],
  ['throws', 'state.x.y', 'failed: TypeError: cannot read property'],
])(
  'a world that %s in a later task ends the run with the reason, and what was saved stays',
  async (name, body, why) => {
    const step = (bad: number) =>
      `(state, command) => { if (state.number % 2 === ${bad}) { ${body} } return { state, text: 'No.' } }`
    // Tasks alternate between odd and even; one of the two is played first: with this seed, an even one.
    const task = `(split, random) => ({ number: random.integer(0, 1e6) })`
    for (const bad of [1, 0]) {
      const run = `${name}-${bad}`
      const { code, stderr } = await play(run, worldOf({ task, step: step(bad) }), '--iterations', '4', '--seed', '1')
      expect([code, stderr]).toEqual([1, expect.stringContaining(`\`step\` of ${run}.ts ${why}`)])
      const finished = eventsOf(run).filter(({ type }) => type === 'iteration-finished').length
      expect(existsSync(join(folder, `${run}-saved/policy/model.safetensors`))).toBe(finished > 0)
      if (finished > 0) return
    }
    throw new Error('Neither kind of task was played first.')
  },
)

it('a file that is no world is refused before anything is loaded', async () => {
  const { code, stderr } = await play('missing', worldOf({ outcome: null }), '--iterations', '1')
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^`outcome` is missing in missing\.ts\. Add a function/)])
  const none = await loop('--world', join(folder, 'nowhere.ts'))
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('nowhere.ts cannot be read')])
})
