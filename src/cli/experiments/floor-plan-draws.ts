/**
 * Which draw of a room's 28 full floor plans agrees best with the official counts. Quotas hold in every draw; chance
 * decides which counts come together in one plan, and with them how close the rest can come: what shares a place, where
 * things can start, which goals there are. A draw's misfit is what it adds to Pearson's statistic per game,
 *
 *     Σ_questions answers per game · Σ_answers (share − official)² / official
 *
 * with answers of less than 1 % taken together. Receptacles count twice, since all else stands on them; answers about
 * single objects half, as they come in clusters; groups that share a place a third, as they matter least; and a task that
 * a split cannot set counts 1.
 */
import { rooms, type Room } from '../../worlds/household/scenes/corpus-statistics.ts'
import { floorPlansOf, type FloorPlan } from '../../worlds/household/scenes/floor-plans.ts'
import { FullCounts, meanOf } from '../../worlds/household/scenes/full/counts.ts'
import { drawFullFloorPlans } from '../../worlds/household/scenes/full/floor-plans.ts'
import { FullGoals } from '../../worlds/household/scenes/full/goals.ts'
import { FullPlacement } from '../../worlds/household/scenes/full/placement.ts'
import { taskTypes } from '../../worlds/household/engine/game.ts'
import {
  row,
  rowsOfKind,
  timesWanted,
  totalOf,
  type RoomCounts,
  type RowCounts,
} from '../../worlds/household/scenes/full/scene-counts.ts'
import { patternOf } from '../../worlds/household/scenes/scene-observations.ts'
import { sceneStatistics } from '../../worlds/household/scenes/full/scene-statistics.ts'
import { splits } from '../../worlds/household/scenes/splits.ts'
import { can } from '../../worlds/household/engine/vocabulary.ts'

const shown = 5

/** Prints the best draws of each room, of so many. */
export function compareDraws(count: number): void {
  for (const room of rooms) {
    const misfits = Array.from({ length: count }, (_, draw) => ({ draw, ...misfitOf(room, draw) }))
    const best = misfits.sort((a, b) => totalMisfit(a) - totalMisfit(b)).slice(0, shown)
    for (const { draw, ...parts } of best) {
      const each = Object.entries(parts).map(([part, misfit]) => `${part} ${misfit.toFixed(3)}`)
      process.stdout.write(`${room} ${draw}: ${totalMisfit(parts).toFixed(3)} (${each.join(', ')})\n`)
    }
  }
}

interface Misfit {
  receptacles: number
  objects: number
  sharing: number
  groups: number
  starts: number
  goals: number
  missing: number
}

function totalMisfit({ receptacles, objects, sharing, groups, starts, goals, missing }: Misfit): number {
  return 2 * receptacles + objects + sharing + 0.3 * groups + 0.5 * starts + goals + missing
}

function misfitOf(room: Room, draw: number): Misfit {
  const statistics = sceneStatistics[room]
  const games = totalOf(row(statistics, 'task'))
  const plans = drawFullFloorPlans(room, floorPlansOf(room), draw)
  const counts = new FullCounts(room, plans)
  const goals = new FullGoals(room, plans, counts)
  const placement = new FullPlacement(room, plans, counts, goals)
  const numbers = (official: RowCounts, numberOn: (plan: FloorPlan) => number) =>
    distance(
      tally(plans.map((plan) => [String(numberOn(plan)), plan.weight])),
      new Map([['0', games - totalOf(official)], ...official]),
    )
  const groups = plans.flatMap((plan) => groupsOn(plan).map((types) => [patternOf(types), plan.weight] as const))
  return {
    receptacles: sum(
      rowsOfKind(statistics, 'receptacles').map(([type, official]) =>
        numbers(official, (plan) => plan.receptacles.filter((receptacle) => receptacle.type === type).length),
      ),
    ),
    objects: sum(
      rowsOfKind(statistics, 'objects').map(([type, official]) =>
        can(type, 'pickupable')
          ? numbers(new Map([['1', totalOf(official) + timesWanted(statistics, type)]]), (plan) =>
              plan.objectTypes.includes(type) ? 1 : 0,
            )
          : numbers(official, (plan) => plan.fixtures.filter((fixture) => fixture.type === type).length),
      ),
    ),
    sharing: numbers(row(statistics, 'sharing'), (plan) => groupsOn(plan).flat().length),
    groups: perGame(statistics, 'shared') * distance(tally(groups), row(statistics, 'shared')),
    starts: sum(
      rowsOfKind(statistics, 'start').map(
        ([type, official]) =>
          perGame(statistics, `start ${type}`) *
          distance(tally(startsOf(type, plans, counts, goals, placement)), official),
      ),
    ),
    goals: sum(
      taskTypes.flatMap((taskType) =>
        (['object', 'target'] as const).map((part) => {
          const asked = goals.all.filter(({ goal }) => goal.taskType === taskType)
          const question = `goal ${taskType} ${part}`
          const own = tally(asked.map(({ goal, share }) => [goal[part], share]))
          return perGame(statistics, question) * distance(own, row(statistics, question))
        }),
      ),
    ),
    missing: sum(
      splits.flatMap((split) =>
        [...row(statistics, 'task').keys()].map((task) =>
          goals.canAsk(split, task as (typeof taskTypes)[number]) ? 0 : 1,
        ),
      ),
    ),
  }
}

/** Where a type's objects start and how often, as far as nobody asks for them. */
function startsOf(
  type: string,
  plans: readonly FloorPlan[],
  counts: FullCounts,
  goals: FullGoals,
  placement: FullPlacement,
): (readonly [pattern: string, weight: number])[] {
  return plans.flatMap((plan) => {
    if (!plan.objectTypes.includes(type)) {
      const fixtures = plan.fixtures.filter((fixture) => fixture.type === type)
      return fixtures.map((fixture) => {
        return [patternOf(fixture.in.map((index) => plan.receptacles[index]!.type)), plan.weight] as const
      })
    }
    const expected = goals.shareOn(plan) * meanOf(counts.unasked(plan, type))
    return [...placement.shares(plan, type)].map(([pattern, share]) => [pattern, expected * share] as const)
  })
}

function groupsOn({ receptacles }: FloorPlan): string[][] {
  const places = new Set(receptacles.map(({ place }) => place))
  return [...places]
    .map((place) => receptacles.filter((receptacle) => receptacle.place === place).map(({ type }) => type))
    .filter(({ length }) => length > 1)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

const perGame = (statistics: RoomCounts, question: string) =>
  totalOf(row(statistics, question)) / totalOf(row(statistics, 'task'))

function tally(entries: readonly (readonly [answer: string, weight: number])[]): RowCounts {
  const counts = new Map<string, number>()
  for (const [answer, weight] of entries) counts.set(answer, (counts.get(answer) ?? 0) + weight)
  return counts
}

/** Pearson's distance of two distributions; 0 if the official one is empty. */
function distance(ours: RowCounts, official: RowCounts): number {
  const [ownTotal, total] = [totalOf(ours), totalOf(official)]
  if (ownTotal === 0 || total === 0) return 0
  let result = 0
  let rest = { own: 0, share: 0 }
  for (const answer of new Set([...official.keys(), ...ours.keys()])) {
    const own = (ours.get(answer) ?? 0) / ownTotal
    const share = (official.get(answer) ?? 0) / total
    if (share < 0.01) rest = { own: rest.own + own, share: rest.share + share }
    else result += (own - share) ** 2 / share
  }
  return result + (rest.own - rest.share) ** 2 / Math.max(rest.share, 0.01)
}
