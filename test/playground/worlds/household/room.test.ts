import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../../../src/playground/run/trajectories.ts'
import { extentOf, kindOf, ROOM, roomPlan } from '../../../../src/playground/worlds/household/room/room-plan.ts'
import { roomSentence, roomStory } from '../../../../src/playground/worlds/household/room/room-story.ts'
import { playedTask } from '../../../../src/playground/worlds/household/played-task.ts'
import { replay } from '../../../../src/playground/worlds/household/theatre-scene.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { receptacleTypes } from '../../../../src/worlds/household/engine/vocabulary.ts'
import { nameOf } from '../../../../src/worlds/household/engine/game.ts'
import { recordedHousehold } from '../../recorded-household.ts'

describe('the story of a room, read from the text of an episode', () => {
  it('agrees with the game that was played, after every command', () => {
    const view = recordedHousehold()
    const iteration = view.iteration(7)!
    const settings = settingsOf(view, iteration.iteration)!
    let seen = 0
    for (const { episode } of iteration.episodes.slice(0, 48)) {
      const played = replay(playedTask(view, episode.taskId, settings)!, episode, settings)
      roomStory(episode.opening, episode.steps).forEach((moment, k) => {
        const truth = played.moments[k]!
        const where = `${episode.episodeId}, after ${k} commands`
        expect(moment.held, where).toBe(truth.held?.name ?? null)
        expect(moment.furniture.map(({ name }) => name).sort(), where).toEqual(
          truth.receptacles.map(({ name }) => name).sort(),
        )
        if (moment.place !== null) expect(truth.place, where).toContain(moment.place)
        for (const { name, contents } of moment.furniture) {
          const receptacle = truth.receptacles.find((each) => each.name === name)!
          expect([where, name, contents !== null]).toEqual([where, name, receptacle.isSeen || contents !== null])
          if (contents === null) continue
          seen++
          expect(new Set(contents), `${where}: ${name}`).toEqual(new Set(receptacle.contents.map((each) => each.name)))
        }
      })
    }
    expect(seen).toBeGreaterThan(500)
  })

  it('reads the first version of the text game, where places have numbers and things are put', () => {
    const opening = 'Looking quickly around you, you see a desk 1, and a fridge 1.\n\nYour task is to: cool some mug.'
    const moments = roomStory(opening, [
      { command: 'go to desk 1', observation: 'You arrive at loc 2. On the desk 1, you see a mug 1.' },
      { command: 'take mug 1 from desk 1', observation: 'You pick up the mug 1 from the desk 1.' },
      { command: 'go to fridge 1', observation: 'You arrive at loc 1. The fridge 1 is closed.' },
      { command: 'cool mug 1 with fridge 1', observation: 'You cool the mug 1 using the fridge 1.' },
      { command: 'open fridge 1', observation: 'You open the fridge 1. The fridge 1 is open. In it, you see nothing.' },
      { command: 'put mug 1 in/on fridge 1', observation: 'You put the mug 1 in/on the fridge 1.' },
    ])
    expect(roomSentence(moments[0]!)).toBe('The agent is in the middle of the room and holds nothing.')
    expect(roomSentence(moments[4]!)).toBe('The agent is at fridge 1 and holds the cool mug 1.')
    expect(moments[5]!.furniture[1]).toMatchObject({ isOpen: true, contents: [] })
    expect(moments[6]).toMatchObject({ held: null, place: 'fridge 1' })
    expect(moments[6]!.furniture.map(({ contents }) => contents)).toEqual([[], ['mug 1']])
  })
})

describe('the plan of a room', () => {
  const overlap = (a: ReturnType<typeof extentOf>, b: ReturnType<typeof extentOf>) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.01 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.01

  function expectSound(names: readonly string[]): void {
    const plan = roomPlan(names)
    expect(plan.map(({ name }) => name)).toEqual(names)
    const extents = plan.map(extentOf)
    extents.forEach((extent, i) => {
      const { front } = plan[i]!
      expect(extent.left >= 0 && extent.top >= 0 && extent.right <= ROOM.width && extent.bottom <= ROOM.height).toBe(
        true,
      )
      expect(front.x > 0 && front.y > 0 && front.x < ROOM.width && front.y < ROOM.height).toBe(true)
      for (const [j, other] of extents.slice(i + 1).entries())
        if (overlap(extent, other))
          throw new Error(`${names[i]} and ${names[i + 1 + j]} overlap in ${names.join(', ')}`)
    })
  }

  it('is the same for the same furniture, with tables in the middle and all else along the walls', () => {
    const names = ['cabinet 1', 'countertop 1', 'diningtable 1', 'fridge 1', 'sinkbasin 1']
    expect(roomPlan(names)).toEqual(roomPlan(names))
    for (const { name, side } of roomPlan(names)) expect(side === 'middle').toBe(kindOf(name) === 'diningtable')
  })

  it('lets no two pieces of a generated game overlap', () => {
    for (const sceneSize of ['compact', 'full'] as const) {
      for (let seed = 0; seed < 12; seed++)
        expectSound(generateGame({ seed, split: 'train', sceneSize }).receptacles.map(nameOf))
    }
  })

  it('holds any furniture, known kinds and unknown ones', () => {
    const kinds = fc.constantFrom(...receptacleTypes, 'somethingnew')
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 1, maxLength: 34 }), (list) => {
        expectSound(list.map((kind, i) => `${kind} ${i + 1}`))
      }),
    )
  })
})
