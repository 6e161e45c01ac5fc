import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LIVE_FILE, liveFileText } from '../../../src/cluster/gateway/live-module.ts'
import { applyPatch, patchState, revertPatch } from '../../../src/cluster/gateway/patch.ts'
import { RELEASED_SYSTEMS, type ReleasedSystem } from '../../../src/cluster/protocol.ts'
import { PATCH_POINTS } from '../../../src/cluster/released/patch-points.ts'
import { HAS_PYTHON } from '../gateway-fixture.ts'
import { layDownTree } from '../released-tree.ts'

let checkout: string
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'checkout-'))
  layDownTree(checkout)
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

const read = (file: string) => readFileSync(join(checkout, file), 'utf8')
const files = (system: ReleasedSystem) => [...new Set(PATCH_POINTS[system].map(({ file }) => file))]

describe('the patch of the released code', () => {
  it.each(RELEASED_SYSTEMS)('puts its lines into %s once, and removes them again', (system) => {
    const before = files(system).map(read)
    expect(patchState(checkout, system)).toMatchObject({ isPatched: false })
    applyPatch(checkout, system)
    const patched = files(system).map(read)
    for (const { file, line, patched: text } of PATCH_POINTS[system])
      expect(read(file).split('\n')[line - 1]).toBe(text)
    expect(patched.map((text) => text.split('\n').length)).toEqual(before.map((text) => text.split('\n').length))
    expect(patchState(checkout, system)).toMatchObject({ isPatched: true, problem: null })
    applyPatch(checkout, system)
    expect(files(system).map(read)).toEqual(patched)
    revertPatch(checkout, system)
    expect(files(system).map(read)).toEqual(before)
  })

  it.each(RELEASED_SYSTEMS.flatMap((system) => PATCH_POINTS[system].map((point) => ({ system, ...point }))))(
    'refuses $system if $file:$line is another line, and changes nothing',
    ({ system, file, line, released }) => {
      const lines = read(file).split('\n')
      lines[line - 1] = released.replace(/0\.[28]|mean_score|prc/, 'something_else')
      writeFileSync(join(checkout, file), lines.join('\n'))
      const before = files(system).map(read)
      expect(() => applyPatch(checkout, system)).toThrow(`${file}, line ${line}, is not the expected line`)
      expect(files(system).map(read)).toEqual(before)
      expect(patchState(checkout, system).problem).toContain(`${file}, line ${line}`)
    },
  )

  it('refuses a line that has moved', () => {
    const file = 'reward/osworld_rl_reward.py'
    writeFileSync(join(checkout, file), `# new\n${read(file)}`)
    expect(() => applyPatch(checkout, 'osworld')).toThrow(/line 382/)
  })

  it('keeps the line endings of the checkout', () => {
    const file = 'sample/osworld_env_rollout.py'
    writeFileSync(join(checkout, file), read(file).replaceAll('\n', '\r\n'))
    applyPatch(checkout, 'osworld')
    expect(read(file).match(/[^\r]\n/)).toBeNull()
  })
})

describe.skipIf(!HAS_PYTHON)('the values that patched code reads', () => {
  /** The value of a patched line in a process with these arguments. */
  function computed(file: string, line: number, names: string, result: string, args: string[]): number {
    const folder = join(checkout, file.split('/')[0]!)
    const program = `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); names = dict(${names})
exec(open(${JSON.stringify(join(checkout, file))}).read().split("\\n")[${line - 1}].strip(), names)
print(float(${result}))`
    const done = spawnSync('python3', ['-c', program, ...args], { cwd: folder, encoding: 'utf8' })
    if (done.status !== 0) throw new Error(done.stderr)
    return Number(done.stdout.trim())
  }

  function write(project: string): void {
    mkdirSync(join(checkout, project, 'results'), { recursive: true })
    const live = (lambda: number, alphaLow: number, alphaHigh: number) => ({ lambda, alphaLow, alphaHigh })
    const changes = [
      { fromStep: 1, live: live(0.5, 0.1, 0.9) },
      { fromStep: 4, live: live(3, 0.3, 0.7) },
    ]
    writeFileSync(join(checkout, project, LIVE_FILE), liveFileText(changes))
  }

  it('are those of the step in the process’s command line', () => {
    applyPatch(checkout, 'alfworld')
    write('mine')
    const integrated = (step: number, project: string) =>
      computed(
        'reward/alfworld_rl_reward.py',
        288,
        'policy_r=[], outcome_reward=1.0, mean_score=0.25',
        'names["policy_r"][0]',
        [`config=../configs/${project}.yaml`, `experiment.current_epoch=${step}`],
      )
    expect([1, 3, 4, 9].map((step) => integrated(step, 'mine'))).toEqual([1.125, 1.125, 1.75, 1.75])
    // A run without a gateway has the released values.
    expect(integrated(4, 'another')).toBe(1.25)
  })

  it('reach OSWorld, whose reward has other arguments and whose rewrites do not know their step', () => {
    applyPatch(checkout, 'osworld')
    write('mine')
    const reward = (step: number) =>
      computed('reward/osworld_rl_reward.py', 628, 'outcome=-1.0, prc=0.5, sign=-1.0', 'names["raw"]', [
        '--step',
        String(step),
        '--merge-dir',
        `${checkout}/mine/temp_data`,
      ])
    expect([3, 4].map(reward)).toEqual([0.75, -0.5])
    const harder = () =>
      computed('sample/osworld_env_rollout.py', 449, '', 'names["harder_threshold"]', ['config=../configs/mine.yaml'])
    expect(harder()).toBe(0.9)
    writeFileSync(join(checkout, 'mine/results/rl-results.txt'), '[TRAIN 3] os:0.5 ALL:0.5\n[TRAIN 4] os:0.5 ALL:0.5\n')
    expect(harder()).toBe(0.7)
  })

  it('reach coding, which swaps the names of the two thresholds', () => {
    applyPatch(checkout, 'coding')
    write('mine')
    const args = ['config=../configs/mine.yaml', 'experiment.current_epoch=2']
    expect(computed('sample/llm_env_rollout.py', 641, '', 'names["acc_low"]', args)).toBe(0.9)
    expect(computed('sample/llm_env_rollout.py', 642, '', 'names["acc_high"]', args)).toBe(0.1)
    const accepted = (now: number) =>
      computed('sample/llm_env_rollout.py', 603, `now_acc=${now}, prev_acc=0.5, goal="harder"`, 'names["ok"]', args)
    expect([0.05, 0.15, 0.6].map(accepted)).toEqual([0, 1, 0])
  })
})
