/** Table 1: which part helps the policy and the judge, above what a lower temperature alone gives. */
import type { ShippedWorld } from '../../../../method/settings.ts'
import { SPLITS, type Split } from '../../../../results/part-effects.ts'
import type { Budget } from '../budget.ts'
import type { ClaimPlan, MeasurePlan, RowPlan, TablePlan } from '../plan.ts'
import { arm, ARM_LABELS, temperatureOnly } from './arms.ts'
import { ACCURACY, evaluation, JUDGE, JUDGE_ACCEPTED, JUDGE_BALANCED, SAMPLED_ACCURACY } from './measures.ts'

const ARMS = ['grpo', 'frozen-judge', 'policy-reward', 'full'] as const

/** What the full loop must gain over the start at temperature 0 (paper: 21 and 19 points; on OSWorld 12 and 5). */
const LEAST: Readonly<Record<ShippedWorld, Readonly<Record<Split, number>>>> = {
  household: { id: 0.15, ood: 0.12 },
  coding: { id: 0.15, ood: 0.12 },
  desktop: { id: 0.12, ood: 0.05 },
}
const TITLES: Readonly<Record<ShippedWorld, string>> = { household: 'Household', coding: 'Coding', desktop: 'Desktop' }

/**
 * The paper's measure: all tests of a problem, sampled as in training, on sampled programs. At temperature 0 they would all be the
 * same test.
 */
export const SAMPLED_TESTS = testMeasures('-sampled', 'sampled', '_sampled')
/** The likeliest test of each problem. */
const GREEDY_TESTS = testMeasures('', 'T = 0', '')

function testMeasures(suffix: string, how: string, metric: string): readonly MeasurePlan[] {
  return (['ut', 'detect'] as const).flatMap((name) =>
    (['id', 'ood'] as const).map((split) => {
      const label = `${name === 'ut' ? 'UT' : 'Detect'}, ${SPLITS[split]}, ${how}`
      return evaluation(`${split}-${name}${suffix}`, label, `eval/${split}/${name}${metric}`)
    }),
  )
}

const OF_VOTES = [...ACCURACY, ...SAMPLED_ACCURACY, ...JUDGE]

const MEASURES: Readonly<Record<ShippedWorld, readonly MeasurePlan[]>> = {
  household: OF_VOTES,
  desktop: OF_VOTES,
  coding: [
    evaluation('id', 'Code, in distribution, T = 0', 'eval/id/acc'),
    evaluation('ood', 'Code, out of distribution, T = 0', 'eval/ood/acc'),
    evaluation('id-sampled', 'Code, in distribution, sampled', 'eval/id/acc_sampled'),
    evaluation('ood-sampled', 'Code, out of distribution, sampled', 'eval/ood/acc_sampled'),
    ...SAMPLED_TESTS,
    ...GREEDY_TESTS,
  ],
}

export function tableOne(world: ShippedWorld, budget: Budget): TablePlan {
  const measures = MEASURES[world]
  const sampled = measures.filter(({ id }) => id.endsWith('-sampled')).map(({ id }) => id)
  const rows: RowPlan[] = [
    // The start judge does not depend on the policy's temperature, so one row shows it.
    { id: 'untrained', label: 'Untrained, sampled', arm: 'full', isStart: true, only: sampled },
    temperatureOnly(
      'full',
      measures.map(({ id }) => id).filter((id) => !sampled.includes(id)),
    ),
    ...ARMS.map((id): RowPlan => ({ id, label: ARM_LABELS[id]!, arm: id })),
  ]
  return {
    table: world,
    title: `${TITLES[world]}: Table 1`,
    about:
      'Which part helps: each row adds one. The first two rows are the same untrained policy, sampled and at temperature 0, so that a gain over the second is skill and not steadiness.',
    seeds: budget.seeds,
    evaluationTasks: budget.evaluationTasks,
    arms: ARMS.map((preset) => arm(world, preset, budget)),
    rows,
    measures,
    claims: [...gains(world), ...order(world), ...judgeOrder(world)],
  }
}

/** The gains of the full loop, `full`, over the start at temperature 0, `temperature-only`. */
export function gainsOfPolicy(world: ShippedWorld): ClaimPlan[] {
  return (Object.keys(SPLITS) as Split[]).map((split): ClaimPlan => {
    const least = LEAST[world][split]
    const claim = `The full loop gains ${100 * least} points or more over temperature alone, ${SPLITS[split]}`
    return { claim, row: 'full', than: 'temperature-only', measure: split, least }
  })
}

function gains(world: ShippedWorld): ClaimPlan[] {
  const ofPolicy = gainsOfPolicy(world)
  if (world !== 'coding') return ofPolicy
  const raises =
    (than: string) =>
    (measure: MeasurePlan): ClaimPlan => {
      return { claim: `The full loop raises ${measure.label}`, row: 'full', than, measure: measure.id }
    }
  const ofTests = [...SAMPLED_TESTS.map(raises('untrained')), ...GREEDY_TESTS.map(raises('temperature-only'))]
  return [...ofPolicy, ...ofTests]
}

/** Each arm above the one before it. */
function steps(arms: readonly string[], measure: string, of: string): ClaimPlan[] {
  return arms.slice(1).map((row, i) => ({
    claim: `${ARM_LABELS[row]} above ${lowerFirst(ARM_LABELS[arms[i]!]!)}: ${of}`,
    row,
    than: arms[i]!,
    measure,
  }))
}

function order(world: ShippedWorld): ClaimPlan[] {
  const what = world === 'coding' ? 'Code ' : ''
  return (Object.keys(SPLITS) as Split[]).flatMap((split) => steps(ARMS, split, `${what}${SPLITS[split]}`))
}

function judgeOrder(world: ShippedWorld): ClaimPlan[] {
  const learners = ARMS.slice(1)
  if (world !== 'coding')
    return [
      ...steps(learners, JUDGE_BALANCED.id, 'the judge'),
      ...steps(learners, JUDGE_ACCEPTED.id, 'the judge on accepted steps'),
    ]
  return SAMPLED_TESTS.flatMap(({ id, label }) => steps(learners, id, label))
}

function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}
