import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUSEHOLD_USAGE } from '../../../src/cli/household/arguments.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { nextCommandKnowingAll } from '../../../src/worlds/household/planning/expert.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { openingText } from '../../../src/worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../../src/worlds/household/planning/plan.ts'
import { startGame } from '../../../src/worlds/household/engine/state.ts'
import { writtenGame } from '../../worlds/household/library/game-file.ts'
import { root, useHousehold } from './household-process.ts'

const { household } = useHousehold()

const game = generateGame({ seed: 5, split: 'train', sceneSize: 'compact' })
const seeded = ['--seed', '5', '--scene', 'compact']

/** Commands that win, and the observation after each. */
function shortestWay() {
  const state = startGame(game)
  const turns: { command: string; observation: string }[] = []
  while (!state.done) {
    const { command } = nextCommandKnowingAll(state)
    turns.push({ command, observation: step(state, command).observation })
  }
  return turns
}

describe('a game in the terminal', () => {
  it('plays piped commands, shows every observation, and ends with 0 if won', async () => {
    const turns = shortestWay()
    const { code, stdout, stderr } = await household(seeded, turns.map(({ command }) => `${command}\n`).join(''))
    const transcript = turns.map(({ command, observation }) => `> ${command}\n${observation}\n\n`).join('')
    expect(stdout).toBe(`${openingText(startGame(game))}\n\n${transcript}Won in ${turns.length} steps.\n`)
    expect([code, stderr]).toEqual([0, ''])
  })

  it('ends with 1 if the input ends, the steps are used up, or the player quits, and reads no further', async () => {
    const [ended, limited, quit] = await Promise.all([
      household(seeded, 'look'),
      household([...seeded, '--steps', '2'], 'look\ninventory\nlook\n'),
      household(seeded, ':quit\nlook\n'),
    ])
    expect([ended.code, limited.code, quit.code]).toEqual([1, 1, 1])
    expect(ended.stdout).toMatch(/\nNot won; ended after 1 step\.\n$/)
    expect(limited.stdout).toMatch(/\nNot won: all 2 steps are used up\.\n$/)
    expect(quit.stdout).toMatch(/\nNot won; ended after 0 steps\.\n$/)
  })

  it('helps without using a step: possible commands, a hint, the distance, and undo', async () => {
    const [first] = shortestWay()
    const before = distanceToGoal(startGame(game))
    const commands = [
      ':hint',
      ':distance',
      first!.command,
      ':distance',
      ':undo',
      ':undo',
      ':distance',
      ':admissible',
      '',
      ':x',
    ]
    const { stdout } = await household(seeded, commands.map((command) => `${command}\n`).join(''))
    const answers = stdout.split('\n\n> ').slice(1)
    expect(answers.slice(0, 7)).toEqual([
      `:hint\n${first!.command}`,
      `:distance\n${before} commands to the goal.`,
      `${first!.command}\n${first!.observation}`,
      `:distance\n${before - 1} commands to the goal.`,
      ':undo\nBack at step 0.',
      ':undo\nThere is nothing to undo.',
      `:distance\n${before} commands to the goal.`,
    ])
    expect(answers[7]!.split('\n')).toContain(first!.command)
    expect(stdout).toContain(':x is unknown; the commands are :admissible')
    expect(stdout).toMatch(/Not won; ended after 0 steps\.\n$/)
  })

  it('restarts with :restart', async () => {
    const { stdout } = await household(seeded, 'look\n:restart\n')
    expect(stdout.split(openingText(startGame(game)))).toHaveLength(3)
    expect(stdout).toMatch(/ended after 0 steps\.\n$/)
  })

  it('speaks the old dialect and explains refusals on request', async () => {
    const { stdout } = await household([...seeded, '--dialect', 'v1', '--explain'], 'help\n')
    expect(stdout).toMatch(/> help\nNothing happens\. \w.+/)
    const plain = await household([...seeded, '--dialect', 'v1'], 'help\n')
    expect(plain.stdout).toContain('> help\nNothing happens.\n')
  })
})

describe('the games of the command line', () => {
  it('are listed with ids that can be played', async () => {
    const { code, stdout } = await household([
      '--list',
      '--split',
      'ood',
      '--seed',
      '3',
      '--task',
      'pick_and_place_simple',
    ])
    expect(code).toBe(0)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(rows).toHaveLength(20)
    const [id, split, task, goal] = rows[2]!
    expect([split, task]).toEqual(['ood', 'pick_and_place_simple'])
    const played = await household(['--game', id!])
    expect(played.stdout).toContain(`Your task is to: ${goal}\n`)
    const expected = generateGame({ seed: 5, split: 'ood', sceneSize: 'full', taskTypes: ['pick_and_place_simple'] })
    expect(played.stdout).toContain(openingText(startGame(expected)))
  })

  it('print no banner or other output through npm', async () => {
    const npm = process.env['npm_execpath']
    const [file, first] = npm ? [process.execPath, [npm]] : ['npm', []]
    const run = promisify(execFile)
    const { stdout } = await run(file, [...first, 'run', 'household', '--', '--help'], { cwd: root })
    expect(stdout).toBe(HOUSEHOLD_USAGE)
  })

  it.each([
    [['--split', 'test'], 'train, id, ood'],
    [['--game', 'nowhere'], '"nowhere"'],
    [['--games', 'nowhere'], '"nowhere"'],
  ])('end with code 2 and one line that helps for %j', async (args, hint) => {
    const { code, stdout, stderr } = await household(args)
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1])
    expect(stderr).toContain(hint)
  })
})

describe('official games', () => {
  const games = [writtenGame(1, 'train'), writtenGame(2, 'valid_unseen'), writtenGame(3, 'valid_unseen')]
  const ids = games.map(({ path }) => path.split('/').slice(2, 4).join('/'))
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'household-'))
    for (const { path, text } of games) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const broken = join(folder, 'json_2.1.1/train/pick_and_place_simple-Mug-None-Desk-308/trial_T0')
    mkdirSync(broken, { recursive: true })
    writeFileSync(join(broken, 'game.tw-pddl'), '{"half": ')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are won by their walkthroughs and found by a part of their id', async () => {
    const { walkthrough, sentence } = games[1]!
    const { code, stdout } = await household(['--games', folder, '--game', 'trial_T2'], walkthrough.join('\n'))
    expect(stdout).toContain(`Your task is to: ${sentence}\n`)
    expect(stdout).toMatch(new RegExp(`\nWon in ${walkthrough.length} steps\\.\n$`))
    expect(code).toBe(0)
  })

  it('are listed with ALFWorld’s splits; unreadable files are reported separately', async () => {
    const all = await household(['--games', folder, '--list'])
    expect(
      all.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    ).toEqual([...ids].sort())
    expect(all.stderr).toContain('trial_T0/game.tw-pddl')
    expect(all.code).toBe(0)
    const unseen = await household(['--games', folder, '--list', '--split', 'ood'])
    expect(unseen.stdout.match(/\tvalid_unseen\t/g)).toHaveLength(2)
    expect(unseen.stdout.trimEnd().split('\n')).toHaveLength(2)
    const broken = join(folder, 'json_2.1.1/train/pick_and_place_simple-Mug-None-Desk-308')
    const none = await household(['--games', broken, '--list'])
    expect([none.code, none.stdout, none.stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/cannot be played\.[^]*\nThere is no game to list\.\n$/),
    ])
  })

  it('are drawn by seed, only from their split', async () => {
    const drawn = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((seed) => household(['--games', folder, '--split', 'ood', '--seed', String(seed)])),
    )
    const sentences = new Set(drawn.map(({ stdout }) => /Your task is to: (.+)\n/.exec(stdout)![1]))
    expect([...sentences].sort()).toEqual([games[1]!.sentence, games[2]!.sentence].sort())
    const again = await household(['--games', folder, '--split', 'ood', '--seed', '0'])
    expect(again.stdout).toBe(drawn[0]!.stdout)
  })

  it('report why a game cannot be played, and which games match an ambiguous id', async () => {
    const [broken, several] = await Promise.all([
      household(['--games', folder, '--game', 'trial_T0']),
      household(['--games', folder, '--game', 'trial_T']),
    ])
    expect([broken.code, several.code, broken.stdout, several.stdout]).toEqual([2, 2, '', ''])
    expect(broken.stderr).toContain('It is not JSON')
    expect(several.stderr).toMatch(/^4 games have "trial_T"/)
  })
})
