import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/cli/arguments.ts'
import { parseHouseholdArguments } from '../../../src/cli/household/arguments.ts'

function complaint(args: string[]): string {
  try {
    parseHouseholdArguments(args)
  } catch (error) {
    if (error instanceof ArgumentError) return error.message
    throw error
  }
  return ''
}

describe('the arguments of npm run household', () => {
  it('default to ALFWorld’s dialect, silence and step limit', () => {
    expect(parseHouseholdArguments([])).toEqual({
      mode: 'play',
      filter: {},
      dialect: 'v2',
      isExplaining: false,
      steps: 50,
    })
    const all = ['--seed=7', '--split', 'ood', '--scene', 'compact', '--task', 'pick_two_obj_and_place', '--steps', '9']
    expect(parseHouseholdArguments([...all, '--dialect', 'v1', '--explain', '--serve'])).toEqual({
      mode: 'serve',
      seed: 7,
      filter: { split: 'ood', scene: 'compact', task: 'pick_two_obj_and_place' },
      dialect: 'v1',
      isExplaining: true,
      steps: 9,
    })
    expect(parseHouseholdArguments(['--games', 'g.zip', '--list'])).toMatchObject({ mode: 'list', games: 'g.zip' })
    expect(parseHouseholdArguments(['--games', 'g.zip', '--game', 'x', '--split', 'id'])).toMatchObject({
      mode: 'play',
      game: 'x',
      filter: { split: 'id' },
    })
    expect(parseHouseholdArguments(['--list', '--seed', '5'])).toMatchObject({ mode: 'list', seed: 5 })
  })

  it('are null for --help', () => {
    expect(parseHouseholdArguments(['--help', '--seed', '1'])).toBeNull()
  })

  it.each([
    [['--seed', '-1'], '--seed'],
    [['--seed=-1'], '0 to 2147483647, not "-1"'],
    [['--seed', '1.5'], '"1.5"'],
    [['--seed', ''], '--seed'],
    [['--steps', '0'], '--steps'],
    [['--split', 'test'], 'train, id, ood'],
    [['--scene', 'huge'], 'compact, full'],
    [['--games', 'g', '--scene', 'full'], '--scene'],
    [['--task', 'sleep'], 'pick_two_obj_and_place'],
    [['--dialect', 'v3'], 'v1, v2'],
    [['--game', 'x', '--seed', '1'], 'not both'],
    [['--game', 'x', '--list'], '--list'],
    [['--game', 'x', '--split', 'ood'], '--split has no use with --game'],
    [['--game', 'x', '--scene', 'full'], '--scene has no use with --game'],
    [['--game', 'x', '--task', 'pick_two_obj_and_place'], '--task has no use with --game'],
    [['--list', '--games', 'g', '--seed', '5'], '--seed has no use here: --list with --games lists all games'],
    [['--list', '--steps', '9'], '--steps is for playing'],
    [['--serve', '--list'], '--list'],
    [['--serve', '--game', 'x'], 'reset'],
    [['--game'], '--game'],
    [['--fly'], '--fly'],
    [['mug'], 'mug'],
  ])('%j is refused in one line', (args, hint) => {
    const line = complaint(args)
    expect(line).toContain(hint)
    expect(line).not.toContain('\n')
  })
})
