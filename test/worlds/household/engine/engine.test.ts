import { describe, expect, it } from 'vitest'
import { admissibleCommands } from '../../../../src/worlds/household/engine/commands.ts'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import type { Goal, HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { helpText, listing, openingText } from '../../../../src/worlds/household/engine/observations.ts'
import { cloneState, startGame, type StartOptions } from '../../../../src/worlds/household/engine/state.ts'
import { room } from '../rooms.ts'

const never: Goal = { taskType: 'pick_and_place_simple', object: 'watch', target: 'safe' }

/** Plays the commands and returns the last observation. */
function lastOf(game: HouseholdGame, commands: readonly string[], options?: StartOptions): string {
  const state = startGame(game, options)
  let observation = ''
  for (const command of commands) ({ observation } = step(state, command))
  return observation
}

const kitchen = room(
  `
  cabinet 2 @1: bowl 1
  cabinet 1 closed @1: nothing
  countertop 1: apple 2, apple 1, cup 2, knife 1, mug 1
  fridge 1 closed: egg 1
  microwave 1 closed: nothing
  sinkbasin 1: nothing
  toaster 1: pan 1
  `,
  never,
)

describe('lists', () => {
  it('say "nothing", or name one, two (with a comma before "and") or more objects', () => {
    expect(listing([])).toBe('nothing')
    expect(listing(['egg 1'])).toBe('a egg 1')
    expect(listing(['mug 2', 'mug 1'])).toBe('a mug 2, and a mug 1')
    expect(listing(['cup 1', 'mug 2', 'mug 1'])).toBe('a cup 1, a mug 2, and a mug 1')
  })

  it('sort in an object that was put down, by name', () => {
    const commands = [
      'go to countertop 1',
      'take cup 2 from countertop 1',
      'move cup 2 to countertop 1',
      'examine countertop 1',
    ]
    expect(lastOf(kitchen, commands)).toBe(
      'On the countertop 1, you see a apple 2, a apple 1, a cup 2, a knife 1, and a mug 1.',
    )
  })
})

describe('the opening', () => {
  it('has the welcome, the room and the task, without a final line break', () => {
    const game = room('countertop 1: mug 1\nshelf 2: nothing\nshelf 1: nothing', {
      taskType: 'pick_and_place_simple',
      object: 'mug',
      target: 'shelf',
    })
    expect(openingText(startGame(game))).toBe(
      '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see ' +
        'a countertop 1, a shelf 2, and a shelf 1.\n\nYour task is to: put a mug in shelf.',
    )
  })
})

describe('observations', () => {
  const cases: [string, string[], string][] = [
    ['going to a surface', ['go to sinkbasin 1'], 'You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.'],
    ['going to something closed', ['go to fridge 1'], 'You arrive at fridge 1. The fridge 1 is closed.'],
    [
      'going to something open',
      ['go to fridge 1', 'open fridge 1', 'go to sinkbasin 1', 'go to fridge 1'],
      'You arrive at fridge 1. The fridge 1 is open. In it, you see a egg 1.',
    ],
    [
      'opening',
      ['go to fridge 1', 'open fridge 1'],
      'You open the fridge 1. The fridge 1 is open. In it, you see a egg 1.',
    ],
    ['closing', ['go to fridge 1', 'open fridge 1', 'close fridge 1'], 'You close the fridge 1.'],
    ['examining a receptacle', ['go to toaster 1', 'examine toaster 1'], 'On the toaster 1, you see a pan 1.'],
    ['taking', ['go to toaster 1', 'take pan 1 from toaster 1'], 'You pick up the pan 1 from the toaster 1.'],
    [
      'moving',
      ['go to toaster 1', 'take pan 1 from toaster 1', 'go to countertop 1', 'move pan 1 to countertop 1'],
      'You move the pan 1 to the countertop 1.',
    ],
    [
      'cleaning',
      ['go to countertop 1', 'take mug 1 from countertop 1', 'go to sinkbasin 1', 'clean mug 1 with sinkbasin 1'],
      'You clean the mug 1 using the sinkbasin 1.',
    ],
    [
      'heating with a closed microwave',
      ['go to countertop 1', 'take mug 1 from countertop 1', 'go to microwave 1', 'heat mug 1 with microwave 1'],
      'You heat the mug 1 using the microwave 1.',
    ],
    [
      'cooling with a closed fridge',
      ['go to countertop 1', 'take mug 1 from countertop 1', 'go to fridge 1', 'cool mug 1 with fridge 1'],
      'You cool the mug 1 using the fridge 1.',
    ],
    [
      'slicing',
      ['go to countertop 1', 'take knife 1 from countertop 1', 'slice apple 2 with knife 1'],
      'You sliced the apple 2 with the knife 1.',
    ],
    ['carrying nothing', ['inventory'], 'You are not carrying anything.'],
    [
      'carrying something',
      ['go to countertop 1', 'take apple 1 from countertop 1', 'inventory'],
      'You are carrying: a apple 1.',
    ],
    [
      'looking in the middle of the room',
      ['look'],
      'You are in the middle of a room. Looking quickly around you, you see nothing.',
    ],
    ['looking somewhere', ['go to toaster 1', 'look'], 'You are facing the toaster 1. Next to it, you see nothing.'],
    ['help, which starts without a line break', ['help'], helpText],
    ['words that mean nothing', ['dance'], 'Nothing happens.'],
  ]
  it.each(cases)('of %s', (_, commands, text) => {
    expect(lastOf(kitchen, commands)).toBe(text)
  })

  const hold = ['go to countertop 1', 'take apple 1 from countertop 1']
  const clean = ['go to sinkbasin 1', 'clean apple 1 with sinkbasin 1']
  const heat = ['go to microwave 1', 'heat apple 1 with microwave 1']
  const cool = ['go to fridge 1', 'cool apple 1 with fridge 1']
  // An apple is sliced in its place, before it is taken.
  const slice = [
    'go to countertop 1',
    'take knife 1 from countertop 1',
    'slice apple 1 with knife 1',
    'move knife 1 to countertop 1',
  ]
  const looks: [string, string[][]][] = [
    ["There's nothing special about apple 1.", []],
    ['This is a clean apple 1.', [clean]],
    ['This is a hot apple 1.', [heat]],
    ['This is a cold apple 1.', [cool]],
    ['This is a hot and clean apple 1.', [clean, heat]],
    ['This is a cool and clean apple 1.', [clean, heat, cool]],
    ['This is a hot apple 1.', [cool, heat]],
  ]
  it.each(looks)('of a held object: %s', (text, deeds) => {
    expect(lastOf(kitchen, [...hold, ...deeds.flat(), 'examine apple 1'])).toBe(text)
    const sliced = text
      .replace("There's nothing special about apple 1.", 'This is a sliced apple 1.')
      .replace('cold apple', 'cool apple')
      .replace(/(clean|hot|cool) apple/, '$1 sliced apple')
    expect(lastOf(kitchen, [...slice, ...hold.slice(1), ...deeds.flat(), 'examine apple 1'])).toBe(sliced)
  })

  it('of a held container list its contents, whatever its condition', () => {
    const game = room('countertop 1: cup 1, egg 1\nsinkbasin 1: nothing', never)
    game.objects[1]!.inside = [0]
    const commands = [
      'go to countertop 1',
      'take cup 1 from countertop 1',
      'go to sinkbasin 1',
      'clean cup 1 with sinkbasin 1',
      'examine cup 1',
    ]
    expect(lastOf(game, commands)).toBe('This is a normal cup 1. In it, you see a egg 1.')
  })

  it('of a lamp say that it is turned on, every time', () => {
    const game = room('desk 1: desklamp 1', never)
    expect(lastOf(game, ['go to desk 1', 'use desklamp 1', 'use desklamp 1'])).toBe('You turn on the desklamp 1.')
  })
})

describe('the old dialect', () => {
  it('puts in/on, arrives at numbered places and has no help', () => {
    const game = room('countertop 1 @0: mug 1\nshelf 1 @1: nothing', never, { v1Locations: [7, 3] })
    const v1 = { dialect: 'v1' } as const
    const taken = ['go to countertop 1', 'take mug 1 from countertop 1', 'go to shelf 1']
    expect(lastOf(game, taken, v1)).toBe('You arrive at loc 3. On the shelf 1, you see nothing.')
    expect(lastOf(game, [...taken, 'put mug 1 in/on shelf 1'], v1)).toBe('You put the mug 1 in/on the shelf 1.')
    expect(lastOf(game, [...taken, 'move mug 1 to shelf 1'], v1)).toBe('Nothing happens.')
    expect(lastOf(game, [...taken, 'put mug 1 in/on shelf 1'])).toBe('Nothing happens.')
    expect(lastOf(game, ['help'], v1)).toBe('Nothing happens.')
    expect(admissibleCommands(startGame(game, v1))).not.toContain('help')
  })
})

describe('quirks of the original', () => {
  it('refuses to go to another receptacle at the same place, which can be used nevertheless', () => {
    expect(lastOf(kitchen, ['go to cabinet 2', 'go to cabinet 1'])).toBe('Nothing happens.')
    expect(lastOf(kitchen, ['go to cabinet 2', 'go to cabinet 2'])).toBe('Nothing happens.')
    expect(lastOf(kitchen, ['go to cabinet 2', 'open cabinet 1'])).toContain('You open the cabinet 1.')
    expect(lastOf(kitchen, ['go to cabinet 1', 'look'])).toBe(
      'You are facing the cabinet 2, and cabinet 1. Next to it, you see nothing.',
    )
  })

  it('sees an object on the floor after a move between receptacles of one place', () => {
    const moved = [
      'go to cabinet 2',
      'take bowl 1 from cabinet 2',
      'open cabinet 1',
      'move bowl 1 to cabinet 1',
      'look',
    ]
    expect(lastOf(kitchen, moved)).toBe('You are facing the cabinet 2, and cabinet 1. Next to it, you see a bowl 1.')
    const back = [...moved, 'take bowl 1 from cabinet 1', 'move bowl 1 to cabinet 2', 'look']
    // Now the pair with cabinet 1 is broken.
    expect(lastOf(kitchen, back)).toBe('You are facing the cabinet 2, and cabinet 1. Next to it, you see a bowl 1.')
  })

  it('keeps listing an object of two receptacles in one of them while it is carried', () => {
    const game = room('stoveburner 2: pan 1\nstoveburner 1: pan 1', never)
    const taken = ['go to stoveburner 2', 'take pan 1 from stoveburner 2', 'go to stoveburner 1']
    expect(lastOf(game, taken)).toBe('You arrive at stoveburner 1. On the stoveburner 1, you see a pan 1.')
    expect(lastOf(game, [...taken, 'take pan 1 from stoveburner 1'])).toBe('Nothing happens.')
    expect(lastOf(game, [...taken, 'move pan 1 to stoveburner 1'])).toBe('You move the pan 1 to the stoveburner 1.')
  })

  it('examines only a held object', () => {
    expect(lastOf(kitchen, ['go to countertop 1', 'examine mug 1'])).toBe('Nothing happens.')
  })

  it('allows taking a pan from a toaster but not putting it back', () => {
    expect(lastOf(kitchen, ['go to toaster 1', 'take pan 1 from toaster 1', 'move pan 1 to toaster 1'])).toBe(
      'Nothing happens.',
    )
  })

  it('slices even an object in a closed receptacle', () => {
    const game = room('drawer 1 closed @0: apple 1\nshelf 1 @0: knife 1', never)
    expect(lastOf(game, ['go to shelf 1', 'take knife 1 from shelf 1', 'slice apple 1 with knife 1'])).toBe(
      'You sliced the apple 1 with the knife 1.',
    )
  })
})

describe('admissible commands', () => {
  it('are sorted by code point, and change with the state', () => {
    const state = startGame(kitchen)
    step(state, 'go to cabinet 1')
    expect(admissibleCommands(state)).toEqual([
      'examine cabinet 1', 'examine cabinet 2', 'go to countertop 1', 'go to fridge 1', 'go to microwave 1',
      'go to sinkbasin 1', 'go to toaster 1', 'help', 'inventory', 'look', 'open cabinet 1', 'take bowl 1 from cabinet 2',
    ]) // prettier-ignore
  })

  it('must be spelled exactly, except for outer blanks', () => {
    expect(lastOf(kitchen, ['  go to toaster 1 '])).toContain('You arrive')
    expect(lastOf(kitchen, ['Go to toaster 1'])).toBe('Nothing happens.')
    expect(lastOf(kitchen, ['go to  toaster 1'])).toBe('Nothing happens.')
  })
})

describe('the goal', () => {
  const goalOf = (taskType: Goal['taskType'], object: string, target: string): Goal => ({ taskType, object, target })
  const scene = `
    desk 1: desklamp 1
    drawer 2: mug 3
    drawer 1: nothing
    fridge 1 closed: nothing
    microwave 1 closed: nothing
    shelf 1: mug 2, mug 1, pen 1
    sinkbasin 1: nothing
  `
  const takeMug = ['go to shelf 1', 'take mug 1 from shelf 1']
  const put = ['go to desk 1', 'move mug 1 to desk 1']
  const cases: [Goal, string[]][] = [
    [goalOf('pick_and_place_simple', 'mug', 'desk'), [...takeMug, ...put]],
    [
      goalOf('pick_clean_then_place_in_recep', 'mug', 'desk'),
      [...takeMug, 'go to sinkbasin 1', 'clean mug 1 with sinkbasin 1', ...put],
    ],
    [
      goalOf('pick_heat_then_place_in_recep', 'mug', 'desk'),
      [...takeMug, 'go to microwave 1', 'heat mug 1 with microwave 1', ...put],
    ],
    [
      goalOf('pick_cool_then_place_in_recep', 'mug', 'desk'),
      [...takeMug, 'go to fridge 1', 'cool mug 1 with fridge 1', ...put],
    ],
    [goalOf('look_at_obj_in_light', 'mug', 'desklamp'), [...takeMug, 'go to desk 1', 'use desklamp 1']],
    // Order is free: the lamp may have been turned on long before.
    [goalOf('look_at_obj_in_light', 'mug', 'desklamp'), ['go to desk 1', 'use desklamp 1', ...takeMug, 'go to desk 1']],
    [
      goalOf('pick_two_obj_and_place', 'mug', 'desk'),
      [...takeMug, ...put, 'go to shelf 1', 'take mug 2 from shelf 1', 'go to desk 1', 'move mug 2 to desk 1'],
    ],
  ]
  it.each(cases)('%j is met by the last of these commands only', (goal, commands) => {
    const state = startGame(room(scene, goal))
    const outcomes = commands.map((command) => step(state, command))
    expect(outcomes.map(({ accepted }) => accepted)).not.toContain(false)
    expect(outcomes.map(({ won }) => won)).toEqual(commands.map((_, i) => i === commands.length - 1))
    expect(state.done).toBe(true)
  })

  it('of two objects requires both in the same receptacle, not in two of a type', () => {
    const game = room(
      'desk 1: pen 3\ndrawer 2: pen 2\ndrawer 1: pen 1',
      goalOf('pick_two_obj_and_place', 'pen', 'drawer'),
    )
    const state = startGame(game)
    expect(state.won).toBe(false)
    for (const command of ['go to desk 1', 'take pen 3 from desk 1', 'go to drawer 1']) step(state, command)
    expect(step(state, 'move pen 3 to drawer 1').won).toBe(true)
  })

  it('is met by cleaning an object that its other receptacle still lists', () => {
    const game = room(
      'countertop 1: mug 1\nshelf 1: mug 1\nsinkbasin 1: nothing',
      goalOf('pick_clean_then_place_in_recep', 'mug', 'shelf'),
    )
    const state = startGame(game)
    for (const command of ['go to countertop 1', 'take mug 1 from countertop 1', 'go to sinkbasin 1'])
      step(state, command)
    expect(step(state, 'clean mug 1 with sinkbasin 1').won).toBe(true)
  })

  it('ends the game once met or out of steps; running out is not winning', () => {
    const goal = goalOf('pick_and_place_simple', 'mug', 'desk')
    const state = startGame(room(scene, goal))
    for (const command of [...takeMug, ...put]) step(state, command)
    const after = cloneState(state)
    expect(step(state, 'take mug 1 from desk 1')).toEqual({
      observation: 'Nothing happens.',
      won: true,
      done: true,
      accepted: false,
    })
    expect(state).toEqual(after)

    const short = startGame(room(scene, goal), { stepLimit: 2 })
    expect(step(short, 'nonsense').done).toBe(false)
    expect(step(short, 'go to shelf 1')).toMatchObject({ won: false, done: true })
  })
})
