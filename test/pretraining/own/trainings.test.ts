import { beforeAll, describe, expect, it } from 'vitest'
import { authorPieces, demonstrations, reasonsIn, replayed, scoutExpert } from '../../../src/pretraining/own/corpus.ts'
import { ownTrainings } from '../../../src/pretraining/own/trainings.ts'
import { OwnEnvironment } from '../../../src/worlds/own/environment.ts'
import type { OwnGuest } from '../../../src/worlds/own/guest.ts'
import { ownFormats } from '../../../src/worlds/own/roles/plain-roles.ts'
import { exampleModule, guestOf, worldOf } from '../../worlds/own/worlds.ts'

const RECIPE = { episodes: 12, slips: [0.3, 0.3] } as const

let guest: OwnGuest
beforeAll(async () => (guest = await guestOf(exampleModule())))

describe('the demonstrations of a world from a file', () => {
  it('depend only on the seed, and slip into commands that the expert knows', () => {
    const { commands, played, won } = scoutExpert(guest)
    expect(new Set(commands)).toEqual(new Set(['go north', 'go south', 'go west', 'go east', 'take key', 'open chest']))
    expect(won).toBe(played)
    const drawn = (seed: number) => demonstrations(guest, commands, RECIPE, seed, 'test')
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
    const steps = drawn(1).flatMap((episode) => episode.steps)
    expect(steps.every(({ command }) => commands.includes(command))).toBe(true)
    expect(new Set(steps.map(({ trueLabel }) => trueLabel))).toEqual(new Set([1, -1]))
    expect(reasonsIn(drawn(1)).bad).toEqual(expect.arrayContaining(['nothing changed', 'came no closer']))
  })

  it('are labelled as the environment labels them', async () => {
    const environment = new OwnEnvironment(guest)
    const [task] = await environment.sampleTasks('train', 1, 5)
    await environment.reset([{ episodeId: 'e', task: task!, maxSteps: 20 }])
    const moves = ['go north', 'go east', 'dance', 'go south', 'take key', 'go west'].map((command) => ({
      thought: 'a',
      command,
    }))
    const labels: (number | null)[] = []
    for (const { command } of moves) {
      const [result] = await environment.step([{ episodeId: 'e', command }])
      labels.push(result!.trueLabel)
      if (result!.done) break
    }
    expect(replayed(guest, { game: task!.body, moves }).steps.map(({ trueLabel }) => trueLabel)).toEqual(labels)
  })

  it('teach the author rewrites that the world accepts', () => {
    const pieces = [1, 2, 3, 4].map((index) => authorPieces(guest, { good: ['came closer'], bad: ['no'] }, 0, index))
    for (const line of pieces.filter((each) => each !== null))
      expect(ownFormats.author.parse(line.at(-1)!.text)).toMatch(/^(no )?wall at \d \d$/)
    expect(pieces.some((each) => each !== null)).toBe(true)
  })
})

it('a world without an expert, or with one that never wins, trains no small models, and says why', async () => {
  const trainings = async (changed: Record<string, string>) => ownTrainings(await guestOf(worldOf(changed)), 'h', 0)
  await expect(trainings({})).rejects.toThrow('world.ts has no `expert`')
  await expect(trainings({ expert: `() => 'stop'` })).rejects.toThrow('`expert` of world.ts won none of 40 tasks')
})
