/** One setting of the full loop, swept: λ, the band of accuracies outside of which tasks are rewritten, and m. */
import type { Settings, ShippedWorld } from '../../../../method/settings.ts'
import { LAMBDA_TABLES, type TableName } from '../../../../results/results-file.ts'
import { WORLDS } from '../../../../worlds/index.ts'
import type { Budget } from '../budget.ts'
import type { ClaimPlan, MeasurePlan, TablePlan } from '../plan.ts'
import { arm } from './arms.ts'
import { ACCEPTANCE, ACCURACY, ACCURACY_METRICS, JUDGE_ACCEPTED, JUDGE_BALANCED, REWRITTEN } from './measures.ts'
import { SAMPLED_TESTS } from './table-one.ts'

const OF_JUDGE = [JUDGE_BALANCED, JUDGE_ACCEPTED]

interface Level {
  id: string
  label: string
  settings: Partial<Settings>
}

interface Sweep {
  table: TableName
  world?: ShippedWorld
  title: string
  about: string
  levels: readonly Level[]
  /** Id of the level that the others are compared with: the paper's. */
  usual: string
  measures: readonly MeasurePlan[]
}

function sweep(
  { table, world = 'household', title, about, levels, usual, measures }: Sweep,
  budget: Budget,
): TablePlan {
  const named = levels.find(({ id }) => id === usual)
  const others = levels.filter(({ id }) => id !== usual)
  return {
    table,
    title,
    about,
    seeds: budget.sweepSeeds,
    evaluationTasks: budget.evaluationTasks,
    arms: levels.map(({ id, settings }) => arm(world, 'full', budget, settings, id)),
    rows: levels.map(({ id, label }) => ({ id, label, arm: id })),
    measures,
    claims:
      named === undefined
        ? []
        : others.flatMap((other) =>
            ACCURACY.map(({ id: measure, label }): ClaimPlan => {
              return { claim: `${named.label} above ${other.label}: ${label}`, row: usual, than: other.id, measure }
            }),
          ),
    curves: ACCURACY_METRICS,
  }
}

export function lambdaTable(world: ShippedWorld, budget: Budget): TablePlan {
  const levels = budget.lambdas.map((lambda) => ({
    id: `lambda-${lambda}`,
    label: `λ = ${lambda}`,
    settings: { lambda },
  }))
  return sweep(
    {
      table: LAMBDA_TABLES[world],
      world,
      title: world === 'household' ? 'How much votes count: λ' : `${WORLDS[world].title}: λ`,
      about: 'The full loop with other weights of the votes in R = O + λ · mean S. The paper uses λ = 1.',
      levels,
      usual: 'lambda-1',
      measures: [...ACCURACY, ...(world === 'coding' ? SAMPLED_TESTS : OF_JUDGE)],
    },
    budget,
  )
}

export function alphaTable(budget: Budget): TablePlan {
  const levels = budget.bands.map(([alphaLow, alphaHigh]) => ({
    id: `band-${alphaLow}-${alphaHigh}`,
    label: `α from ${alphaLow} to ${alphaHigh}`,
    settings: { alphaLow, alphaHigh },
  }))
  return sweep(
    {
      table: 'alpha',
      title: 'Which tasks are rewritten: α',
      about:
        'The full loop with other bands. A task whose accuracy is outside its band is rewritten. The paper uses 0.2 and 0.8.',
      levels,
      usual: 'band-0.2-0.8',
      measures: [...ACCURACY, ACCEPTANCE, REWRITTEN],
    },
    budget,
  )
}

export function votesTable(budget: Budget): TablePlan {
  const levels = budget.votes.map((m) => ({ id: `votes-${m}`, label: `m = ${m}`, settings: { evaluationsPerStep: m } }))
  return sweep(
    {
      table: 'votes',
      title: 'Votes for each step: m',
      about: 'The full loop with other numbers of votes for each step. The released code uses m = 3.',
      levels,
      usual: 'votes-3',
      measures: [...ACCURACY, ...OF_JUDGE],
    },
    budget,
  )
}
