import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { BackendChoice } from '../../src/engines/backends/choice.ts'
import { TransformerModel, type TransformerSource } from '../../src/engines/transformer/transformer-model.ts'
import { parseSettings } from '../../src/method/presets.ts'
import { folderSource, type CheckpointSource } from '../../src/roles/source.ts'
import { forRoles, type Role } from '../../src/method/ports.ts'
import type { BackendWish } from '../../src/sessions/messages.ts'
import { openPlayers, type PlayersHost } from '../../src/sessions/open-players.ts'
import { smallRoles } from '../../src/sessions/small-models.ts'
import { localBridge } from '../threads/local-bridge.ts'
import { UPDATE_OPTIONS } from '../language-model/update-options.ts'

/** As small as the models of a world from a file. */
const folder = fileURLToPath(new URL('../../public/models/household-policy', import.meta.url))
const checkpoint = (change: Partial<CheckpointSource> = {}) => ({ ...folderSource(folder), ...change })

/** Players of such models, where WebGPU can be tried but fails; the workers that were started for each role. */
async function playersOf(
  source: CheckpointSource,
  { samplers = 1, backend }: { samplers?: number; backend: BackendWish },
) {
  const started = { policy: 0, reward: 0, author: 0 }
  class OnCpu extends TransformerModel {
    override load(place: TransformerSource) {
      return place.backend === 'webgpu' ? Promise.reject(new Error('No device.')) : super.load(place)
    }
  }
  const host: PlayersHost = {
    shippedModel: (name) => name,
    startModel(role: Role) {
      started[role]++
      return localBridge(new OnCpu(), () => {})
    },
    samplers,
    startWebLlm: null,
    findWebGpuObstacle: () => Promise.resolve(null),
    now: () => performance.now(),
  }
  let choice: BackendChoice | null = null
  const players = await openPlayers(
    { settings: parseSettings({}), sources: forRoles(() => source), keys: {}, backend },
    { formatsFor: () => Promise.resolve({} as never), grammars: () => Promise.reject(new Error('None is needed.')) },
    host,
    { onBackend: (found) => (choice = found), onNotice: () => {} },
  )
  return { players, started, choice: choice as BackendChoice | null }
}

describe('models of one’s own that are as small as the shipped ones', () => {
  it('are folders that train in full, with at most a million parameters', async () => {
    const adapters: CheckpointSource['adapters'] = { rank: 2, alpha: 4, dropout: 0, targets: ['q_proj'] }
    const sources = { policy: checkpoint(), reward: checkpoint({ adapters }) }
    expect(await smallRoles({ ...sources, author: checkpoint({ location: '/no/such/folder' }) })).toEqual(
      new Set(['policy']),
    )
  })

  it('are measured to choose a backend', async () => {
    const { players, choice } = await playersOf(checkpoint(), { backend: 'auto' })
    expect(choice).toMatchObject({ backend: 'cpu', why: 'WebGPU could not be used: No device.' })
    expect(choice!.tokensPerSecond.cpu).toBeGreaterThan(0)
    players.close()
  })

  it('sample and learn with several workers as with one, to the bit', async () => {
    const results = []
    for (const samplers of [1, 3]) {
      const { players, started } = await playersOf(checkpoint(), { samplers, backend: 'cpu' })
      const [prompt] = await players.policy.encode(['You are in the middle of a room.'])
      const requests = Array.from({ length: 6 }, (_, seed) => ({ prompt: prompt!, count: 2, seed }))
      const sample = () => players.policy.generate(requests, { temperature: 1, topP: 1, maxTokens: 12 })
      const before = await sample()
      const examples = before.flatMap((completions) =>
        completions.map(({ tokens, logProbs }, index) => ({
          ...{ prompt: prompt!, response: tokens, oldLogProbs: logProbs, advantage: index === 0 ? 1 : -1 },
        })),
      )
      await players.policy.update(examples, UPDATE_OPTIONS)
      results.push([before, await sample()])
      expect(started).toEqual({ policy: samplers, reward: 1, author: 1 })
      players.close()
    }
    expect(results[1]).toEqual(results[0])
  })
})
