/**
 * The numbers that an event adds to the series of a run, by their names in charts and files:
 *
 *     METRICS (metrics.ts)              of an iteration
 *     eval/<split>/acc, ut, detect      of an evaluation; split is `id` or `ood`
 *     theory/pPlus, pMinus, mu          estimates on an iteration's rollouts
 *     theory/grounded                   E[O · S] of these rollouts
 *     theory/self_consistency           λ E[S̄ · S] of these rollouts
 *
 * Unknown values are left out.
 */
import type { LoggedEvent } from './events.ts'

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
      return known([
        [`eval/${event.split}/acc`, event.acc],
        [`eval/${event.split}/ut`, event.tests?.ut ?? null],
        [`eval/${event.split}/detect`, event.tests?.detect ?? null],
      ])
    case 'iteration-finished':
      return Object.entries(event.metrics)
    default:
      return []
  }
}

function known(points: [string, number | null][]): [string, number][] {
  return points.filter((point): point is [string, number] => point[1] !== null)
}
