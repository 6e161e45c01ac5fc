import { describe, expect, it } from 'vitest'
import { accuracyText } from '../../../src/pretraining/household/measure.ts'
import { measureReward } from '../../../src/pretraining/reward-accuracy.ts'
import { playEpisodes } from '../../../src/pretraining/measure-roles.ts'
import { PLAYED_HOUSEHOLD } from '../../../src/pretraining/household/played-games.ts'
import { GAMES_AT_ONCE, playGames } from '../../../src/pretraining/played-games.ts'
import { HouseholdEnvironment } from '../../../src/worlds/household/environment.ts'
import { generatedGames } from '../../../src/worlds/household/game-source.ts'
import { judgement, policyResponse } from '../../../src/worlds/plain/roles.ts'
import { householdFormats } from '../../../src/worlds/household/roles/plain-roles.ts'
import { FakeModel } from '../../method/corridor.ts'

const idler = () => new FakeModel(0, () => policyResponse('look around', 'look'))

describe('measures of the household’s models', () => {
  it('count won games by task type', () => {
    const episodes = [
      { taskId: 'pick_two_obj_and_place-mug-shelf-1/id-compact-1', outcome: 1 as const },
      { taskId: 'pick_two_obj_and_place-mug-shelf-1/id-compact-2', outcome: -1 as const },
      { taskId: 'pick_and_place_simple-mug-shelf-1/id-compact-3', outcome: -1 as const },
      { taskId: 'pick_and_place_simple-mug-shelf-1/id-compact-4', outcome: -1 as const },
    ]
    expect(accuracyText(episodes)).toBe('0.250 (pick_and_place_simple 0/2, pick_two_obj_and_place 1/2)')
  })

  it('count a reward model’s votes on good and on bad steps separately', async () => {
    const environment = new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })
    const options = { split: 'id', tasks: 3, maxSteps: 4, seed: 1 } as const
    const played = await playEpisodes(idler(), environment, householdFormats, options)
    // Idle steps are bad; some are made good.
    const episodes = played.map((episode) => ({
      ...episode,
      steps: episode.steps.map((step, index) => ({ ...step, trueLabel: index === 0 ? (1 as const) : (-1 as const) })),
    }))
    const measured = (text: string) => measureReward(new FakeModel(0, () => text), householdFormats.reward, episodes, 1)
    expect(await measured(judgement('x', 1))).toEqual({ good: 1, bad: 0, outcome: 0, unparsable: 0 })
    expect(await measured(judgement('x', -1))).toEqual({ good: 0, bad: 1, outcome: 1, unparsable: 0 })
    expect(await measured('no idea')).toEqual({ good: 0, bad: 0, outcome: 0, unparsable: 1 })
  })
})

describe('games for the reward model’s corpus', () => {
  it('are other training games for every player, with the moves that it made', async () => {
    const counts: number[] = []
    const recipe = { gamesOfEachPlayer: GAMES_AT_ONCE, maxSteps: 2 }
    const played = await playGames(PLAYED_HOUSEHOLD, [idler(), idler()], recipe, 0, (count) => counts.push(count))
    expect(counts).toEqual([250, 500])
    expect(new Set(played.map(({ game }) => game.origin!.seed)).size).toBe(500)
    for (const { game, moves } of played) {
      expect(game.origin!.split).toBe('train')
      expect(moves).toEqual(Array.from({ length: 2 }, () => ({ thought: 'look around', command: 'look' })))
    }
  })
})
