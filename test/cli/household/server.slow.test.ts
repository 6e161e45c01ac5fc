import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseHouseholdArguments } from '../../../src/cli/household/arguments.ts'
import { GeneratedShelf, NoGameError } from '../../../src/cli/household/games.ts'
import { METHODS } from '../../../src/cli/household/requests.ts'
import { HouseholdServer } from '../../../src/cli/household/server.ts'
import { admissibleCommands } from '../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { taskSentence } from '../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { openingText } from '../../../src/worlds/household/engine/observations.ts'
import { distanceToGoal } from '../../../src/worlds/household/planning/plan.ts'
import { integer, pick, seededRandom } from '../../../src/worlds/random.ts'
import { startGame } from '../../../src/worlds/household/engine/state.ts'
import { answersIn, root, useHousehold, type Answer } from './household-process.ts'

const { asked, household, startHousehold } = useHousehold()

/** The answers of the command's server, without its process, whose first full-sized game takes a second. */
async function answered(requests: readonly unknown[], ...args: string[]): Promise<Answer[]> {
  const complain = (problem: string) => {
    throw new Error(problem)
  }
  const { seed = 0, ...defaults } = parseHouseholdArguments(['--serve', ...args])!
  const server = new HouseholdServer(new GeneratedShelf(complain), { ...defaults, seed })
  const answers: Answer[] = []
  for (const request of requests)
    answers.push(
      JSON.parse(await server.answer(typeof request === 'string' ? request : JSON.stringify(request))) as Answer,
    )
  return answers
}

const document = readFileSync(join(root, 'docs/household-protocol.md'), 'utf8')
const generated = (seed: number) => generateGame({ seed, split: 'train', sceneSize: 'full' })

describe('the household server', () => {
  it('answers like the engine, step by step, in several episodes at once', async () => {
    const random = seededRandom('server test')
    const episodes = [0, 1, 2].map((seed) => ({ seed, state: startGame(generated(seed)) }))
    const requests: object[] = []
    const expected: object[] = []
    for (const { seed, state } of episodes) {
      requests.push({ id: seed, method: 'reset', episode: `e${seed}`, seed, admissible: true })
      const { id, goal } = state.game
      const told = {
        observation: openingText(state),
        won: false,
        done: false,
        steps: 0,
        admissible: admissibleCommands(state),
      }
      expected.push({ id: seed, ...told, game: id, task: goal.taskType, goal: taskSentence(state.game) })
    }
    for (let turn = 0; turn < 300; turn++) {
      const { seed, state } = pick(random, episodes)
      const command = integer(random, 0, 9) === 0 ? 'fly' : pick(random, admissibleCommands(state))
      const isAsked = turn % 2 === 0
      requests.push({
        id: `t${turn}`,
        method: 'step',
        episode: `e${seed}`,
        command,
        ...(isAsked && { admissible: true }),
      })
      const { observation, won, done } = step(state, command)
      const list = isAsked ? { admissible: admissibleCommands(state) } : {}
      expected.push({ id: `t${turn}`, observation, won, done, steps: state.steps, ...list })
    }
    expect(await asked(requests)).toEqual(expected)
  })

  it('reports admissible commands, progress, state and next commands on request', async () => {
    const state = startGame(generated(4))
    const commands = admissibleCommands(state).slice(0, 2)
    for (const command of commands) step(state, command)
    const answers = await answered([
      { method: 'reset', seed: 4, steps: 7 },
      ...commands.map((command) => ({ method: 'step', command })),
      { method: 'admissible' },
      { method: 'won' },
      { method: 'state' },
      { method: 'state', distance: true, best: true, expert: true },
    ])
    const [list, won, plain, full] = answers.slice(3)
    expect(list).toEqual({ admissible: admissibleCommands(state) })
    expect(won).toEqual({ won: false, done: false, steps: 2 })
    const { id, goal } = state.game
    const at = expect.arrayContaining([expect.any(String)]) as string[]
    expect(plain).toEqual({
      ...won,
      stepLimit: 7,
      game: id,
      task: goal.taskType,
      goal: taskSentence(state.game),
      at,
      holding: null,
    })
    expect(full).toMatchObject({ ...plain, distance: distanceToGoal(state) })
    for (const way of ['best', 'expert']) expect(admissibleCommands(state)).toContain(full![way])
  })

  it('wins every game by `best`, which is empty after that', async () => {
    const child = startHousehold('--serve', '--scene', 'compact')
    const answers = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>
    const ask = async (request: object) => {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      return answersIn((await answers.next()).value as string)[0]!
    }
    for (let game = 0; game < 5; game++) {
      await ask({ method: 'reset' })
      let { best, distance } = await ask({ method: 'state', best: true, distance: true })
      const length = distance
      while (best !== null) {
        await ask({ method: 'step', command: best })
        ;({ best, distance } = await ask({ method: 'state', best: true, distance: true }))
      }
      expect(distance).toBe(0)
      expect(await ask({ method: 'won' })).toEqual({ won: true, done: true, steps: length })
    }
    child.stdin.end()
    expect(await once(child, 'close')).toEqual([0, null])
  })

  it('uses the next seed if a reset names none, and the command line’s defaults', async () => {
    const answers = await answered(
      [
        { method: 'reset' },
        { method: 'reset', episode: 'second' },
        { method: 'reset', scene: 'full', dialect: 'v2', explain: false, steps: 3 },
        { method: 'step', command: 'help' },
        { method: 'step', episode: 'second', command: 'help' },
        { method: 'state', episode: 'second' },
      ],
      ...['--seed', '8', '--scene', 'compact', '--dialect', 'v1', '--explain', '--steps', '9'],
    )
    const ids = answers.slice(0, 3).map(({ game }) => game as string)
    expect(ids.map((id) => id.split('/')[1])).toEqual(['train-compact-8', 'train-compact-9', 'train-full-10'])
    expect(answers[3]!['observation']).toContain('Available commands')
    expect(answers[4]!['observation']).toMatch(/^Nothing happens\. \w/)
    expect(answers[5]!['stepLimit']).toBe(9)
  })

  it('takes the same seed for the reset after one that failed', async () => {
    class PickyShelf extends GeneratedShelf {
      override async bySeed(...[seed, filter]: Parameters<GeneratedShelf['bySeed']>) {
        if (filter.task) throw new NoGameError('There is no such game.')
        return super.bySeed(seed, filter)
      }
    }
    const shelf = new PickyShelf((problem) => expect.unreachable(problem))
    const { filter, dialect, isExplaining, steps } = parseHouseholdArguments(['--scene', 'compact'])!
    const server = new HouseholdServer(shelf, { filter, dialect, isExplaining, steps, seed: 3 })
    const reset = async (fields = {}) =>
      JSON.parse(await server.answer(JSON.stringify({ method: 'reset', ...fields }))) as Answer
    expect((await reset({ task: 'pick_two_obj_and_place' })).error?.code).toBe('no-game')
    expect((await reset())['game']).toContain('train-compact-3')
    expect((await reset({ seed: 9 }))['game']).toContain('train-compact-9')
    expect((await reset())['game']).toContain('train-compact-4')
  })

  it('lists games that a reset accepts by id', async () => {
    const filter = { split: 'id', scene: 'compact', task: 'pick_two_obj_and_place' }
    const [list] = await answered([{ method: 'games', first: 30, count: 3, ...filter }])
    const games = list!['games'] as { id: string; split: string; task: string; goal: string }[]
    expect(games.map(({ split, task }) => [split, task])).toEqual(games.map(() => ['id', 'pick_two_obj_and_place']))
    expect(games).toHaveLength(3)
    const answers = await answered(games.map(({ id }) => ({ method: 'reset', game: id })))
    expect(answers.map(({ game, goal }) => [game, goal])).toEqual(games.map(({ id, goal }) => [id, goal]))
  })

  it('forgets only a closed episode', async () => {
    const answers = await answered([
      { method: 'reset', seed: 1 },
      { method: 'reset', seed: 1, episode: 'b' },
      { method: 'close' },
      { method: 'won' },
      { method: 'won', episode: 'b' },
    ])
    expect(answers.slice(2).map(({ closed, error, steps }) => closed ?? error?.code ?? steps)).toEqual([
      true,
      'no-episode',
      0,
    ])
  })
})

describe('an invalid request', () => {
  const wrong: [unknown, string, string][] = [
    ['nonsense', 'bad-json', 'not JSON'],
    ['{"method":"won"', 'bad-json', 'not JSON'],
    ['[]', 'bad-request', 'object'],
    ['7', 'bad-request', 'object'],
    ['{}', 'unknown-method', METHODS.join(', ')],
    [{ method: 'toString' }, 'unknown-method', '"toString"'],
    [{ method: 'step' }, 'bad-request', 'step needs a field "command"'],
    [{ method: 'step', command: 7 }, 'bad-request', '"command" must be string, not 7'],
    [{ method: 'step', command: 'look', admisible: true }, 'bad-request', 'step has no field "admisible"'],
    [{ method: 'reset', seed: 1.5 }, 'bad-request', '"seed" must be a whole number, not 1.5.'],
    [{ method: 'reset', seed: -1 }, 'bad-request', '"seed"'],
    [{ method: 'reset', split: 'test' }, 'bad-request', '"split"'],
    [{ method: 'reset', steps: 0 }, 'bad-request', '"steps"'],
    [{ method: 'reset', seed: 1, game: 'x' }, 'bad-request', 'not both'],
    [{ method: 'reset', game: 'x' }, 'no-game', '"x"'],
    [{ method: 'won', episode: 7 }, 'bad-request', '"episode"'],
    [{ method: 'won', episode: 'nobody' }, 'no-episode', '"nobody"'],
    [{ method: 'games', count: 1e9 }, 'bad-request', '"count"'],
  ]

  it('gets a code, a reason and its id, and changes nothing', async () => {
    const requests = wrong.map(([request], index) =>
      typeof request === 'string' ? request : { id: index, ...(request as object) },
    )
    const answers = await answered([
      { method: 'reset', seed: 1 },
      { method: 'step', command: 'look' },
      ...requests,
      { method: 'won' },
    ])
    expect(answers).toHaveLength(requests.length + 3)
    wrong.forEach(([request, code, reason], index) => {
      const { id, error } = answers[index + 2]!
      expect([request, id, error?.code]).toEqual([request, typeof request === 'string' ? null : index, code])
      expect(error?.message).toContain(reason)
    })
    expect(answers.at(-1)).toEqual({ won: false, done: false, steps: 1 })
  })

  it('may have a string or a number as id, or none', async () => {
    const answers = await answered(['{"id":{},"method":"won"}', '{"id":null,"method":"games","count":0}'])
    expect(answers).toEqual([
      { id: null, error: { code: 'bad-request', message: expect.stringContaining('"id"') as string } },
      { id: null, games: [] },
    ])
  })

  it('may have ten megabytes or end with the input: the server continues and ends in order', async () => {
    const long = JSON.stringify({ id: 1, method: 'step', command: 'x'.repeat(1e7) })
    const { code, stdout, stderr } = await household(
      ['--serve'],
      `${long}\n\n{"id":2,"method":"games","count":0}\r\n{"id":3,"method":"games","count":0}\n{"id":4,"meth`,
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(answersIn(stdout)).toMatchObject([
      { id: null, error: { code: 'line-too-long' } },
      { id: 2, games: [] },
      { id: 3, games: [] },
      { id: null, error: { code: 'bad-json' } },
    ])
  })
})

describe('the pipe', () => {
  it('accepts a last line without a break, and bytes that are not text', async () => {
    const { stdout } = await household(
      ['--serve'],
      Buffer.concat([Buffer.from([0xff, 0xfe, 10]), Buffer.from('{"method":"games","count":0}')]),
    )
    expect(answersIn(stdout)).toMatchObject([{ error: { code: 'bad-json' } }, { games: [] }])
  })

  it('carries thousands of requests in flight', async () => {
    const requests = Array.from({ length: 5000 }, (_, id) => ({
      id,
      method: 'step',
      command: 'look',
      admissible: true,
    }))
    const answers = await asked([{ id: 'start', method: 'reset', seed: 1, steps: 1_000_000 }, ...requests])
    expect(answers.map(({ id }) => id)).toEqual(['start', ...requests.keys()])
    expect(answers.at(-1)!['steps']).toBe(5000)
  })

  it('ends silently if the reader closes the pipe', async () => {
    const child = startHousehold('--serve')
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
    child.stdin.on('error', () => undefined)
    child.stdin.write('{"method":"reset","seed":1}\n')
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const asking = setInterval(() => child.stdin.write('{"method":"admissible"}\n'), 5)
    const [code] = (await once(child, 'close')) as [number | null]
    clearInterval(asking)
    expect([code, complaint]).toEqual([0, ''])
  })
})

describe('the protocol’s document', () => {
  it('names every method and every error code', () => {
    for (const method of METHODS) expect(document).toContain(`| \`${method}\` |`)
    for (const code of [
      'bad-json',
      'line-too-long',
      'bad-request',
      'unknown-method',
      'no-episode',
      'no-game',
      'internal',
    ]) {
      expect(document).toContain(`| \`${code}\` |`)
    }
  })

  const hasPython = spawnSync('python3', ['--version']).status === 0
  if (!hasPython)
    process.stdout.write('Skipped: the Python client of docs/household-protocol.md; there is no python3.\n')

  it.skipIf(!hasPython)('contains a Python client that plays a game as printed', async () => {
    const [, client] = /```python\n(.*?)```/s.exec(document)!
    const { stdout, stderr } = await promisify(execFile)('python3', ['-c', client!], { cwd: root })
    expect(stdout).toMatch(/^(won after \d+|not won after 50) steps\n$/)
    expect(stderr).toBe('')
  })
})
