import { describe, expect, it } from 'vitest'
import { environmentSuite, type EnvironmentSuiteOptions, type OfficialPlay } from '../../src/bench/environment.ts'
import { recordPlay } from '../../src/bench/environment-plays.ts'
import { measureRate, median, wallClock } from '../../src/bench/repetitions.ts'
import type { Measurement } from '../../src/bench/suite.ts'
import { step } from '../../src/worlds/household/engine/step.ts'
import { generateGame } from '../../src/worlds/household/generator/generate-game.ts'
import { startGame } from '../../src/worlds/household/engine/state.ts'

/** A clock that the test moves, and rounds with the given durations. */
function slowRounds(durations: number[]) {
  let now = 0
  return {
    clock: { name: 'test time', now: () => now },
    round: { prepare: () => (now += 1000), work: () => ((now += durations.shift() ?? 1), 10) },
  }
}

describe('a measured rate', () => {
  it('is the median of the repetitions after the first, without preparation', async () => {
    // One to warm up, then 10 operations in 2, 1 and 4 ms.
    const { clock, round } = slowRounds([100, 2, 1, 4])
    const { perSecond, note } = await measureRate(round, { clock, repetitions: 3, durationMs: 1 })
    expect(perSecond).toBe(5000)
    expect(note).toContain('median of 3 × 0.0 s test time')
    expect(note).toContain(`spread ${(100 * (10_000 - 2500)) / 5000} %`)
  })

  it('stops between repetitions on abort', async () => {
    const { clock, round } = slowRounds([])
    const timing = { clock, repetitions: 3, durationMs: 1, signal: AbortSignal.abort(new Error('enough')) }
    await expect(measureRate(round, timing)).rejects.toThrow('enough')
  })

  it('is the mean of the middle two of an even number, and throws for an empty list', () => {
    expect(median([1, 2, 4, 8])).toBe(3)
    expect(() => median([])).toThrow(RangeError)
  })
})

describe('the measured plays', () => {
  it('depend only on the game, finish it, and include refused commands', () => {
    const games = Array.from({ length: 30 }, (_, seed) => generateGame({ seed, split: 'train', sceneSize: 'full' }))
    let refused = 0
    for (const game of games) {
      const { commands } = recordPlay(game)
      expect(recordPlay(structuredClone(game)).commands).toEqual(commands)
      const state = startGame(game)
      for (const command of commands) if (!step(state, command).accepted) refused++
      expect(state.done).toBe(true)
    }
    expect(refused).toBeGreaterThan(0)
  })
})

describe('the environment suite', () => {
  const bytes = async () => new Uint8Array()
  const quick = { clock: wallClock, repetitions: 1, durationMs: 1, games: 2 }

  async function run(options: Partial<EnvironmentSuiteOptions> = {}) {
    const measurements: Measurement[] = []
    const progress: string[] = []
    await environmentSuite({ ...quick, ...options }).run({
      report: (measurement) => void measurements.push(measurement),
      progress: (text) => void progress.push(text),
    })
    return { measurements, progress }
  }

  it('measures only generated games and reports that there are no official ones', async () => {
    const { measurements, progress } = await run()
    const names = measurements.map(({ name }) => name)
    expect(names.slice(0, 2)).toEqual(['steps', 'steps with the admissible list'])
    expect(measurements.every(({ value }) => Number.isFinite(value) && value > 0)).toBe(true)
    expect(measurements[0]!.note).toMatch(/the target of 300000$/)
    expect(progress.at(-1)).toContain('not measured')
  })

  it('gives a peer the same plays of official games and reports its numbers beside ours', async () => {
    const game = generateGame({ seed: 1, split: 'train', sceneSize: 'full' })
    const played: OfficialPlay[] = []
    const { measurements } = await run({
      officialGames: async () => [{ game, bytes }],
      peer: async (plays) => {
        played.push(...plays)
        return { subject: 'peer', stepsPerSecond: 10, resetsPerSecond: 1, note: 'all equal' }
      },
    })
    expect(played).toEqual([{ ...recordPlay(game), bytes }])
    const peers = measurements.filter(({ subject }) => subject === 'peer')
    expect(peers.map(({ value }) => value)).toEqual([10, 1])
    for (const { name, sizes, unit } of peers) {
      const ours = measurements.find((m) => m.name === name && m.subject !== 'peer' && m.sizes['games'] === 'official')
      expect(ours).toMatchObject({ sizes, unit })
    }
  })

  it('reports why a peer was not measured', async () => {
    const game = generateGame({ seed: 1, split: 'train', sceneSize: 'full' })
    const { progress } = await run({
      officialGames: async () => [{ game, bytes }],
      peer: async () => ({ notMeasured: 'no Python' }),
    })
    expect(progress.at(-1)).toBe('The Python package was not measured: no Python')
  })
})
