/**
 * The numbers of an iteration. Seats of the method with verl's leaves (`policy/pg_loss` is verl's `actor/pg_loss`).
 *
 * A metric that this iteration cannot know is left out (no votes, no process accuracy); nothing non-finite is written.
 * Update metrics of a frozen component, or of one that had nothing to learn from, are 0, apart from its entropy, which is
 * then that of its sampled tokens.
 *
 * How good the reward model is, is counted in judge-metrics.ts where it judges steps and in coding/test-metrics.ts where it
 * writes tests. A metric of one kind is left out in the other.
 */
import type { GroupAdvantages } from './advantages.ts'
import { rewriteDirection } from './adaptation.ts'
import { meanScore } from './feedback.ts'
import type { LoopState } from './loop-state.ts'
import type { UpdateMetrics } from './ports.ts'
import type { Settings } from './settings.ts'
import { scoredTrajectories, type TaskGroup } from './task-group.ts'

export const METRICS: Readonly<Record<string, string>> = {
  'training/global_step': 'Iterations so far.',
  'training/env_steps': 'Environment steps in training episodes so far.',
  'training/num_tokens': 'Tokens sampled from the policy and the reward model in training so far.',
  'policy/acc': 'Share of solved episodes of the active tasks; rollouts of candidate tasks are not in it.',
  'policy/outcome/mean': 'Mean outcome O of the active tasks, from -1 to 1.',
  'policy/step_score/mean': 'Mean over steps of the mean vote, from -1 to 1.',
  'policy/pg_loss': 'Clipped surrogate loss of the policy.',
  'policy/pg_clipfrac': 'Share of tokens whose ratio was clipped.',
  'policy/ppo_kl': 'Mean of log π_old - log π over the tokens.',
  'policy/kl_loss': 'KL penalty against the policy before the update.',
  'policy/mismatch_kl':
    'KL divergence of the program that samples for the policy from the one that trains it, of the same weights; only where they are two.',
  'policy/entropy': 'Mean entropy per token, in nats.',
  'policy/grad_norm': 'Gradient norm before clipping.',
  'policy/lr': 'Learning rate of the policy; 0 when it is frozen.',
  'policy/frac_reward_zero_std':
    'Share of comparison sets (task, step index) in which all trajectories got the same feedback.',
  'policy/advantages/mean': 'Mean advantage of the steps that train the policy.',
  'policy/advantages/max': 'Largest advantage of a step.',
  'policy/advantages/min': 'Smallest advantage of a step.',
  'policy/integrated_reward/mean': 'Mean feedback R of a step.',
  'policy/integrated_reward/max': 'Largest feedback R of a step.',
  'policy/integrated_reward/min': 'Smallest feedback R of a step.',
  'reward/process_acc': 'Share of single evaluations that equal the true label of the step; unparsable ones are wrong.',
  'reward/outcome_acc': 'Share of trajectories where the sign of the mean vote equals the outcome; 0 is wrong.',
  'reward/parse_fail_rate': 'Share of evaluations without a readable score, or of tests that cannot be read.',
  'reward/vote_agreement': 'Share of pairs of evaluations of one step that agree.',
  'reward/ut': 'UT: share of generated tests that all correct programs pass, of tasks that have one.',
  'reward/ut_tests': 'Generated tests that UT is counted over.',
  'reward/detect':
    'Detect: share of generated tests that all correct programs pass and all wrong ones fail, of tasks that have both.',
  'reward/detect_tests': 'Generated tests that Detect is counted over.',
  'reward/test_truth': 'Share of readable tests that agree with the reference solution, where there is one.',
  'reward/pg_loss': 'Clipped surrogate loss of the reward model.',
  'reward/pg_clipfrac': 'Share of tokens whose ratio was clipped.',
  'reward/ppo_kl': 'Mean of log π_old - log π over the tokens.',
  'reward/kl_loss': 'KL penalty against the reward model before the update.',
  'reward/mismatch_kl':
    'KL divergence of the program that samples for the reward model from the one that trains it, of the same weights; only where they are two.',
  'reward/entropy': 'Mean entropy per token, in nats.',
  'reward/grad_norm': 'Gradient norm before clipping.',
  'reward/lr': 'Learning rate of the reward model; 0 when it is frozen.',
  'env/proposed': 'Candidate tasks that the author wrote in this iteration.',
  'env/accepted': 'Candidates that replaced their task in this iteration.',
  'env/accept_rate': 'Accepted share of all candidates measured so far; 0 before the first.',
  'env/frac_in_band': 'Share of measured tasks of the pool whose accuracy is inside (α_low, α_high).',
  'env/acc_mean': "Mean over the pool of each task's last measured accuracy.",
  'env/num_tasks': 'Tasks in the pool.',
  'env/frac_synthetic': 'Share of the pool that the author has rewritten.',
  'rollout/response_length/mean': 'Mean tokens of a policy response.',
  'rollout/response_length/clip_ratio': 'Share of policy responses cut at the token limit.',
  'rollout/num_turns/mean': 'Mean steps of an episode.',
}

export interface RoleUpdate {
  /** Null when the model did not learn in this iteration. */
  metrics: UpdateMetrics | null
  learningRate: number
  /** Mean over the sampled tokens; null when none were. */
  sampledEntropy: number | null
}

export interface IterationMeasurements {
  iteration: number
  settings: Settings
  state: LoopState
  /** All that were rolled out. Candidates of pending rewrites are measured, but are not yet tasks. */
  groups: readonly TaskGroup[]
  /** Of groups that train; a rejected candidate's is not among them. */
  advantages: readonly GroupAdvantages[]
  /** Of the reward strategy. */
  rewardMetrics: Record<string, number | null>
  policyUpdate: RoleUpdate
  rewardUpdate: RoleUpdate
  envSteps: number
  sampledTokens: number
  proposed: number
  accepted: number
}

export function iterationMetrics(measured: IterationMeasurements): Record<string, number> {
  const { state, settings, groups, advantages } = measured
  const rollouts = groups.flatMap((group) => group.rollouts)
  const steps = rollouts.flatMap(({ episode }) => episode.steps)
  const outcomes = groups
    .filter(({ pending }) => pending === null)
    .flatMap((group) => group.rollouts.map(({ episode }) => episode.outcome))
  const isAsked = groups.some(({ judgements, tests }) => judgements !== null || tests !== null)
  const scores = isAsked ? groups.flatMap(scoredTrajectories).flatMap((trajectory) => trajectory.scores) : []
  const accuracies = state.slots.map((slot) => state.accuracyOfSlot(slot)).filter((accuracy) => accuracy !== null)
  const policySets = sum(advantages.map((group) => group.policySets))
  const metrics: Record<string, number | null> = {
    'training/global_step': measured.iteration,
    'training/env_steps': state.envSteps + measured.envSteps,
    'training/num_tokens': state.sampledTokens + measured.sampledTokens,
    'policy/acc': mean(outcomes.map((outcome) => (outcome === 1 ? 1 : 0))),
    'policy/outcome/mean': mean(outcomes),
    'policy/step_score/mean': mean(scores.map((step) => meanScore(step, settings.profile))),
    ...updateMetrics('policy', measured.policyUpdate),
    'policy/frac_reward_zero_std':
      policySets > 0 ? sum(advantages.map((group) => group.constantPolicySets)) / policySets : null,
    ...spread(
      'policy/advantages',
      advantages.flatMap((group) => group.policy.flat()).filter((advantage) => advantage !== null),
    ),
    ...spread(
      'policy/integrated_reward',
      advantages.flatMap((group) => group.feedback.flat()),
    ),
    ...measured.rewardMetrics,
    ...updateMetrics('reward', measured.rewardUpdate),
    'env/proposed': measured.proposed,
    'env/accepted': measured.accepted,
    'env/accept_rate': state.rewritesResolved > 0 ? state.rewritesAccepted / state.rewritesResolved : 0,
    'env/frac_in_band': mean(accuracies.map((accuracy) => (rewriteDirection(accuracy, settings) === null ? 1 : 0))),
    'env/acc_mean': mean(accuracies),
    'env/num_tasks': state.slots.length,
    'env/frac_synthetic': mean(state.slots.map((slot) => (slot.active.id === slot.original.id ? 0 : 1))),
    'rollout/response_length/mean': mean(steps.map((step) => step.tokens.length)),
    'rollout/response_length/clip_ratio':
      steps.length > 0 ? sum(rollouts.map(({ clippedResponses }) => clippedResponses)) / steps.length : null,
    'rollout/num_turns/mean': mean(rollouts.map(({ episode }) => episode.steps.length)),
  }
  return finiteOnly(metrics)
}

function updateMetrics(role: 'policy' | 'reward', update: RoleUpdate): Record<string, number | null> {
  const learned = update.metrics
  return {
    [`${role}/pg_loss`]: learned?.pg_loss ?? 0,
    [`${role}/pg_clipfrac`]: learned?.pg_clipfrac ?? 0,
    [`${role}/ppo_kl`]: learned?.ppo_kl ?? 0,
    [`${role}/kl_loss`]: learned?.kl_loss ?? 0,
    [`${role}/mismatch_kl`]: learned?.mismatch_kl ?? null,
    [`${role}/entropy`]: learned?.entropy ?? update.sampledEntropy,
    [`${role}/grad_norm`]: learned?.grad_norm ?? 0,
    [`${role}/lr`]: update.learningRate,
  }
}

function spread(name: string, values: readonly number[]): Record<string, number | null> {
  const isEmpty = values.length === 0
  return {
    [`${name}/mean`]: mean(values),
    [`${name}/max`]: isEmpty ? null : values.reduce((a, b) => Math.max(a, b)),
    [`${name}/min`]: isEmpty ? null : values.reduce((a, b) => Math.min(a, b)),
  }
}

export function finiteOnly(metrics: Record<string, number | null>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  )
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Null for no values. */
export function mean(values: readonly number[]): number | null {
  return values.length > 0 ? sum(values) / values.length : null
}
