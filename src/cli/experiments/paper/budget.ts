/**
 * How large the runs of each table are: the one place to change them.
 *
 * On two cores a household run of 40 iterations takes two to four minutes without a judge and five to ten with one, and a coding
 * run of 160 iterations about two minutes. The full size takes most of a working day for all tables; the quick size takes
 * minutes and shows only that everything runs.
 */
import type { ShippedWorld } from '../../../method/settings.ts'

export interface Budget {
  seeds: readonly number[]
  /** Seeds of tables that sweep a setting over many arms. */
  sweepSeeds: readonly number[]
  mapSeeds: readonly number[]
  iterations: Readonly<Record<ShippedWorld, number>>
  /** Iterations of the household in the table that shows whether it continues to improve. */
  longerIterations: number
  mapIterations: number
  /** Iterations in one world before the models are measured in all. */
  acrossIterations: number
  /** Held-out tasks of each split there. */
  acrossTasks: number
  /** Times as many iterations in the run that looks for drift. */
  driftFactor: number
  /** Held-out tasks of each split. */
  evaluationTasks: number
  lambdas: readonly number[]
  bands: readonly (readonly [low: number, high: number])[]
  votes: readonly number[]
  /** ε */
  voteFlips: readonly number[]
  mapLambdas: readonly number[]
}

/** Seeds from 0. */
const first = (count: number) => Array.from({ length: count }, (_, seed) => seed)

export const FULL: Budget = {
  seeds: first(8),
  sweepSeeds: first(4),
  mapSeeds: first(3),
  iterations: { household: 40, coding: 160, desktop: 40 },
  longerIterations: 80,
  mapIterations: 20,
  acrossIterations: 20,
  acrossTasks: 100,
  driftFactor: 10,
  evaluationTasks: 200,
  lambdas: [0, 0.5, 1, 2, 5],
  bands: [
    [0.2, 0.8],
    [0.1, 0.9],
    [0.3, 0.7],
    [0.4, 0.6],
  ],
  votes: [3, 1, 5],
  voteFlips: [0, 0.1, 0.2, 0.3, 0.4],
  // Each further value adds 90 runs, about two hours on two cores.
  mapLambdas: [1],
}

export const QUICK: Budget = {
  seeds: first(2),
  sweepSeeds: first(2),
  mapSeeds: first(1),
  iterations: { household: 6, coding: 24, desktop: 6 },
  longerIterations: 12,
  mapIterations: 4,
  acrossIterations: 2,
  acrossTasks: 20,
  driftFactor: 4,
  evaluationTasks: 50,
  lambdas: [0, 1, 4],
  bands: [
    [0.2, 0.8],
    [0.4, 0.6],
  ],
  votes: [3, 1],
  voteFlips: [0, 0.2, 0.4],
  mapLambdas: [1],
}

/** Iterations between evaluations: about a quarter of a run, and a divisor, so that the last iteration is evaluated. */
export function evaluationInterval(iterations: number): number {
  for (let every = Math.max(1, Math.ceil(iterations / 4)); every < iterations; every++)
    if (iterations % every === 0) return every
  return iterations
}
