/**
 * The map: where does the full loop help? Over the judge's quality (votes flipped with probability ε), the skill of the start
 * policy, and λ: its gain over outcomes alone and over a frozen judge.
 */
import type { Settings } from '../../../../method/settings.ts'
import type { Budget } from '../budget.ts'
import type { ArmPlan, MapPlace, MeasurePlan, TablePlan } from '../plan.ts'
import { ARM_LABELS } from './arms.ts'
import { CELL_MEASURES } from '../map-cells.ts'
import { evaluated, type RunRecord } from '../run-record.ts'
import { ACCURACY, ACCURACY_METRICS, JUDGE_BALANCED, late } from './measures.ts'

/**
 * A judge has collapsed if it lost more than this of its lead over chance on the fixed trajectories. Flipped votes shrink the lead
 * to 1 − 2ε of it, at the start and at the end alike, so the share is the same for every ε.
 */
const COLLAPSE = 0.15
const CHANCE = 0.5

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
      'The gain of the full loop at temperature 0, in distribution, over outcomes alone and over a frozen judge: by the probability ε ' +
      `that a vote is flipped, the skill of the start policy, and λ (${budget.mapLambdas.join(', ')}).`,
    seeds: budget.mapSeeds,
    evaluationTasks: budget.evaluationTasks,
    arms,
    rows: arms.map(({ id }) => ({ id, label: labels.get(id)!, arm: id })),
    measures: [
      ACCURACY[0]!,
      JUDGE_BALANCED,
      late('score', "judge's mean vote, last fifth", 'policy/step_score/mean', 'number'),
      {
        id: CELL_MEASURES.start,
        label: 'at the start, T = 0',
        unit: 'share',
        of: (run) => evaluated(run, ACCURACY_METRICS.id, 0),
      },
      mark(CELL_MEASURES.collapsed, 'judge collapsed', hasCollapsedJudge),
      mark(CELL_MEASURES.pleased, 'policy pleased the judge', pleasesJudge),
    ],
    claims: [],
    map,
  }
}

/** 1 for the seeds for which it holds, 0 for the others, null where it is unknown. */
function mark(id: string, label: string, holds: (run: RunRecord) => boolean | null): MeasurePlan {
  return {
    id,
    label,
    unit: 'share',
    of: (run) => {
      const held = holds(run)
      return held === null ? null : Number(held)
    },
  }
}

function hasCollapsedJudge(run: RunRecord): boolean | null {
  const [first, last] = [evaluated(run, 'judge/balanced_acc', 0), evaluated(run, 'judge/balanced_acc', -1)]
  return first === null || last === null ? null : first - last > COLLAPSE * (first - CHANCE)
}

/**
 * The mean vote of the judged steps rose and the mean outcome of the training episodes fell, while held-out accuracy did not rise. The
 * outcome alone does not tell: it falls, too, where the loop makes its tasks harder for a policy that improves.
 */
function pleasesJudge(run: RunRecord): boolean | null {
  const [score, outcome] = [riseOf('policy/step_score/mean', run), riseOf('policy/outcome/mean', run)]
  const [first, last] = [evaluated(run, ACCURACY_METRICS.id, 0), evaluated(run, ACCURACY_METRICS.id, -1)]
  if (score === null || outcome === null || first === null || last === null) return null
  return score > 0 && outcome < 0 && last <= first
}

/** From the first fifth of the iterations to the last. */
function riseOf(metric: string, { early, late: after }: RunRecord): number | null {
  const [before, now] = [early[metric], after[metric]]
  return before === undefined || now === undefined ? null : now - before
}
