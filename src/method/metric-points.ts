/**
 * The numbers that an event adds to the series of a run, by their names in charts and files:
 *
 *     METRICS (metrics.ts)              of an iteration
 *     eval/<split>/acc, ut, detect      of an evaluation, at the evaluation temperature; split is `id` or `ood`
 *     eval/<split>/acc_sampled, ...     the same at the training temperature, which alone older logs have
 *     judge/...                         of the reward model on fixed trajectories (judge-evaluation/measures.ts)
 *     theory/pPlus, pMinus, mu          estimates on an iteration's rollouts
 *     theory/grounded                   E[O · S] of these rollouts
 *     theory/self_consistency           λ E[S̄ · S] of these rollouts
 *
 * Unknown values are left out.
 */
import { domainEvaluation } from './domain-accuracy.ts'
import type { EvaluationFinished, LoggedEvent } from './events.ts'
import { judgeMeasures } from './judge-evaluation/measures.ts'

/** Ends the names of metrics at the training temperature. */
export const SAMPLED = '_sampled'

const SUFFIXES = { evaluation: [''], training: [SAMPLED], both: ['', SAMPLED] } as const

/** Which temperature an evaluation measured. Older logs do not say: theirs was that of training. */
export function servesOf({ temperature, serves }: EvaluationFinished): 'evaluation' | 'training' | 'both' {
  return serves ?? (temperature === undefined ? 'training' : 'evaluation')
}

export function metricPoints(event: LoggedEvent): [name: string, value: number][] {
  switch (event.type) {
    case 'theory':
      return known([
        ['theory/pPlus', event.pPlus],
        ['theory/pMinus', event.pMinus],
        ['theory/mu', event.mu],
        ['theory/grounded', event.grounded ?? null],
        ['theory/self_consistency', event.selfConsistency ?? null],
      ])
    case 'evaluation':
      return known(
        SUFFIXES[servesOf(event)].flatMap((suffix) => [
          [`eval/${event.split}/acc${suffix}`, event.acc],
          ...Object.entries(event.domains ?? {}).map(([domain, acc]): [string, number] => [
            domainEvaluation(event.split, suffix) + domain,
            acc,
          ]),
          [`eval/${event.split}/ut${suffix}`, event.tests?.ut ?? null],
          [`eval/${event.split}/detect${suffix}`, event.tests?.detect ?? null],
        ]),
      )
    case 'judge-evaluation':
      return known(Object.entries(judgeMeasures(event)))
    case 'iteration-finished':
      return Object.entries(event.metrics)
    default:
      return []
  }
}

function known(points: [string, number | null][]): [string, number][] {
  return points.filter((point): point is [string, number] => point[1] !== null)
}
