import { describe, expect, it } from 'vitest'
import { taskMix, unseenFloorPlans } from '../../../../src/worlds/household/corpus/statistics.ts'
import { playExpert } from '../../../../src/worlds/household/planning/expert.ts'
import { taskTypes, type HouseholdGame, type SceneSize } from '../../../../src/worlds/household/engine/game.ts'
import type { Split } from '../../../../src/method/ports.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { isSensibleGoal } from '../../../../src/worlds/household/generator/sensible-goals.ts'
import { isHeldOutPair } from '../../../../src/worlds/household/generator/splits.ts'
import { worldOf } from '../../../../src/worlds/household/engine/rooms.ts'
import { Knowledge } from '../../../../src/worlds/household/planning/knowledge.ts'
import { distanceToGoal } from '../../../../src/worlds/household/planning/plan.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import { accepts, receptacleTypes, objectTypesThatCanBe } from '../../../../src/worlds/household/engine/vocabulary.ts'
import { allFloorPlans, floorPlan } from './floor-plans.ts'

const splits: readonly Split[] = ['train', 'id', 'ood']
const sizes: readonly SceneSize[] = ['compact', 'full']

function games(split: Split, sceneSize: SceneSize, count = 150): HouseholdGame[] {
  return Array.from({ length: count }, (_, seed) => generateGame({ seed, split, sceneSize }))
}

const drawn = Object.fromEntries(
  splits.map((split) => [split, Object.fromEntries(sizes.map((size) => [size, games(split, size)]))]),
) as Record<Split, Record<SceneSize, HouseholdGame[]>>
const everyGame = splits.flatMap((split) => sizes.flatMap((size) => drawn[split][size]))

const share = <T>(items: readonly T[], is: (item: T) => boolean) => items.filter(is).length / items.length

/** Whether some target can be seen without opening anything. */
const hasVisibleTarget = (game: HouseholdGame) =>
  worldOf(game).goalObjects.some((object) =>
    game.objects[object]!.in.some((receptacle) => !game.receptacles[receptacle]!.isOpenable),
  )

describe('floor plans', () => {
  it('are the 112 of the corpus', () => {
    expect(allFloorPlans).toHaveLength(112)
    for (const size of sizes)
      expect(allFloorPlans.map((number) => floorPlan(number, size).number)).toEqual(allFloorPlans)
  })

  it('are the same in all games on them', () => {
    for (const game of everyGame) {
      expect(game.receptacles).toEqual(floorPlan(game.floorPlan, game.origin!.sceneSize).receptacles)
    }
  })

  it('have 5 to 10 receptacles if they are compact', () => {
    for (const number of allFloorPlans) {
      const { length } = floorPlan(number, 'compact').receptacles
      expect(length).toBeGreaterThanOrEqual(5)
      expect(length).toBeLessThanOrEqual(10)
    }
  })
})

describe('generated games', () => {
  it('are the same for the same seed, and differ between seeds', () => {
    const options = { seed: 7, split: 'train', sceneSize: 'compact' } as const
    expect(generateGame(options)).toEqual(generateGame(options))
    expect(new Set(drawn.train.compact.map((game) => JSON.stringify(game.objects))).size).toBeGreaterThan(140)
  })

  it('are never won at the start, have sensible goals, and contain only known types', () => {
    for (const game of everyGame) {
      expect(startGame(game).won).toBe(false)
      expect(isSensibleGoal(game.goal)).toBe(true)
      for (const receptacle of game.receptacles) expect(receptacleTypes).toContain(receptacle.type)
      expect(JSON.parse(JSON.stringify(game))).toEqual(game)
    }
  })

  it('name objects alphabetically with numbers that count down to 1', () => {
    for (const game of everyGame) {
      for (const list of [game.receptacles, game.objects]) {
        list.forEach(({ noun, number }, i) => {
          const next = list[i + 1]
          if (next?.noun === noun) expect(next.number).toBe(number - 1)
          else expect(number).toBe(1)
          if (next) expect(next.noun >= noun).toBe(true)
        })
      }
    }
  })

  it('are solved within 50 steps by the expert, in every split', () => {
    const isSolved = (game: HouseholdGame) =>
      playExpert(startGame(game), new Knowledge(game), seededRandom('another', game.id)).won
    for (const split of splits) {
      for (const game of drawn[split].compact) expect(isSolved(game), game.id).toBe(true)
      // It has solved each of them in 45 steps; with other random choices it may search other drawers first.
      expect(share(drawn[split].full, isSolved)).toBeGreaterThan(0.98)
      for (const game of drawn[split].full) expect(distanceToGoal(startGame(game))).toBeLessThan(12)
    }
  })

  it('keep the task mix of the corpus', () => {
    const total = taskTypes.flatMap((type) => Object.values(taskMix[type])).reduce((sum, n) => sum + n, 0)
    for (const type of taskTypes) {
      const published = Object.values(taskMix[type]).reduce((sum, n) => sum + n, 0) / total
      expect(Math.abs(share(everyGame, (game) => game.goal.taskType === type) - published)).toBeLessThan(0.05)
    }
  })

  it('show a target without opening anything in 95 % of full games and in about three of four compact ones', () => {
    expect(
      share(
        splits.flatMap((split) => drawn[split].full),
        hasVisibleTarget,
      ),
    ).toBeGreaterThan(0.92)
    const compact = share(
      splits.flatMap((split) => drawn[split].compact),
      hasVisibleTarget,
    )
    expect(compact).toBeGreaterThan(0.7)
    expect(compact).toBeLessThan(0.82)
  })

  it('can be limited to some task types, and fail if there are none', () => {
    const game = generateGame({ seed: 1, split: 'train', sceneSize: 'compact', taskTypes: ['look_at_obj_in_light'] })
    expect(game.goal).toMatchObject({ taskType: 'look_at_obj_in_light', target: 'desklamp' })
    expect(() => generateGame({ seed: 1, split: 'train', sceneSize: 'compact', taskTypes: [] })).toThrow(
      'Allow more task types',
    )
  })
})

describe('splits', () => {
  const combination = ({ floorPlan: plan, goal }: HouseholdGame) =>
    [plan, goal.taskType, goal.object, goal.target].join()
  const pair = ({ goal }: HouseholdGame) => `${goal.object} ${goal.target}`

  it('reserve the four unseen floor plans and the held-out pairs for ood', () => {
    for (const split of splits) {
      for (const game of sizes.flatMap((size) => drawn[split][size])) {
        expect(unseenFloorPlans.includes(game.floorPlan)).toBe(split === 'ood')
        expect(isHeldOutPair(game.goal.object, game.goal.target)).toBe(split === 'ood')
      }
    }
    const asked = new Set(sizes.flatMap((size) => drawn.train[size]).map(pair))
    for (const game of sizes.flatMap((size) => drawn.ood[size])) expect(asked).not.toContain(pair(game))
  })

  it('hold out about 15 % of the pairs', () => {
    const pairs = receptacleTypes.flatMap((target) =>
      objectTypesThatCanBe('pickupable')
        .filter((object) => accepts(target, object))
        .map((object) => [object, target] as const),
    )
    const held = share(pairs, ([object, target]) => isHeldOutPair(object, target))
    expect(held).toBeGreaterThan(0.12)
    expect(held).toBeLessThan(0.18)
  })

  it('share no combination of floor plan and goal between train and id', () => {
    const trained = new Set(sizes.flatMap((size) => drawn.train[size]).map(combination))
    for (const game of sizes.flatMap((size) => drawn.id[size])) expect(trained).not.toContain(combination(game))
  })
})
