import { describe, expect, it } from 'vitest'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { demonstrate, demonstrateJudgement, replay } from '../../../../src/worlds/desktop/roles/demonstrations.ts'
import { judgement, policyResponse } from '../../../../src/worlds/plain/roles.ts'
import { desktopFormats } from '../../../../src/worlds/desktop/roles/plain-roles.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'

const games = Array.from({ length: 36 }, (_, seed) => generateTask({ seed, split: seed % 3 === 2 ? 'ood' : 'train' }))
const play = (slip: number) =>
  games.map((game, index) => demonstrate(game, { slip, maxSteps: 20 }, seededRandom('demonstration', index)))

describe('demonstrations on the desktop', () => {
  it('win without slips, with every step good, except on the way back to a page of the site', () => {
    play(0).forEach(({ won, steps }, index) => {
      expect(won).toBe(true)
      const bad = steps.filter(({ trueLabel, facts }) => trueLabel === -1 && facts.isNewView)
      expect(bad, games[index]!.id).toEqual([])
      if (games[index]!.origin.split === 'train') {
        expect(steps.map(({ trueLabel }) => trueLabel)).toEqual(steps.map(() => 1))
      }
      expect(steps.at(-1)!.thought).toMatch(/^(goal met|not possible)$/)
    })
  })

  it('lose often with slips, which critics name', () => {
    const clumsy = play(0.4)
    expect(clumsy.filter(({ won }) => won).length).toBeLessThan(games.length * 0.6)
    const steps = clumsy.flatMap((demonstration) => demonstration.steps)
    const reasons = new Set(steps.map((step) => demonstrateJudgement(step).reasoning))
    for (const reason of [
      'opened the right place',
      'picked the wrong thing',
      'stopped too early',
      'gave up without looking',
      'nothing happened',
    ]) {
      expect(reasons.has(reason), reason).toBe(true)
    }
    expect(reasons.size).toBeLessThan(25)
  })

  it('call a document that is right and not saved by its name', () => {
    const game = generateTask({ seed: 2, split: 'train', templates: ['change-line'] })
    const { steps } = demonstrate(game, { slip: 0, maxSteps: 20 }, seededRandom('save'))
    const moves = [...steps.slice(0, -2), { thought: 'goal met', command: 'done' }]
    const last = replay(game, moves, 20).steps.at(-1)!
    expect(demonstrateJudgement(last)).toEqual({ reasoning: 'forgot to save', score: -1 })
  })

  it('repeat an episode move by move', () => {
    const [first] = play(0.3)
    expect(replay(games[0]!, first!.steps, 20)).toEqual(first)
  })
})

describe('plain roles of the desktop', () => {
  it('read back what they write', () => {
    const { policy, reward, author } = desktopFormats
    expect(policy.parse(policyResponse('rename tree', 'click tree.png'))).toEqual({
      thought: 'rename tree',
      command: 'click tree.png',
    })
    expect(policy.parse('hello')).toEqual({ thought: '', command: 'hello' })
    expect(reward.parse(judgement('picked the wrong thing', -1))).toEqual({
      reasoning: 'picked the wrong thing',
      score: -1,
    })
    expect(reward.parse('who knows').score).toBe(0)
    expect(author.parse(' set name lake.png\n')).toBe('set name lake.png')
  })

  it('write prompts that only grow', () => {
    const { policy, reward } = desktopFormats
    const [{ opening, steps }] = play(0) as [ReturnType<typeof play>[number]]
    let transcript = policy.opening(opening)
    let judged = reward.opening(opening)
    for (const { thought, command, observation } of steps) {
      const response = policyResponse(thought, command)
      transcript += response + policy.afterResponse(observation)
      judged += reward.step({ response, observation })
    }
    expect(transcript).toBe(`${judged}\n>`)
  })
})
