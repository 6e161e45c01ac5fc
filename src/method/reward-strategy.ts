/**
 * A reward model either scores every step (`step-judge`) or writes tests that score every program (`test-writer`). What
 * differs between the two is here; the loop around them is the same. The format of the reward model chooses.
 */
import type { GroupAdvantages } from './advantages.ts'
import { testWriting } from './coding/test-writing-strategy.ts'
import type { EphemeralBody, EvaluationFinished, LoggedBody } from './events.ts'
import type { Component, LoopPorts } from './loop-contract.ts'
import type { Direction } from './ports.ts'
import type { Settings } from './settings.ts'
import { stepJudging } from './step-judging-strategy.ts'
import type { TaskGroup } from './task-group.ts'

export interface AskOptions {
  /** m: evaluations of a step, or tests of a task. */
  evaluationsPerStep: number
  temperature: number
  topP: number
  rewardVersion: number
  seed: number
  signal?: AbortSignal | undefined
}

type Bodies<Result> = AsyncGenerator<LoggedBody | EphemeralBody, Result, void>

export interface RewardStrategy {
  /** Whether anybody reads what the reward model would say of training tasks. Where nobody does, it is not asked. */
  isRead(settings: Settings, trains: (component: Component) => boolean): boolean
  /** Asks the reward model about all groups, and keeps in each of them what it said. */
  ask(groups: readonly TaskGroup[], options: AskOptions): Bodies<void>
  advantages(group: TaskGroup, settings: Settings): GroupAdvantages
  /** What the author is told of a task that should become harder or easier. */
  criticSummary(group: TaskGroup, direction: Direction): string
  /** How good the reward model was in this iteration; null where it cannot be known. */
  metrics(groups: readonly TaskGroup[]): Record<string, number | null>
  /** What an evaluation measures of the reward model, beside the policy's accuracy; null where it is nothing. */
  evaluate: ((groups: readonly TaskGroup[], options: AskOptions) => Bodies<EvaluationFinished['tests']>) | null
  /** Whether the m evaluations are the same ones for all trajectories of a task (theory.ts). */
  sharesEvaluations: boolean
}

/** Throws where the reward model writes tests and nothing was given to run them. */
export function rewardStrategy({ reward, formats, unitTests }: LoopPorts): RewardStrategy {
  const format = formats.reward
  if (format.kind === 'step-judge') return stepJudging(reward, format)
  if (!unitTests) {
    throw new Error(
      'The reward model writes unit tests, but the loop was given nothing to run them with. ' +
        'Give it a UnitTestPort as `unitTests`, beside the environment.',
    )
  }
  return testWriting(reward, format, unitTests)
}
