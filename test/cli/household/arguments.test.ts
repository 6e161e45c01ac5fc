import { describe, expect, it } from 'vitest'
import { parseHouseholdArguments } from '../../../src/cli/household/arguments.ts'

describe('the arguments of npm run household', () => {
  it('play with ALFWorld’s dialect, silence and step limit unless they say otherwise', () => {
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
    expect(parseHouseholdArguments(['--games', 'g.zip', '--game', 'x'])).toMatchObject({ mode: 'play', game: 'x' })
  })

  it('are none when help is asked for', () => {
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
    [['--serve', '--list'], '--list'],
    [['--serve', '--game', 'x'], 'reset'],
    [['--game'], '--game'],
    [['--fly'], '--fly'],
    [['mug'], 'mug'],
  ])('that are wrong, such as %j, are told in one line', (args, hint) => {
    const told = parseHouseholdArguments(args)
    expect(told).toContain(hint)
    expect(told).not.toContain('\n')
  })
})
