import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/cli/arguments.ts'
import { parseLoopArguments } from '../../../src/cli/loop/arguments.ts'
import { presetSettings } from '../../../src/method/presets.ts'

function complaint(...args: string[]): string {
  try {
    parseLoopArguments(args)
  } catch (error) {
    if (error instanceof ArgumentError) return error.message
    throw error
  }
  throw new Error('Nothing was thrown.')
}

describe('npm run loop', () => {
  it('runs the default preset on the fastest backend by default', () => {
    expect(parseLoopArguments([])).toEqual({
      iterations: 5,
      samplers: null,
      backend: 'auto',
      preset: 'household',
      settings: presetSettings('household'),
      isJson: false,
      isResumed: false,
      models: 'public/models',
      roles: {},
      keys: {},
    })
  })

  it('reads every argument, with a space or an equals sign', () => {
    const read = parseLoopArguments(
      '--iterations 3 --seed=7 --backend webgpu --samplers 3 --preset household+outcome-only --set lambda=0.5 --set=trainReward=false --eval-tasks 9 --models m --out a/run.jsonl --save s --json'.split(
        ' ',
      ),
    )
    expect(read).toMatchObject({
      iterations: 3,
      samplers: 3,
      backend: 'webgpu',
      preset: 'household+outcome-only',
      isJson: true,
      models: 'm',
      out: 'a/run.jsonl',
      save: 's',
    })
    expect(read?.settings).toMatchObject({
      seed: 7,
      lambda: 0.5,
      trainReward: false,
      evaluationTasks: 9,
      signal: 'outcome',
    })
  })

  it('plays official games if they are given', () => {
    expect(parseLoopArguments(['--games', 'a.zip'])).toMatchObject({ games: 'a.zip', settings: { games: 'official' } })
    expect(parseLoopArguments(['--games=a', '--set', 'games=official'])).toMatchObject({ games: 'a' })
    expect(parseLoopArguments(['--set', 'games=full'])).toMatchObject({ settings: { games: 'full' } })
  })

  it('poses the problems of a file if one is given, and ignores games', () => {
    expect(parseLoopArguments(['--preset', 'coding', '--problems', 'a.jsonl'])).toMatchObject({
      problems: 'a.jsonl',
      settings: { world: 'coding', problems: 'imported' },
    })
    const assigned = parseLoopArguments(['--set', 'setting=coding', '--set', 'problems=imported', '--problems=a'])
    expect(assigned).toMatchObject({ problems: 'a', preset: 'household', settings: { world: 'coding' } })
    expect(parseLoopArguments(['--set', 'world=coding'])).toMatchObject({ settings: { world: 'coding' } })
    const generated = parseLoopArguments(['--preset', 'coding', '--set', 'games=official'])
    expect(generated).toMatchObject({ settings: { world: 'coding', problems: 'generated' } })
    expect(generated).not.toHaveProperty('problems')
  })

  it('returns null for --help', () => {
    expect(parseLoopArguments(['--iterations', '3', '--help'])).toBeNull()
  })

  it.each([
    [['--itrations', '3'], '--iterations'],
    [['3'], '--iterations'],
    [['--iterations', '0'], 'from 1 to'],
    [['--iterations', '2.5'], '"2.5"'],
    [['--iterations'], 'argument missing'],
    [['--out', '--json'], 'ambiguous'],
    [['--seed=-1'], 'from 0 to 2147483647'],
    [['--backend', 'cuda'], 'auto, cpu, webgpu'],
    [['--preset', 'fast'], 'household'],
    [['--set', 'lamda=1'], 'lambda'],
    [['--set', 'lambda'], 'a number from 0 to 10'],
    [['--set', 'lambda=11'], 'a number from 0 to 10'],
    [['--set', 'lambda=high'], 'a number from 0 to 10'],
    [['--set', 'signal=both'], 'integrated, outcome, step'],
    [['--set', 'trainPolicy=1'], 'true or false'],
    [['--set', 'alphaLow=0.9'], 'alphaLow must be below alphaHigh'],
    [['--eval-tasks', 'many'], '"many"'],
    [['--set', 'games=official'], '--games PATH'],
    [['--games', 'a.zip', '--set', 'games=compact'], 'omit --games or --set games'],
    [['--games'], 'argument missing'],
    [['--problems', 'a.json'], '--preset coding'],
    [['--problems', 'a.json', '--preset', 'coding', '--set', 'setting=household'], '--preset coding'],
    [
      ['--problems', 'a.json', '--preset', 'coding', '--set', 'problems=generated'],
      'omit --problems or --set problems',
    ],
    [['--preset', 'coding', '--set', 'problems=imported'], '--problems PATH'],
    [['--preset', 'coding', '--games', 'a.zip'], 'omit --games'],
    [['--set', 'world=kitchen'], 'household, coding'],
    [['--set', 'setting=kitchen'], 'household, coding'],
    [
      ['--policy-model', '{"kind":"built-in","isEarly":true}'],
      '--policy-model: only the reward model of the household',
    ],
    [['--preset', 'coding', '--reward-model', '{"kind":"built-in","isEarly":true}'], 'omit isEarly'],
  ])('refuses %j in one line that says what is valid', (args, valid) => {
    const line = complaint(...args)
    expect(line).toContain(valid)
    expect(line).not.toContain('\n')
  })

  it('takes the early reward model of the household', () => {
    const { roles } = parseLoopArguments(['--reward-model', '{"kind":"built-in","isEarly":true}'])!
    expect(roles).toEqual({ reward: { kind: 'built-in', isEarly: true } })
  })

  it('ends a refusal of adapters with one full stop', () => {
    expect(complaint('--policy-model', 'folder', '--lora', 'rank=0')).toMatch(/^--lora: .* from 1 on\.$/)
  })

  it('needs a log and a checkpoint to resume', () => {
    const needs = '--resume needs --out and --save: the log and the checkpoint of the run to continue.'
    expect(complaint('--resume', '--save', 'folder')).toBe(needs)
    expect(complaint('--resume', '--out', 'log.jsonl')).toBe(needs)
  })
})
