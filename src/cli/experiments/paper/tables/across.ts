/**
 * Across worlds: a policy and a judge that serve several worlds learn in one of them, and are measured in each. Reading a row against the
 * start says what learning there does elsewhere: it helps, leaves, or harms.
 */
import { SHARED_WORLDS, type SharedWorld } from '../../../../pretraining/shared/chat-form.ts'
import type { Budget } from '../budget.ts'
import type { ClaimPlan, MeasurePlan, TablePlan } from '../plan.ts'
import { evaluated, type RunRecord } from '../run-record.ts'
import { arm } from './arms.ts'

/** Its start models do not ship with the page (roles/shipped-models.ts). */
const START = 'shared'
const PLACES: Readonly<Record<SharedWorld, string>> = { household: 'in the household', desktop: 'on the desktop' }
const METRICS = {
  id: ['in distribution, T = 0', 'eval/id/acc'],
  ood: ['out of distribution, T = 0', 'eval/ood/acc'],
  judge: ['judge, balanced', 'judge/balanced_acc'],
} as const

/** A metric of an evaluation in `world`, of the models of a run there or elsewhere. */
function measuresIn(world: SharedWorld): MeasurePlan[] {
  return Object.entries(METRICS).map(([id, [label, metric]]): MeasurePlan => {
    return {
      id: `${world}-${id}`,
      label: `${world}: ${label}`,
      unit: 'share',
      of: (run) => atEnd(run, world, metric),
      // All arms start from the same models, and the arm of this world is measured there before it learns.
      atStart: (_, peers) => evaluated(peers.get(world)!, metric, 0),
      comparesArms: true,
    }
  })
}

function atEnd(run: RunRecord, world: SharedWorld, metric: string): number | null {
  return run.preset.startsWith(`${world}+`) ? evaluated(run, metric, -1) : (run.elsewhere?.[world]?.[metric] ?? null)
}

export function acrossTable(budget: Budget): TablePlan {
  const measures = SHARED_WORLDS.flatMap(measuresIn)
  return {
    table: 'across',
    title: 'Across worlds',
    about:
      'A policy and a reward model that serve both worlds, in chat form and with one tokenizer, learn in one of them and are measured in each. A claim compares a row with the same models before they learn: where its interval is above zero, learning there helps, and where it is below zero, it harms.',
    seeds: budget.mapSeeds,
    evaluationTasks: budget.acrossTasks,
    startsShared: true,
    arms: SHARED_WORLDS.map((world) => {
      const settings = { evaluateEvery: budget.acrossIterations }
      const learning = arm(world, 'policy-reward', budget, settings, world)
      return { ...learning, iterations: budget.acrossIterations, start: START }
    }),
    rows: [
      { id: 'start', label: 'Before learning', arm: SHARED_WORLDS[0], isStart: true },
      ...SHARED_WORLDS.map((world) => ({ id: world, label: `Learned ${PLACES[world]}`, arm: world })),
    ],
    measures,
    claims: SHARED_WORLDS.flatMap((row) =>
      measures.map(({ id, label }): ClaimPlan => {
        return { claim: `Learning ${PLACES[row]} raises ${label}`, row, than: 'start', measure: id }
      }),
    ),
  }
}
