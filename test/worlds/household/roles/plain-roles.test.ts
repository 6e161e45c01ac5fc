import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { critique } from '../../../../src/worlds/household/roles/critiques.ts'
import { demonstrate, demonstrateJudgement, replay } from '../../../../src/worlds/household/roles/demonstrations.ts'
import { misreadGoal } from '../../../../src/worlds/household/roles/misread-goals.ts'
import { goalSentence } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { judgement, policyResponse } from '../../../../src/worlds/plain/roles.ts'
import { householdFormats } from '../../../../src/worlds/household/roles/plain-roles.ts'

const { policy, reward, author } = householdFormats

describe('the household roles', () => {
  it('read back what they write', () => {
    expect(policy.parse(policyResponse('find mug', 'go to shelf 2'))).toEqual({
      thought: 'find mug',
      command: 'go to shelf 2',
    })
    expect(reward.parse(judgement('found the mug', 1))).toEqual({ reasoning: 'found the mug', score: 1 })
    expect(reward.parse(judgement('nothing happened', -1))).toEqual({ reasoning: 'nothing happened', score: -1 })
    expect(author.parse(' hint mug 1\n')).toBe('hint mug 1')
  })

  it('read any text, and give unreadable judgements no score', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof policy.parse(text).command).toBe('string')
        expect([1, 0, -1]).toContain(reward.parse(text).score)
        expect(typeof author.parse(text)).toBe('string')
      }),
    )
    expect(reward.parse('the mug is there').score).toBe(0)
    expect(reward.parse(' looked around; score 12').score).toBe(0)
  })

  it('omit the greeting from prompts', () => {
    const opening =
      '-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room.\n\nYour task is to: put a mug in shelf.'
    expect(policy.opening(opening)).toBe('You are in the middle of a room.\n\nYour task is to: put a mug in shelf.\n>')
    expect(reward.opening(opening).endsWith('shelf.')).toBe(true)
  })
})

describe('demonstrations', () => {
  const games = Array.from({ length: 40 }, (_, seed) => generateGame({ seed, split: 'train', sceneSize: 'compact' }))

  it('always win without slips, and less often with more slips', () => {
    const winsAt = (slip: number) =>
      games.filter((game, index) => demonstrate(game, { slip, maxSteps: 20 }, seededRandom(index)).won).length
    expect(winsAt(0)).toBe(games.length)
    expect(winsAt(0.7)).toBeLessThan(winsAt(0.3))
  })

  it('give a true hint that saves searching', () => {
    for (const [index, game] of games.entries()) {
      const { opening, won } = demonstrate(game, { slip: 0, maxSteps: 30, withHint: true }, seededRandom(index))
      expect(won).toBe(true)
      const hint = / Hint: the (\S+ \d+) is in (\S+ \d+)\.$/.exec(opening)
      const object = game.objects.find(({ noun, number }) => `${noun} ${number}` === hint?.[1])
      const places = object?.in.map((index) => `${game.receptacles[index]!.noun} ${game.receptacles[index]!.number}`)
      expect(places).toContain(hint?.[2])
    }
  })

  it('are judged by their true labels, with a reason for either score', () => {
    for (const [index, game] of games.entries()) {
      const { steps } = demonstrate(game, { slip: 0.5, maxSteps: 20 }, seededRandom(index))
      for (const step of steps) {
        expect(demonstrateJudgement(step).score).toBe(step.trueLabel)
        for (const score of [1, -1] as const) expect(critique(step.facts, score)).toMatch(/^[a-z ]+$/)
        expect(demonstrateJudgement(step).reasoning).toBe(critique(step.facts, step.trueLabel))
      }
    }
  })

  it('replay to the same steps, observations and labels', () => {
    for (const [index, game] of games.entries()) {
      const played = demonstrate(game, { slip: 0.5, maxSteps: 20 }, seededRandom(index))
      const moves = played.steps.map(({ thought, command }) => ({ thought, command }))
      expect(replay(game, moves, 20, seededRandom('other', index))).toEqual(played)
      const half = replay(game, moves.slice(0, 2), 20, seededRandom(index))
      expect(half.steps).toEqual(played.steps.slice(0, 2))
    }
  })
})

describe('a demonstrator who misread the goal', () => {
  const games = Array.from({ length: 150 }, (_, seed) => generateGame({ seed, split: 'train', sceneSize: 'compact' }))

  it('pursues another goal of the same room', () => {
    const kinds = new Set<string>()
    for (const [index, { goal, receptacles, objects, ...game }] of games.entries()) {
      const believed = misreadGoal({ ...game, goal, receptacles, objects }, seededRandom('misread', index))
      const parts = ['taskType', 'object', 'target'] as const
      const changed = parts.filter((part) => believed[part] !== goal[part])
      expect(changed).toHaveLength(1)
      kinds.add(changed[0]!)
      if (believed.object !== goal.object) expect(objects.map(({ type }) => type)).toContain(believed.object)
      if (believed.target !== goal.target) expect(receptacles.map(({ type }) => type)).toContain(believed.target)
      const isLamp = (taskType: string) => taskType === 'look_at_obj_in_light'
      expect(isLamp(believed.taskType)).toBe(isLamp(goal.taskType))
    }
    expect(kinds).toEqual(new Set(['taskType', 'object', 'target']))
  })

  it('plays to the end, mostly fails, and is judged by the true goal', () => {
    let won = 0
    let reached = 0
    for (const [index, game] of games.entries()) {
      const random = seededRandom('misread', index)
      const believed = misreadGoal(game, random)
      const episode = demonstrate(game, { slip: 0, maxSteps: 20, believed }, random)
      expect(episode.opening).toContain(goalSentence(game.goal, game.phrasing))
      expect(episode.won || episode.steps.length === 20).toBe(true)
      if (episode.won) won++
      const moves = episode.steps.map(({ thought, command }) => ({ thought, command }))
      expect(replay(game, moves, 20, seededRandom(0))).toEqual(episode)
      if (replay({ ...game, goal: believed }, moves, 20, seededRandom(0)).won) reached++
    }
    expect(won).toBeLessThan(games.length / 2)
    // Many misread goals are out of reach; the others are reached.
    expect(reached).toBeGreaterThan(games.length / 4)
  })
})
