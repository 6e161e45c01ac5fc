/**
 * Full scenes, with the statistics of the official games (full.test.ts compares them). Plans, goals and places are drawn from
 * laws that are fitted to the official counts when a room is first needed.
 */
import { rooms, type Room } from '../../corpus/statistics.ts'
import type { Fixture, FloorPlan } from '../floor-plans.ts'
import { fullFloorPlans } from './floor-plans.ts'
import { FullCounts } from './object-counts.ts'
import { FullGoals } from './goals.ts'
import { FullPlacement } from './placement.ts'
import type { GameObject, Goal, TaskType } from '../../engine/game.ts'
import { InsideLaw } from './inside-law.ts'
import { numbered } from '../numbering.ts'
import { chance, pick, pickWeighted, type Random } from '../../../random.ts'
import { row, shareOfYes, type RoomCounts } from './scene-counts.ts'
import { sceneStatistics } from './scene-statistics.ts'
import type { Scene } from '../scene.ts'
import type { Split } from '../../../../method/ports.ts'

export class FullRoom {
  readonly goals: FullGoals
  private readonly statistics: RoomCounts
  private readonly placement: FullPlacement
  private readonly insides: InsideLaw
  private readonly strayShare: number

  private constructor(room: Room) {
    const plans = fullFloorPlans(room)
    this.statistics = sceneStatistics[room]
    const counts = new FullCounts(room, plans)
    this.goals = new FullGoals(room, plans, counts)
    this.placement = new FullPlacement(room, plans, counts, this.goals)
    this.insides = new InsideLaw(this.statistics)
    this.strayShare = shareOfYes(this.statistics, 'stray pickupable')
  }

  private static readonly known = new Map<Room, FullRoom>()

  static of(room: Room): FullRoom {
    let known = FullRoom.known.get(room)
    if (!known) FullRoom.known.set(room, (known = new FullRoom(room)))
    return known
  }

  /** Number of official games of a task type in this room. */
  gamesOf(taskType: TaskType): number {
    return row(this.statistics, 'task').get(taskType) ?? 0
  }

  /** Null if no attempt gave fair places to the goal's objects. */
  drawObjects(plan: FloorPlan, goal: Goal, random: Random): GameObject[] | null {
    const taken = new Set<number>()
    const wanted = this.placement.drawWanted(plan, goal, taken, random)
    if (!wanted) return null
    const placed: Fixture[] = []
    for (const type of plan.objectTypes) {
      const starts = type === goal.object ? wanted : this.placement.drawUnasked(plan, type, taken, random)
      for (const start of starts) placed.push(this.put(type, start, plan, random))
    }
    placed.push(...plan.fixtures.map((fixture) => ({ ...fixture, in: [...fixture.in] })))
    const objects = numbered(placed, random)
    this.insides.apply(objects, goal, random)
    return objects
  }

  /** Adds the object's place: in no receptacle it may be at any; in two receptacles it is at the place of one of them. */
  private put(type: string, start: number[], plan: FloorPlan, random: Random): Fixture {
    const { receptacles } = plan
    if (start.length === 0) {
      return chance(random, this.strayShare)
        ? { type, in: start, place: pick(random, receptacles).place }
        : { type, in: start }
    }
    const first = receptacles[start[0]!]!.place
    const place = start.length > 1 ? receptacles[pick(random, start)]!.place : first
    return place === first ? { type, in: start } : { type, in: start, place }
  }
}

/** Null if no room has such a task in the split. */
export function drawFullGoal(split: Split, taskType: TaskType, random: Random): Omit<Scene, 'objects'> | null {
  const able = rooms
    .filter((room) => row(sceneStatistics[room], 'task').has(taskType))
    .filter((room) => FullRoom.of(room).goals.canAsk(split, taskType))
  const room = pickWeighted(random, able, (candidate) => FullRoom.of(candidate).gamesOf(taskType))
  return room && FullRoom.of(room).goals.draw(split, taskType, random)
}
