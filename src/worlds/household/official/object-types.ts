/** The object types of the official games: portable objects, lamps and scenery. */
import { objectTypesThatCanBe } from '../engine/vocabulary.ts'

const scenery =
  'bathtub blinds chair curtains footstool houseplant laundryhamperlid lightswitch mirror painting poster showerdoor ' +
  'showerglass sink stoveknob television window'

const objectTypes: ReadonlySet<string> = new Set([
  ...objectTypesThatCanBe('pickupable'),
  ...objectTypesThatCanBe('lamp'),
  ...scenery.split(' '),
])

export function isObjectType(type: string): boolean {
  return objectTypes.has(type)
}
