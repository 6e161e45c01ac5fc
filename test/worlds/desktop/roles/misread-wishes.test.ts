import { describe, expect, it } from 'vitest'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { demonstrate } from '../../../../src/worlds/desktop/roles/demonstrations.ts'
import { misreadGame } from '../../../../src/worlds/desktop/roles/misread-wishes.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'

const games = Array.from({ length: 60 }, (_, seed) => generateTask({ seed, split: 'train', allowsOodTemplates: true }))
const misread = games.flatMap((game, seed) => {
  const believed = misreadGame(game, seededRandom('misread', seed))
  return believed ? [{ game, believed }] : []
})

describe('a misread task', () => {
  it('wants something else on the same desktop', () => {
    expect(misread.length).toBeGreaterThan(games.length * 0.9)
    for (const { game, believed } of misread) {
      expect(believed.wish).not.toEqual(game.wish)
      for (const part of ['id', 'desktop', 'start', 'layout', 'pages'] as const) expect(believed[part]).toBe(game[part])
    }
    const sameKind = misread.filter(({ game, believed }) => game.wish.template === believed.wish.template)
    expect(sameKind.length).toBeGreaterThan(misread.length / 2)
    expect(sameKind.length).toBeLessThan(misread.length)
  })

  it('is the same for the same random numbers', () => {
    const again = games.map((game, seed) => misreadGame(game, seededRandom('misread', seed))?.wish)
    expect(again.filter(Boolean)).toEqual(misread.map(({ believed }) => believed.wish))
  })

  it('makes demonstrators lose with steps that are accepted', () => {
    const played = misread.map(({ game, believed }, seed) =>
      demonstrate(game, { slip: 0, believed, maxSteps: 20 }, seededRandom('play', seed)),
    )
    expect(played.filter(({ won }) => won).length).toBeLessThan(played.length * 0.2)
    const bad = played.flatMap(({ steps }) => steps).filter(({ trueLabel }) => trueLabel === -1)
    const refused = bad.filter(({ facts }) => facts.did === 'nothing')
    expect(refused.length).toBeLessThan(bad.length * 0.2)
  })
})
