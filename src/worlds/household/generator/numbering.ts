import type { GameObject } from '../engine/game.ts'
import { shuffled, type Random } from '../../random.ts'

/** Sorts objects as listings do and numbers them downwards, in random order among objects of a type. */
export function numbered(placed: readonly Omit<GameObject, 'noun' | 'number'>[], random: Random): GameObject[] {
  const byNoun = shuffled(random, placed).sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
  const left = new Map<string, number>()
  for (const { type } of byNoun) left.set(type, (left.get(type) ?? 0) + 1)
  return byNoun.map(({ type, ...rest }) => {
    const number = left.get(type)!
    left.set(type, number - 1)
    return { type, noun: type, number, ...rest }
  })
}
