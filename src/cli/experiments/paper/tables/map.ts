/**
 * The map: where does the full loop help? Over the judge's quality (votes flipped with probability ε), the skill of the start
 * policy, and λ: its gain over outcomes alone and over a frozen judge.
 */
import type { Settings } from '../../../../method/settings.ts'
import type { Budget } from '../budget.ts'
import type { ArmPlan, MapPlace, TablePlan } from '../plan.ts'
import { ARM_LABELS } from './arms.ts'
import { ACCURACY, JUDGE_BALANCED, late } from './measures.ts'

export function mapTable(budget: Budget, starts: readonly string[]): TablePlan {
  const arms: ArmPlan[] = []
  const labels = new Map<string, string>()
  const add = (preset: string, start: string, settings: Partial<Settings>): string => {
    const id = [preset, start, ...Object.values(settings)].join('_')
    // GRPO asks no judge, so one run serves every ε and λ.
    if (!labels.has(id)) {
      labels.set(
        id,
        [
          ARM_LABELS[preset],
          start,
          settings.voteFlips !== undefined && `ε = ${settings.voteFlips}, λ = ${settings.lambda}`,
        ]
          .filter((part) => typeof part === 'string')
          .join(', '),
      )
      arms.push({
        id,
        preset: `household+${preset}`,
        // The map shows the end alone, and evaluations between would take a third of the time.
        settings: { ...settings, evaluateEvery: budget.mapIterations },
        iterations: budget.mapIterations,
        start,
      })
    }
    return id
  }
  const map = starts.flatMap((start) =>
    budget.mapLambdas.flatMap((lambda) =>
      budget.voteFlips.map((voteFlips): MapPlace => {
        const settings = { voteFlips, lambda }
        return {
          ...settings,
          start,
          full: add('full', start, settings),
          over: { grpo: add('grpo', start, {}), 'frozen-judge': add('frozen-judge', start, settings) },
        }
      }),
    ),
  )
  return {
    table: 'map',
    title: 'The map: where does each part help?',
    about:
      'The gain of the full loop at temperature 0, in distribution, over outcomes alone and over a frozen judge: by the probability ε that a vote is flipped, the skill of the start policy, and λ.',
    seeds: budget.mapSeeds,
    evaluationTasks: budget.evaluationTasks,
    arms,
    rows: arms.map(({ id }) => ({ id, label: labels.get(id)!, arm: id })),
    measures: [
      ACCURACY[0]!,
      JUDGE_BALANCED,
      late('score', "judge's mean score, last fifth", 'policy/step_score/mean', 'number'),
    ],
    claims: [],
    map,
  }
}
