/**
 * How the reward model is asked, and what follows from its answers. It either scores every step (step-judging/) or writes
 * tests that score every program (test-writing/). The loop knows only the two interfaces of this file: a strategy asks, and
 * returns one evidence object for each task's group.
 */
import type { AdvantageSettings, GroupAdvantages, ScoredTrajectory } from './advantages.ts'
import type { EphemeralBody, EvaluationFinished, JudgeEvaluated, LoggedBody } from './events.ts'
import type { Replayed } from './judge-evaluation/replay.ts'
import type { Component } from './loop-contract.ts'
import type { CriticReasoning, Direction, TrainingExample } from './ports.ts'
import type { RolloutObserver } from './rollout.ts'
import type { Settings } from './settings.ts'
import type { TaskGroup } from './task-group.ts'

/** What the reward model said about one task's group. */
export interface RewardEvidence {
  /** False where the answers would not have been used, so the reward model was not asked. */
  readonly isAsked: boolean
  /** Outcomes and scores, in the order of the rollouts; a step without scores has an empty list. */
  readonly trajectories: readonly ScoredTrajectory[]
  /** What was sampled from the reward model. */
  readonly samplings: readonly Sampling[]
  advantages(settings: AdvantageSettings): GroupAdvantages
  /** Training examples for the reward model. */
  examples(advantages: GroupAdvantages): RewardExamples
  /** What the author reads about a task that should become harder or easier: reasons with their counts. */
  criticSummary(direction: Direction): string
  /** Some of what the reward model wrote, to be summarised if it judges in prose. Empty if its words do not matter. */
  criticReasonings(direction: Direction): CriticReasoning[]
}

/** The mean entropy of sampled tokens in nats as a sum and a count, so that several can be pooled. */
export interface Sampling {
  entropySum: number
  tokenCount: number
}

export interface RewardExamples {
  /** ofRollout[rollout]: examples that stay with that rollout's. */
  ofRollout: TrainingExample[][]
  /** Examples about all rollouts at once; each may be shuffled on its own. */
  ofTask: TrainingExample[]
}

/** Evidence that trains. */
export interface AdvantagedEvidence<Evidence extends RewardEvidence = RewardEvidence> {
  evidence: Evidence
  advantages: GroupAdvantages
}

/** A group with what the reward model said about it. */
export interface EvaluatedGroup extends TaskGroup {
  evidence: RewardEvidence
}

export interface AskOptions {
  /** m: evaluations of a step, or tests of a task. */
  evaluationsPerStep: number
  /** ε: the share of votes, or of verdicts of tests, that are flipped (vote-flips.ts); none by default. */
  voteFlips?: number
  temperature: number
  topP: number
  rewardVersion: number
  seed: number
  signal?: AbortSignal | undefined
}

export function pooled(samplings: readonly Sampling[]): Sampling {
  return {
    entropySum: samplings.reduce((sum, { entropySum }) => sum + entropySum, 0),
    tokenCount: samplings.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
  }
}

export type Bodies<Result> = AsyncGenerator<LoggedBody | EphemeralBody, Result, void>

/**
 * Questions to the reward model about some rollouts. As their observer it asks what it can while they are played; what it yields does
 * not depend on that.
 */
export interface Inquiry<Evidence extends RewardEvidence = RewardEvidence> extends RolloutObserver {
  /** Asks what is still open about all groups. Returns their evidence in the same order. */
  ask(groups: readonly TaskGroup[]): Bodies<Evidence[]>
  /** Asks nothing more, and waits until nothing is being asked. */
  close(): Promise<void>
}

export interface RewardStrategy<Evidence extends RewardEvidence = RewardEvidence> {
  /** Whether the m evaluations are the same for all trajectories of a task (theory.ts). */
  sharesEvaluations: boolean
  /** Whether anything uses the reward model's answers about training tasks. If not, it is not asked. */
  isRead(settings: Settings, trains: (component: Component) => boolean): boolean
  /** Starts to ask about rollouts that are about to be played. */
  inquire(options: AskOptions): Inquiry<Evidence>
  /** The evidence on a group that the reward model is not asked about. */
  withoutAsking(group: TaskGroup): Evidence
  /** How good the reward model was in this iteration, and what the groups that train it teach it; null where unknown. */
  metrics(
    evidence: readonly Evidence[],
    training: readonly AdvantagedEvidence<Evidence>[],
  ): Record<string, number | null>
  /** Measures the reward model on trajectories that never change. */
  measure(replayed: readonly Replayed[], options: AskOptions): Bodies<Pick<JudgeEvaluated, 'votes' | 'tests'>>
  /** Measures the reward model on held-out tasks; null if only the policy is measured there. */
  evaluate: ((groups: readonly TaskGroup[], options: AskOptions) => Bodies<EvaluationFinished['tests']>) | null
}

/** Tokens sampled from the reward model. */
export function rewardTokens({ evidence }: EvaluatedGroup): number {
  return pooled(evidence.samplings).tokenCount
}

/** Mean entropy of the reward model's sampled tokens in nats; null without any. */
export function rewardEntropy(groups: readonly EvaluatedGroup[]): number | null {
  const { entropySum, tokenCount } = pooled(groups.flatMap(({ evidence }) => evidence.samplings))
  return tokenCount > 0 ? entropySum / tokenCount : null
}
