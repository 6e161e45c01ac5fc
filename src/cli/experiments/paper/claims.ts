/** What follows from the rows of a table for its claims. */
import type { ResultsFile, ResultsRow } from '../../../results/results-file.ts'
import { rowDifference } from '../../../results/paired-difference.ts'
import type { ClaimPlan } from './plan.ts'
import { rounded } from '../../../results/round.ts'
import { verdictOf } from './verdict.ts'

export function claimsOf(claims: readonly ClaimPlan[], rows: readonly ResultsRow[]): ResultsFile['claims'] {
  return claims.map((plan) => {
    const { claim, row, than, measure, thanMeasure, least = 0 } = plan
    const difference = rowDifference(rows, plan)
    return {
      ...{ claim, row, than, measure },
      ...(thanMeasure !== undefined && { thanMeasure }),
      ...{ least, verdict: verdictOf(difference, least), difference: difference && rounded(difference) },
    }
  })
}
