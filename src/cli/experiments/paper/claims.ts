/** What follows from the rows of a table for its claims. */
import type { ResultsFile, ResultsRow } from '../../../results/results-file.ts'
import { pairedDifference, verdictOf } from './compare.ts'
import type { ClaimPlan } from './plan.ts'
import { rounded } from './round.ts'

export function claimsOf(claims: readonly ClaimPlan[], rows: readonly ResultsRow[]): ResultsFile['claims'] {
  const values = (id: string, measure: string) => rows.find((row) => row.id === id)?.values[measure] ?? []
  return claims.map(({ claim, row, than, measure, thanMeasure, least = 0 }) => {
    const difference = pairedDifference(values(row, measure), values(than, thanMeasure ?? measure))
    return {
      ...{ claim, row, than, measure },
      ...(thanMeasure !== undefined && { thanMeasure }),
      ...{ least, verdict: verdictOf(difference, least), difference: difference && rounded(difference) },
    }
  })
}
