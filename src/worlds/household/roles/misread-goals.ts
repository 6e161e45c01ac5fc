/**
 * Another goal in the same room, as if the instruction had been misread: another treatment, another place, or another thing. Its
 * steps look purposeful but do not lead to the goal. It may be out of reach; the demonstrator then never finds it.
 */
import { taskTypes, type Goal, type HouseholdGame } from '../engine/game.ts'
import { pick, type Random } from '../../random.ts'

const LAMP = 'look_at_obj_in_light'
/** Task types that end with putting a thing somewhere. */
const DELIVERIES = taskTypes.filter((type) => type !== LAMP)

/** Differs from the game's goal, unless all objects in the room have the same type. */
export function misreadGoal({ goal, receptacles, objects }: HouseholdGame, random: Random): Goal {
  const others = <T>(items: readonly T[], own: T) => [...new Set(items)].filter((item) => item !== own)
  const part = pick(random, ['treatment', 'treatment', 'place', 'thing'])
  if (goal.taskType !== LAMP) {
    if (part === 'treatment') return { ...goal, taskType: pick(random, others(DELIVERIES, goal.taskType)) }
    const places = others(
      receptacles.map(({ type }) => type),
      goal.target,
    )
    if (part === 'place' && places.length > 0) return { ...goal, target: pick(random, places) }
  }
  const things = others(
    objects.map(({ type }) => type),
    goal.object,
  )
  return things.length > 0 ? { ...goal, object: pick(random, things) } : goal
}
