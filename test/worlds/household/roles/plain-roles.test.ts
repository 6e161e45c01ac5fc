import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { demonstrate, demonstrateJudgement } from '../../../../src/worlds/household/roles/demonstrations.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { householdFormats, judgement, policyResponse } from '../../../../src/worlds/household/roles/plain-roles.ts'

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

  it('are judged correctly by a perfect critic, with a reason for either score', () => {
    for (const [index, game] of games.entries()) {
      const { steps } = demonstrate(game, { slip: 0.5, maxSteps: 20 }, seededRandom(index))
      for (const step of steps) {
        expect(demonstrateJudgement(step, { good: 0, bad: 0 }, seededRandom(1)).score).toBe(step.trueLabel)
        const wrong = demonstrateJudgement(step, { good: 1, bad: 1 }, seededRandom(1))
        expect(wrong.score).toBe(-step.trueLabel)
        expect(wrong.reasoning).toMatch(/^[a-z ]+$/)
      }
    }
  })
})
