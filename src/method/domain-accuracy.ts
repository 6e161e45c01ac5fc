/**
 * Accuracy by domain, in worlds that have some: the applications of a desktop. Named as those of a cluster's osworld_rl.
 *
 *     policy/acc/<domain>               of an iteration's training episodes
 *     eval/<split>/acc/<domain>         of an evaluation, at the evaluation temperature
 *     eval/<split>/acc_sampled/<domain> the same at the training temperature
 */
import type { Split } from './ports.ts'
import type { TaskGroup } from './task-group.ts'

/** Prefix of the names, before the domain. */
export const DOMAIN_ACCURACY = 'policy/acc/'
export const domainEvaluation = (split: Exclude<Split, 'train'>, suffix = ''): string => `eval/${split}/acc${suffix}/`

/** Share of won episodes in each domain, in the order of the alphabet; empty in a world without domains. */
export function accuracyByDomain(groups: readonly Pick<TaskGroup, 'task' | 'rollouts'>[]): Record<string, number> {
  const outcomes = new Map<string, boolean[]>()
  for (const { task, rollouts } of groups) {
    if (task.domain === undefined) continue
    const known = outcomes.get(task.domain) ?? []
    outcomes.set(task.domain, [...known, ...rollouts.map(({ episode }) => episode.outcome === 1)])
  }
  const sorted = [...outcomes].sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(sorted.map(([domain, won]) => [domain, won.filter(Boolean).length / won.length]))
}
