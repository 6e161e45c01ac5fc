/**
 * Patterns of where objects start: "countertop", "stoveburner+stoveburner" for a pan across two burners, "nowhere". The
 * statistics treat an object that two receptacles list like any other pattern.
 */
import { pick, type Random } from '../../../random.ts'

export const nowhere = 'nowhere'

/** Receptacle types in which only one object ever starts. On a burner, a second one rarely starts. */
export const holdsOne: ReadonlySet<string> = new Set([
  'coffeemachine',
  'handtowelholder',
  'toiletpaperhanger',
  'towelholder',
])

/** Whether a pattern needs overlapping receptacles, such as a shelf on a desk. Burners do not count: pans fit across any. */
export function isOverlap(pattern: string): boolean {
  const types = typesOf(pattern)
  return types.size > 1 && !types.has('stoveburner') && !types.has('coffeemachine')
}

/** The number of receptacles of each type, and the patterns of overlapping receptacles. */
export function roomIn(plan: {
  receptacles: readonly { type: string }[]
  overlaps: readonly string[]
}): ReadonlyMap<string, number> {
  return new Map([...countTypes(plan.receptacles), ...plan.overlaps.map((pattern) => [pattern, 1] as const)])
}

export function countTypes(receptacles: readonly { type: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { type } of receptacles) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

const patterns = new Map<string, ReadonlyMap<string, number>>()

/** [type] how many receptacles a pattern needs. */
export function typesOf(pattern: string): ReadonlyMap<string, number> {
  let types = patterns.get(pattern)
  if (!types) {
    types = countTypes(pattern === nowhere ? [] : pattern.split('+').map((type) => ({ type })))
    patterns.set(pattern, types)
  }
  return types
}

/** Whether there are enough receptacles, overlapping ones if needed. */
export function hasRoomFor(pattern: string, counts: ReadonlyMap<string, number>): boolean {
  return hasTypes(pattern, counts) && (!isOverlap(pattern) || counts.has(pattern))
}

/** Whether there are enough receptacles of each type, overlapping or not. */
export function hasTypes(pattern: string, counts: ReadonlyMap<string, number>): boolean {
  for (const [type, times] of typesOf(pattern)) if ((counts.get(type) ?? 0) < times) return false
  return true
}

/** [type] the receptacles of that type, in listing order. */
export function indexTypes(receptacles: readonly { type: string }[]): ReadonlyMap<string, readonly number[]> {
  const indexes = new Map<string, number[]>()
  receptacles.forEach(({ type }, index) => {
    const known = indexes.get(type)
    if (known) known.push(index)
    else indexes.set(type, [index])
  })
  return indexes
}

/**
 * Draws distinct receptacles of a pattern's types, in listing order. Prefers holders and burners that are not taken.
 * Overlapping receptacles are always the same pair. Throws if there are too few.
 */
export function drawReceptacles(
  pattern: string,
  byType: ReadonlyMap<string, readonly number[]>,
  random: Random,
  taken: ReadonlySet<number> = new Set(),
): number[] {
  const chosen: number[] = []
  for (const [type, times] of typesOf(pattern)) {
    for (let time = 0; time < times; time++) {
      const all = byType.get(type) ?? []
      const left = isOverlap(pattern) ? all.slice(0, 1) : all.filter((index) => !chosen.includes(index))
      const free = type === 'stoveburner' || holdsOne.has(type) ? left.filter((index) => !taken.has(index)) : left
      chosen.push(pick(random, free.length > 0 ? free : left))
    }
  }
  return chosen.length > 1 ? chosen.sort((a, b) => a - b) : chosen
}
