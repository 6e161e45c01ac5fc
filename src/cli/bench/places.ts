/** Where suites of our models run. */
import { oneOf } from '../arguments.ts'

const PLACES = ['node', 'chromium'] as const
export type Place = (typeof PLACES)[number]

/** The place that `--in` names; without it, both. Throws ArgumentError. */
export function placesOf(text: string | undefined): readonly Place[] {
  return text === undefined ? PLACES : [oneOf('in', text, PLACES)]
}
