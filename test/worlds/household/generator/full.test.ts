/** Compares full scenes with the official games: in distribution, and in what never happens there. */
import { describe, expect, it } from 'vitest'
import {
  officialSplitSizes,
  roomOf,
  rooms,
  unseenFloorPlans,
} from '../../../../src/worlds/household/corpus/statistics.ts'
import { type FloorPlan } from '../../../../src/worlds/household/generator/floor-plans.ts'
import { taskTypes, treatmentOf, type HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import {
  row,
  rowsOfKind,
  totalOf,
  type RowCounts,
} from '../../../../src/worlds/household/generator/full/scene-counts.ts'
import { countScenes, differencesOf } from './scene-observations.ts'
import { sceneStatistics } from '../../../../src/worlds/household/generator/full/scene-statistics.ts'
import { sceneTables, totalVariation } from './scene-tables.ts'
import type { Split } from '../../../../src/method/ports.ts'
import { fullFloorPlans } from '../../../../src/worlds/household/generator/full/floor-plans.ts'
import { allFloorPlans, floorPlan } from './floor-plans.ts'
import { holdsOne } from '../../../../src/worlds/household/generator/full/start-patterns.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import { accepts, applianceType, can } from '../../../../src/worlds/household/engine/vocabulary.ts'
import { countedGames, officialGamesFile } from '../official-counts.ts'

const fullGame = (split: Split, seed: number) => generateGame({ seed, split, sceneSize: 'full' })
const proportion: readonly [Split, number][] = [
  ['train', 650],
  ['id', 26],
  ['ood', 24],
]
const games = proportion.flatMap(([split, count]) => Array.from({ length: count }, (_, seed) => fullGame(split, seed)))

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)
const share = <T>(items: readonly T[], is: (item: T) => boolean) => items.filter(is).length / items.length

const official = officialGamesFile()
if (official === null) process.stdout.write('Skipped: the official games are not at hand, only their counts.\n')

it.skipIf(official === null)('the committed counts are those of the official games', () => {
  expect(differencesOf(sceneStatistics, countScenes(countedGames(official!)))).toEqual([])
})

const splits: readonly Split[] = ['train', 'id', 'ood']

describe('the tables of the corpus', () => {
  it.each(sceneTables(sceneStatistics).map((table) => [table.name, table] as const))('%s', (_, table) => {
    const answers = games.map((game) => table.observe(game)).filter(({ length }) => length > 0)
    const { distance, distanceByChance } = totalVariation(answers, table.shares)
    expect(distance).toBeLessThan(1.25 * distanceByChance + 0.02)
  })

  it('the mean numbers of receptacles, objects and portable objects', () => {
    const counts = countScenes(games)
    for (const room of rooms) {
      for (const question of ['size receptacles', 'size objects', 'size pickupable']) {
        const [ours, theirs] = [counts, sceneStatistics].map((each) => row(each[room], question))
        const error = deviationOf(theirs!) / Math.sqrt(totalOf(ours!))
        expect(Math.abs(meanOf(ours!) - meanOf(theirs!)), `${room} ${question}`).toBeLessThan(3.5 * error)
      }
    }
  })

  it('a visible target in 95 %, an object in two receptacles in 39 %, one in another in 17 %', () => {
    const isSeen = ({ goal, objects, receptacles }: HouseholdGame) =>
      objects.some(({ type, in: where }) => type === goal.object && where.some((r) => !receptacles[r]!.isOpenable))
    const expected: [number, (game: HouseholdGame) => boolean][] = [
      [0.952, isSeen],
      [1479 / 3827, ({ objects }) => objects.some((object) => object.in.length > 1)],
      [661 / 3827, ({ objects }) => objects.some(({ inside }) => inside)],
    ]
    for (const [official, is] of expected) expect(Math.abs(share(games, is) - official)).toBeLessThan(0.03)
  })
})

function meanOf(answers: RowCounts): number {
  return sum([...answers].map(([answer, count]) => Number(answer) * count)) / totalOf(answers)
}

function deviationOf(answers: RowCounts): number {
  const squares = new Map([...answers].map(([answer, count]) => [String(Number(answer) ** 2), count]))
  return Math.sqrt(meanOf(squares) - meanOf(answers) ** 2)
}

describe('full floor plans', () => {
  const plansOf = (room: (typeof rooms)[number]) => fullFloorPlans(room)
  const weighed = (plans: readonly FloorPlan[], value: (plan: FloorPlan) => number) =>
    sum(plans.map((plan) => plan.weight * value(plan)))

  it('are 112, of which the unseen ones are played in proportion to their split', () => {
    const total = sum(Object.values(officialSplitSizes))
    for (const room of rooms) {
      const plans = plansOf(room)
      expect(plans).toHaveLength(28)
      expect(weighed(plans, () => 1)).toBeCloseTo(1, 10)
      const unseen = plans.filter(({ number }) => unseenFloorPlans.includes(number))
      expect(weighed(unseen, () => 1)).toBeCloseTo(officialSplitSizes.ood / total, 2)
      for (const { weight } of plans) expect(weight).toBeGreaterThan(0.4 / 28)
    }
  })

  it('have the receptacles of table A3: share of games, fewest, most, and mean', () => {
    for (const room of rooms) {
      const plans = plansOf(room)
      const all = totalOf(row(sceneStatistics[room], 'task'))
      for (const [type, counts] of rowsOfKind(sceneStatistics[room], 'receptacles')) {
        const has = (plan: FloorPlan) => plan.receptacles.filter((receptacle) => receptacle.type === type).length
        const numbers = plans.map(has).filter((count) => count > 0)
        const label = `${room} ${type}`
        expect(Math.abs(weighed(plans, (plan) => Number(has(plan) > 0)) - totalOf(counts) / all), label).toBeLessThan(
          0.03,
        )
        const common = [...counts].filter(([, times]) => times / all > 0.03).map(([count]) => Number(count))
        expect(Math.min(...numbers), label).toBeLessThanOrEqual(Math.min(...common))
        expect(Math.max(...numbers), label).toBeGreaterThanOrEqual(Math.max(...common))
        for (const count of numbers) expect(counts.has(String(count)), label).toBe(true)
        const mean = weighed(plans, has) / weighed(plans, (plan) => Number(has(plan) > 0))
        expect(Math.abs(mean / meanOf(counts) - 1), label).toBeLessThan(0.1)
      }
      expect(
        Math.abs(
          weighed(plans, (plan) => plan.receptacles.length) / meanOf(row(sceneStatistics[room], 'size receptacles')) -
            1,
        ),
      ).toBeLessThan(0.03)
    }
  })

  it('open and share places as often as the official ones', () => {
    const gamesIn = (room: (typeof rooms)[number]) => totalOf(row(sceneStatistics[room], 'task'))
    const overall = (value: (plan: FloorPlan) => number) =>
      sum(rooms.map((room) => gamesIn(room) * weighed(plansOf(room), value)))
    const shareOf = (type: string) => {
      const own = (plan: FloorPlan) => plan.receptacles.filter((receptacle) => receptacle.type === type)
      return (
        overall((plan) => own(plan).filter(({ isOpenable }) => isOpenable).length) / overall((plan) => own(plan).length)
      )
    }
    expect(Math.abs(shareOf('cabinet') - 0.82)).toBeLessThan(0.01)
    expect(Math.abs(shareOf('drawer') - 0.84)).toBeLessThan(0.01)
    expect(Math.abs(shareOf('safe') - 0.87)).toBeLessThan(0.05)
    const sharing = ({ receptacles }: FloorPlan) =>
      receptacles.filter((one) => receptacles.some((other) => other !== one && other.place === one.place)).length
    expect(Math.abs(overall(sharing) / overall((plan) => plan.receptacles.length) - 0.186)).toBeLessThan(0.01)
    expect(Math.abs(overall((plan) => Number(sharing(plan) > 0)) / overall(() => 1) - 0.74)).toBeLessThan(0.02)
  })

  it('have knobs for their burners, lids for their hampers, and one bathtub with a basin of the sink’s type', () => {
    let tubs = 0
    for (const number of allFloorPlans) {
      const { receptacles, fixtures } = floorPlan(number, 'full')
      const countOf = (type: string, of: readonly { type: string }[]) => of.filter((one) => one.type === type).length
      expect(countOf('stoveknob', fixtures)).toBe(countOf('stoveburner', receptacles))
      expect(countOf('laundryhamperlid', fixtures)).toBe(countOf('laundryhamper', receptacles))
      const tub = receptacles.filter((one) => one.noun !== one.type)
      for (const one of tub) expect(one).toMatchObject({ type: 'sinkbasin', noun: 'bathtubbasin', number: 1 })
      tubs += tub.length
    }
    expect(tubs).toBe(1)
  })
})

describe('in a full game, as in every official one,', () => {
  it('one to four objects have the goal’s type, and start neither at the target nor in the appliance', () => {
    for (const { goal, objects, receptacles } of games) {
      const treatment = treatmentOf(goal.taskType)
      const barred = treatment ? applianceType[treatment] : goal.target
      const targets = objects.filter(({ type }) => type === goal.object)
      for (const target of targets) for (const where of target.in) expect(receptacles[where]!.type).not.toBe(barred)
      expect(targets.length).toBeLessThanOrEqual(4)
      const isTwo = goal.taskType === 'pick_two_obj_and_place'
      expect(targets.filter((target) => target.in.length > 0).length).toBeGreaterThanOrEqual(isTwo ? 2 : 1)
    }
  })

  it('holders hold one object, and fixtures are always in the same place', () => {
    for (const { floorPlan: number, objects, receptacles } of games) {
      const plan = floorPlan(number, 'full')
      for (const { type, in: where } of plan.fixtures) {
        expect(objects.some((object) => object.type === type && String(object.in) === String(where))).toBe(true)
      }
      receptacles.forEach(({ type }, index) => {
        const held = objects.filter((object) => object.in.includes(index)).map((object) => object.type)
        if (!holdsOne.has(type)) return
        for (const one of new Set(held)) expect(held.filter((other) => other === one)).toHaveLength(1)
      })
    }
  })

  it('only goal objects in a fridge start cool, and only other objects are inside something', () => {
    for (const { goal, objects, receptacles, cool } of games) {
      objects.forEach((object, index) => {
        const isInFridge = object.in.some((where) => receptacles[where]!.type === 'fridge')
        expect(cool.includes(index)).toBe(isInFridge && object.type === goal.object)
        for (const outer of object.inside ?? []) {
          expect(object.type).not.toBe(goal.object)
          expect(can(objects[outer]!.type, 'container')).toBe(true)
          expect(outer).not.toBe(index)
        }
      })
    }
  })

  it('objects start where a move accepts them, or where official games have them too', () => {
    for (const { floorPlan: number, objects, receptacles } of games) {
      for (const object of objects) {
        const starts = row(sceneStatistics[roomOf(number)], `start ${object.type}`)
        for (const where of object.in) {
          const { type } = receptacles[where]!
          const isKnown = [...starts.keys()].some((pattern) => pattern.split('+').includes(type))
          expect(isKnown || accepts(type, object.type), `${object.type} in ${type}`).toBe(true)
        }
      }
    }
  })
})

it('has every task in every split', () => {
  for (const split of splits) {
    for (const taskType of taskTypes) {
      const game = generateGame({ seed: 3, split, sceneSize: 'full', taskTypes: [taskType] })
      expect(game.goal.taskType).toBe(taskType)
      expect(startGame(game).won).toBe(false)
    }
  }
})
