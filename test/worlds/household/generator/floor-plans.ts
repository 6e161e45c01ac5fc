import { roomOf, rooms } from '../../../../src/worlds/household/corpus/statistics.ts'
import type { SceneSize } from '../../../../src/worlds/household/engine/game.ts'
import { compactFloorPlan } from '../../../../src/worlds/household/generator/compact/floor-plans.ts'
import { floorPlansOf, type FloorPlan } from '../../../../src/worlds/household/generator/floor-plans.ts'
import { fullFloorPlans } from '../../../../src/worlds/household/generator/full/floor-plans.ts'

export const allFloorPlans: readonly number[] = rooms.flatMap(floorPlansOf)

export function floorPlan(number: number, size: SceneSize): FloorPlan {
  const plans = size === 'full' ? fullFloorPlans(roomOf(number)) : [compactFloorPlan(number)]
  return plans.find((plan) => plan.number === number)!
}
