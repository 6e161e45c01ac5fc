/** The numbers of one tile for the typeset equation, by symbol; the sum of many votes in place of the votes. */
import type { AdvantageSettings, GroupAdvantages } from '../../../method/advantages.ts'
import type { BatchGroup } from '../../../runs/batch.ts'
import { equationLines, type EquationValues } from '../../run/equation.ts'
import { signed } from '../../kit/format.ts'

/** More votes than this do not fit beside each other. */
const MOST_VOTES = 5

export function equationValues(
  group: BatchGroup,
  derived: GroupAdvantages,
  settings: AdvantageSettings,
  { trajectory, step }: { trajectory: number; step: number },
): EquationValues {
  const lines = equationLines(group, derived, settings, { trajectory, step, test: 0 }) ?? []
  // The first two lines are R and A; the third is about the reward model.
  const values: EquationValues = { ...lines[0]?.values, ...lines[1]?.values }
  const votes = group.scores[trajectory]?.[step] ?? []
  if (votes.length <= MOST_VOTES) return values
  return {
    ...values,
    S: signed(
      votes.reduce<number>((sum, vote) => sum + vote, 0),
      0,
    ),
  }
}
