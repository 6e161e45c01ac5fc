/** Counts of runs by key, as reports of logs sum them over the runs of an arm. */
import { QUARTERS, type Quarter } from './judged-rollouts.ts'

export type Tallies<Field extends string> = Map<string, Record<Field, number>>

/** Adds to the fields of a key. */
export function addTally<Field extends string>(
  tallies: Tallies<Field>,
  key: string,
  more: Readonly<Record<Field, number>>,
): void {
  const sum = tallies.get(key)
  if (sum === undefined) tallies.set(key, { ...more })
  else for (const field of Object.keys(more) as Field[]) sum[field] += more[field]
}

export interface TalliesOfRun<Field extends string> {
  /** Its preset and what it changes (run-start.ts). */
  arm: string
  tallies: Tallies<Field>
}

export function talliesByArm<Field extends string>(runs: readonly TalliesOfRun<Field>[]): Map<string, Tallies<Field>> {
  const arms = new Map<string, Tallies<Field>>()
  for (const { arm, tallies } of runs) {
    const sum: Tallies<Field> = arms.get(arm) ?? new Map<string, Record<Field, number>>()
    arms.set(arm, sum)
    for (const [key, tally] of tallies) addTally(sum, key, tally)
  }
  return arms
}

/** "first → last", with "–" for a quarter without a tally. */
export function inBothQuarters<Field extends string>(
  tallies: Tallies<Field>,
  keyIn: (quarter: Quarter) => string,
  write: (tally: Record<Field, number>) => string,
): string {
  return QUARTERS.map((quarter) => tallies.get(keyIn(quarter)))
    .map((tally) => (tally ? write(tally) : '–'))
    .join(' → ')
}
