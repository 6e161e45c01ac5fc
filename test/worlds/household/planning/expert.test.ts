import { describe, expect, it } from 'vitest'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import { decide, playExpert } from '../../../../src/worlds/household/planning/expert.ts'
import type { Goal, HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { Knowledge } from '../../../../src/worlds/household/planning/knowledge.ts'
import { distanceToGoal } from '../../../../src/worlds/household/planning/plan.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { cloneState, startGame } from '../../../../src/worlds/household/engine/state.ts'
import { stepLabel } from '../../../../src/worlds/household/planning/step-label.ts'
import { isLeftOut, noGames, officialGames } from '../official-data.ts'
import { room } from '../rooms.ts'

const random = seededRandom('test')

/** Commands and the kinds of their subgoals until the expert is done. */
function play(game: HouseholdGame): { commands: string[]; subgoals: string[]; won: boolean } {
  const state = startGame(game)
  const knowledge = new Knowledge(game)
  const commands: string[] = []
  const subgoals: string[] = []
  while (!state.done) {
    const { command, subgoal } = decide(state, knowledge, random)
    if (subgoal.kind === 'stuck') break
    commands.push(command)
    subgoals.push(subgoal.kind)
    knowledge.update(command, step(state, command).accepted, state)
  }
  return { commands, subgoals, won: state.won }
}

const goalOf = (taskType: Goal['taskType'], object: string, target: string): Goal => ({ taskType, object, target })

describe('the expert', () => {
  it('looks in likely places first, opens closed ones, and names its subgoals', () => {
    const game = room(
      `
      cabinet 1 closed: mug 1
      garbagecan 1: nothing
      microwave 1 closed: nothing
      sinkbasin 1: nothing
      sofa 1: nothing
      `,
      goalOf('pick_heat_then_place_in_recep', 'mug', 'cabinet'),
    )
    expect(play(game)).toEqual({
      commands: [
        'go to cabinet 1', 'open cabinet 1', 'take mug 1 from cabinet 1', 'go to microwave 1', 'heat mug 1 with microwave 1',
        'go to cabinet 1', 'move mug 1 to cabinet 1',
      ],
      subgoals: ['find', 'find', 'take', 'go-to-appliance', 'treat', 'go-to-receptacle', 'put'],
      won: true,
    }) // prettier-ignore
  })

  it('goes straight to the place in a hint', () => {
    const text = 'countertop 1: nothing\ndrawer 2 closed: pen 1\ndrawer 1 closed: nothing\nshelf 1: nothing'
    const game = room(text, goalOf('pick_and_place_simple', 'pen', 'shelf'))
    const knowledge = new Knowledge(game)
    knowledge.tell(0, 1)
    expect(decide(startGame(game), knowledge, random).command).toBe('go to drawer 2')
  })

  it('picks up the object before it looks for the lamp', () => {
    const game = room(
      'bed 1: book 1\ndesk 1: desklamp 1\nsofa 1: nothing',
      goalOf('look_at_obj_in_light', 'book', 'desklamp'),
    )
    expect(play(game)).toMatchObject({
      commands: ['go to bed 1', 'take book 1 from bed 1', 'go to desk 1', 'use desklamp 1'],
      subgoals: ['find', 'take', 'find', 'use'],
    })
  })

  it('puts away what is in the way', () => {
    const game = room('countertop 1: egg 1, mug 1\nshelf 1: nothing', goalOf('pick_and_place_simple', 'mug', 'shelf'))
    const state = startGame(game)
    const knowledge = new Knowledge(game)
    for (const command of ['go to countertop 1', 'take egg 1 from countertop 1']) {
      knowledge.update(command, step(state, command).accepted, state)
    }
    expect(decide(state, knowledge, random)).toEqual({
      command: 'move egg 1 to countertop 1',
      subgoal: { kind: 'put-away', object: 'egg 1', receptacle: 'countertop 1' },
    })
  })

  it('learns from refused commands where it is and what does not open', () => {
    const game = room(
      'desk 1: nothing\ndrawer 1 @0: pen 1\nshelf 1 @0: nothing',
      goalOf('pick_and_place_simple', 'pen', 'desk'),
    )
    expect(play(game).commands).toEqual([
      'go to desk 1',
      'go to shelf 1',
      'go to drawer 1', // refused: it is where the shelf is
      'open drawer 1', // refused: this one does not open
      'examine drawer 1',
      'take pen 1 from drawer 1',
      'go to desk 1',
      'move pen 1 to desk 1',
    ])
  })

  it('is stuck if the object in its hand fits nowhere', () => {
    const game = room(
      'countertop 1: mug 1, papertowelroll 1\nshelf 1: nothing',
      goalOf('pick_and_place_simple', 'mug', 'shelf'),
    )
    const state = startGame(game)
    const knowledge = new Knowledge(game)
    for (const command of ['go to countertop 1', 'take papertowelroll 1 from countertop 1', 'go to shelf 1']) {
      knowledge.update(command, step(state, command).accepted, state)
    }
    expect(distanceToGoal(state)).toBe(Infinity)
    expect(decide(state, knowledge, random)).toEqual({ command: 'look', subgoal: { kind: 'stuck' } })
  })

  const solvedShare = (games: readonly HouseholdGame[]) =>
    games.filter((game) => playExpert(startGame(game), new Knowledge(game), seededRandom('expert', game.id)).won)
      .length / games.length

  it('solves nearly all generated full games', () => {
    const games = Array.from({ length: 400 }, (_, seed) => generateGame({ seed, split: 'train', sceneSize: 'full' }))
    expect(solvedShare(games)).toBeGreaterThan(0.97)
  })

  it.skipIf(isLeftOut('the expert on all official games', noGames))('solves nearly all official games', () => {
    expect(solvedShare([...officialGames().values()].map(({ game }) => game))).toBeGreaterThan(0.99)
  })
})

describe('the true label of a step', () => {
  const game = room(
    `
    cabinet 2 closed: mug 1
    cabinet 1 closed: nothing
    countertop 1: egg 1
    shelf 1: nothing
    sofa 1: nothing
    `,
    goalOf('pick_and_place_simple', 'mug', 'shelf'),
  )

  function labels(commands: readonly string[], played: HouseholdGame = game): [string, 1 | -1][] {
    const state = startGame(played)
    const knowledge = new Knowledge(played)
    return commands.map((command) => {
      const before = cloneState(state)
      const { accepted } = step(state, command)
      const label = stepLabel(before, command, state, knowledge)
      knowledge.update(command, accepted, state)
      return [command, label]
    })
  }

  it('is +1 for new places that may hold a missing object, -1 for useless ones and for returning', () => {
    const walk: [string, 1 | -1][] = [
      ['go to countertop 1', 1],
      ['go to sofa 1', -1], // no mug is ever on a sofa
      ['go to countertop 1', -1],
      ['go to cabinet 1', 1],
      ['open cabinet 1', 1],
      ['close cabinet 1', -1],
      ['look', -1],
      ['go to cabinet 1', -1],
      ['go to cabinet 2', 1],
      ['open cabinet 2', 1],
      ['close cabinet 2', -1],
      ['open cabinet 2', 1],
      ['take mug 1 from cabinet 2', 1],
      ['inventory', -1],
      ['go to shelf 1', 1],
      ['move mug 1 to shelf 1', 1],
    ]
    expect(labels(walk.map(([command]) => command))).toEqual(walk)
  })

  it('is -1 for looking around once the target is known', () => {
    expect(labels(['go to cabinet 2', 'open cabinet 2', 'go to cabinet 1']).at(-1)).toEqual(['go to cabinet 1', -1])
  })

  it('is -1 for every step once the goal is out of reach', () => {
    const text = 'countertop 2: papertowelroll 1\ncountertop 1: mug 1\nshelf 1: nothing'
    const lost = room(text, goalOf('pick_and_place_simple', 'mug', 'shelf'))
    expect(
      labels(['go to countertop 2', 'take papertowelroll 1 from countertop 2', 'go to countertop 1'], lost),
    ).toEqual([
      ['go to countertop 2', 1],
      ['take papertowelroll 1 from countertop 2', -1],
      ['go to countertop 1', -1],
    ])
  })

  it('is +1 for every step of the expert in compact games', () => {
    for (let seed = 0; seed < 100; seed++) {
      const generated = generateGame({ seed, split: 'train', sceneSize: 'compact' })
      const { commands } = play(generated)
      for (const [command, label] of labels(commands, generated)) expect(label, `${generated.id}: ${command}`).toBe(1)
    }
  })
})
