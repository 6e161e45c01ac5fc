import { describe, expect, it } from 'vitest'
import type { LanguageModel } from '../../../src/language-model/language-model.ts'
import { playEpisodes } from '../../../src/pretraining/measure-roles.ts'
import { measureReward } from '../../../src/pretraining/reward-accuracy.ts'
import { DesktopEnvironment } from '../../../src/worlds/desktop/environment.ts'
import { desktopFormats } from '../../../src/worlds/desktop/roles/plain-roles.ts'
import { useShipped } from '../shipped-models.ts'

describe('the shipped desktop models', () => {
  const shipped = useShipped('desktop', 1.75e6)
  const play = (policy: LanguageModel, temperature: number) => {
    const options = { split: 'id', tasks: 80, maxSteps: 20, seed: 7, temperature } as const
    return playEpisodes(policy, new DesktopEnvironment(), desktopFormats, options)
  }

  it('have a policy that solves some held-out tasks at either temperature, and leaves most to learn', async () => {
    const policy = await shipped('policy')
    for (const temperature of [0, 1]) {
      const episodes = await play(policy, temperature)
      const accuracy = episodes.filter(({ outcome }) => outcome === 1).length / episodes.length
      expect(accuracy).toBeGreaterThan(0.2)
      expect(accuracy).toBeLessThan(0.5)
    }
  }, 120_000)

  it('have a reward model that knows good from bad steps of the policy', async () => {
    const [policy, reward] = [await shipped('policy'), await shipped('reward')]
    const episodes = (await play(policy, 1)).slice(0, 40)
    const { good, bad, unparsable } = await measureReward(reward, desktopFormats.reward, episodes, 7)
    expect(unparsable).toBeLessThan(0.03)
    expect((good + bad) / 2).toBeGreaterThan(0.7)
  }, 120_000)
})
