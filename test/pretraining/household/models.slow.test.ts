import { describe, expect, it } from 'vitest'
import type { EpisodeFinished } from '../../../src/method/events.ts'
import type { LanguageModel } from '../../../src/language-model/language-model.ts'
import { measureReward } from '../../../src/pretraining/reward-accuracy.ts'
import { POLICY } from '../../../src/pretraining/household/recipes.ts'
import { playEpisodes } from '../../../src/pretraining/measure-roles.ts'
import { HouseholdEnvironment } from '../../../src/worlds/household/environment.ts'
import type { GameSource } from '../../../src/worlds/household/game-source.ts'
import { generateGame } from '../../../src/worlds/household/generator/generate-game.ts'
import { hashOf } from '../../../src/worlds/random.ts'
import type { TaskType } from '../../../src/worlds/household/engine/game.ts'
import { householdFormats } from '../../../src/worlds/household/roles/plain-roles.ts'
import { useShipped } from '../shipped-models.ts'

describe('the shipped household models', () => {
  const shipped = useShipped('household', 1.5e6)
  const play = (policy: LanguageModel, types: readonly TaskType[], temperature: number, tasks: number) => {
    const game = (seed: number) => generateGame({ seed, split: 'id', sceneSize: 'compact', taskTypes: types })
    const games: GameSource = {
      sample: async (_, count, seed) => Array.from({ length: count }, (_, i) => game(hashOf('task', seed, i))),
    }
    const options = { split: 'id', tasks, maxSteps: 20, seed: 7, temperature } as const
    return playEpisodes(policy, new HouseholdEnvironment({ games }), householdFormats, options)
  }
  const accuracy = (episodes: readonly EpisodeFinished[]) =>
    episodes.filter(({ outcome }) => outcome === 1).length / episodes.length

  it('have a policy that knows two kinds of task at either temperature, and seldom solves the others', async () => {
    const policy = await shipped('policy')
    const { common, rare } = POLICY.corpus
    for (const temperature of [0, 1]) {
      expect(accuracy(await play(policy, common, temperature, 40))).toBeGreaterThan(0.75)
      expect(accuracy(await play(policy, rare, temperature, 40))).toBeLessThan(0.4)
    }
  })

  it('have a reward model that knows good from bad steps of the policy in all kinds of task', async () => {
    const [policy, reward, early] = [await shipped('policy'), await shipped('reward'), await shipped('reward-early')]
    for (const types of [POLICY.corpus.common, POLICY.corpus.rare]) {
      const episodes = await play(policy, types, 1, 16)
      const { good, bad, unparsable } = await measureReward(reward, householdFormats.reward, episodes, 7)
      expect(unparsable).toBeLessThan(0.02)
      expect((good + bad) / 2).toBeGreaterThan(0.75)
      // The early one has much to learn, and knows how to answer.
      const before = await measureReward(early, householdFormats.reward, episodes, 7)
      expect(before.unparsable).toBeLessThan(0.1)
      expect(before.good + before.bad).toBeLessThan(good + bad)
      expect((before.good + before.bad) / 2).toBeGreaterThan(0.6)
    }
  })
})
