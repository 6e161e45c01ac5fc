import { startPlacement } from './statistics.ts'
import { pick, pickWeighted, type Random } from '../../random.ts'
import { accepts } from '../engine/vocabulary.ts'

/** Draws the receptacle in which an object of this type starts, by the official statistics; null if none can hold it. */
export function drawPlacement(
  random: Random,
  receptacles: readonly { type: string }[],
  objectType: string,
  isBarred: (receptacle: number) => boolean = () => false,
): number | null {
  const shares = startPlacement[objectType] ?? {}
  const types = [...new Set(receptacles.map((receptacle) => receptacle.type))]
  const known = Object.values(shares).reduce((sum, share) => sum + share, 0)
  const others = types.filter((type) => shares[type] === undefined && accepts(type, objectType))
  const weightOf = (type: string) =>
    shares[type] ?? (others.includes(type) ? Math.max(1, 100 - known) / others.length : 0)
  const isFree = (type: string) => receptacles.some((receptacle, index) => receptacle.type === type && !isBarred(index))
  const type = pickWeighted(random, types.filter(isFree), weightOf)
  if (type === null) return null
  return pick(
    random,
    receptacles.flatMap((receptacle, index) => (receptacle.type === type && !isBarred(index) ? [index] : [])),
  )
}
