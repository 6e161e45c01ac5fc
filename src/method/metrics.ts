/**
 * The numbers of an iteration. Names are the method's roles with verl's leaves (`policy/pg_loss` is verl's `actor/pg_loss`).
 *
 * Unknown metrics are left out (no votes, no process accuracy), and so are non-finite ones. Update metrics of a component
 * that is frozen or had no examples are 0. Entropy is that of the sampled tokens, whether they train or not; where the engine does not
 * report it, that of the tokens that train.
 *
 * The reward strategy measures the reward model, so metrics of judges are missing if it writes tests, and the other way round.
 */
import { rewriteDirection } from './adaptation.ts'
import { accuracyByDomain, DOMAIN_ACCURACY } from './domain-accuracy.ts'
import { meanScore } from './feedback.ts'
import type { AdvantagedGroup } from './learning.ts'
import type { LoopState } from './loop-state.ts'
import type { UpdateMetrics } from './ports.ts'
import type { EvaluatedGroup } from './reward-strategy.ts'
import type { Settings } from './settings.ts'

export const METRICS: Readonly<Record<string, string>> = {
  'training/global_step': 'Iterations so far.',
  'training/env_steps': 'Environment steps in training episodes so far.',
  'training/num_tokens': 'Tokens sampled from the policy and the reward model in training so far.',
  'policy/acc': 'Share of solved episodes of the tasks whose turn it was, without candidates.',
  'policy/outcome/mean': 'Mean outcome O of the tasks whose turn it was, from -1 to 1.',
  'policy/step_score/mean': 'Mean over steps of the mean vote, from -1 to 1.',
  'policy/pg_loss': 'Clipped surrogate loss of the policy.',
  'policy/pg_clipfrac': 'Share of tokens whose ratio was clipped.',
  'policy/ppo_kl': 'Mean of log π_old - log π over the tokens.',
  'policy/kl_loss': 'KL penalty against the policy before the update.',
  'policy/mismatch_kl':
    'KL divergence between the programs that sample and train the policy, at equal weights; only if they differ.',
  'policy/entropy': 'Mean entropy of the sampled tokens, in nats.',
  'policy/grad_norm': 'Gradient norm before clipping.',
  'policy/lr': 'Learning rate of the policy; 0 while frozen.',
  'policy/frac_reward_zero_std':
    'Share of comparison sets (task, step index) that teach nothing: the same feedback for all, or a task that the filter drops.',
  'policy/frac_untrained_groups': 'Share of groups that the filter on accuracy keeps from the policy.',
  'policy/advantages/mean': 'Mean advantage of the steps that train the policy.',
  'policy/advantages/max': 'Largest advantage of a step.',
  'policy/advantages/min': 'Smallest advantage of a step.',
  'policy/integrated_reward/mean': 'Mean feedback R of a step.',
  'policy/integrated_reward/max': 'Largest feedback R of a step.',
  'policy/integrated_reward/min': 'Smallest feedback R of a step.',
  'reward/process_acc':
    'Share of single evaluations that equal the true label of the step; unparsable ones are wrong. On the steps of this iteration, whose mix changes with the policy: judge/process_acc does not.',
  'reward/outcome_acc':
    'Share of trajectories of this iteration where the sign of the mean vote equals the outcome; 0 is wrong.',
  'reward/parse_fail_rate': 'Share of evaluations without a readable score, or of unreadable tests.',
  'reward/vote_agreement': 'Share of pairs of evaluations of one step that agree.',
  'reward/push':
    'Mean push of the votes that train: advantage · sign · the chance that another vote differs (step-judging/pushes.ts). Above 0 the judge is moved towards +1, useful steps and useless ones together.',
  'reward/ut': 'UT: share of written tests that all correct programs pass, over tasks with a correct program.',
  'reward/ut_tests': 'Number of written tests that UT counts.',
  'reward/detect':
    'Detect: share of written tests that all correct programs pass and all wrong ones fail, over tasks with both.',
  'reward/detect_tests': 'Number of written tests that Detect counts.',
  'reward/test_truth': 'Share of readable tests that the reference solution passes.',
  'reward/pg_loss': 'Clipped surrogate loss of the reward model.',
  'reward/pg_clipfrac': 'Share of tokens whose ratio was clipped.',
  'reward/ppo_kl': 'Mean of log π_old - log π over the tokens.',
  'reward/kl_loss': 'KL penalty against the reward model before the update.',
  'reward/mismatch_kl':
    'KL divergence between the programs that sample and train the reward model, at equal weights; only if they differ.',
  'reward/entropy': 'Mean entropy of the sampled tokens, in nats.',
  'reward/grad_norm': 'Gradient norm before clipping.',
  'reward/lr': 'Learning rate of the reward model; 0 while frozen.',
  'env/proposed': 'Candidate tasks written by the author in this iteration.',
  'env/critic_tokens':
    "Tokens of the author's summaries of what the judge wrote, in this iteration; only if the author summarises.",
  'env/accepted': 'Candidates that replaced their task in this iteration.',
  'env/accept_rate': 'Accepted share of all candidates measured so far; only once there is one.',
  'env/null_accept_rate':
    'Estimated share of all candidates measured so far that would be accepted if they changed nothing (null-acceptance.ts).',
  'env/frac_in_band': 'Share of measured tasks of the pool whose accuracy is inside (α_low, α_high).',
  'env/acc_mean': "Mean over the pool of each task's last measured accuracy.",
  'env/num_tasks': 'Tasks in the pool.',
  'env/frac_synthetic': 'Share of the pool that the author has rewritten.',
  'env/rewritten_share': 'Share of the training rollouts that are on rewritten tasks.',
  'rollout/total': 'Training rollouts so far, candidates included.',
  'rollout/response_length/mean': 'Mean tokens of a policy response.',
  'rollout/response_length/clip_ratio': 'Share of policy responses cut at the token limit.',
  'rollout/num_turns/mean': 'Mean steps of an episode.',
}

export interface RoleUpdate {
  /** Null if the model did not learn in this iteration. */
  metrics: UpdateMetrics | null
  learningRate: number
  /** Mean over the sampled tokens; null without any. */
  sampledEntropy: number | null
}

export interface IterationMeasurements {
  iteration: number
  settings: Settings
  state: LoopState
  /** All groups that were rolled out, pending candidates included. */
  groups: readonly EvaluatedGroup[]
  /** Those of the groups that train, so without rejected candidates. */
  training: readonly AdvantagedGroup[]
  /** Whether the policy learns in this iteration. */
  trainsPolicy: boolean
  /** RewardStrategy.metrics */
  rewardMetrics: Record<string, number | null>
  policyUpdate: RoleUpdate
  rewardUpdate: RoleUpdate
  envSteps: number
  sampledTokens: number
  proposed: number
  criticTokens: number
  accepted: number
}

export function iterationMetrics(measured: IterationMeasurements): Record<string, number> {
  const { state, settings, groups, training } = measured
  const advantages = training.map((group) => group.advantages)
  const trained = training.flatMap(({ group: { task, rollouts: own } }) => own.map(() => task))
  const rollouts = groups.flatMap((group) => group.rollouts)
  const steps = rollouts.flatMap(({ episode }) => episode.steps)
  const played = groups.filter(({ pending, isRemeasured }) => pending === null && !isRemeasured)
  const outcomes = played.flatMap((group) => group.rollouts.map(({ episode }) => episode.outcome))
  const domains = Object.entries(accuracyByDomain(played))
  const scores = groups.flatMap(({ evidence }) =>
    evidence.isAsked ? evidence.trajectories.flatMap((trajectory) => trajectory.scores) : [],
  )
  const accuracies = state.slots.map((slot) => state.accuracyOfSlot(slot)).filter((accuracy) => accuracy !== null)
  const policySets = sum(advantages.map((group) => group.policySets))
  const metrics: Record<string, number | null> = {
    'training/global_step': measured.iteration,
    'training/env_steps': state.envSteps + measured.envSteps,
    'training/num_tokens': state.sampledTokens + measured.sampledTokens,
    'policy/acc': mean(outcomes.map((outcome) => (outcome === 1 ? 1 : 0))),
    ...Object.fromEntries(domains.map(([domain, accuracy]) => [DOMAIN_ACCURACY + domain, accuracy])),
    'policy/outcome/mean': mean(outcomes),
    'policy/step_score/mean': mean(scores.map((step) => meanScore(step, settings.profile))),
    ...updateMetrics('policy', measured.policyUpdate),
    'policy/frac_reward_zero_std':
      policySets > 0 ? sum(advantages.map((group) => group.constantPolicySets)) / policySets : null,
    'policy/frac_untrained_groups': mean(advantages.map(({ trainsPolicy }) => (trainsPolicy ? 0 : 1))),
    ...spread(
      'policy/advantages',
      measured.trainsPolicy
        ? advantages.flatMap((group) => group.policy.flat()).filter((advantage) => advantage !== null)
        : [],
    ),
    ...spread(
      'policy/integrated_reward',
      advantages.flatMap((group) => group.feedback.flat()),
    ),
    ...measured.rewardMetrics,
    ...updateMetrics('reward', measured.rewardUpdate),
    'env/proposed': measured.proposed,
    'env/critic_tokens': measured.criticTokens > 0 ? measured.criticTokens : null,
    'env/accepted': measured.accepted,
    'env/accept_rate': state.rewritesResolved > 0 ? state.rewritesAccepted / state.rewritesResolved : null,
    'env/null_accept_rate': state.rewritesResolved > 0 ? state.expectedNullAccepted / state.rewritesResolved : null,
    'env/frac_in_band': mean(accuracies.map((accuracy) => (rewriteDirection(accuracy, settings) === null ? 1 : 0))),
    'env/acc_mean': mean(accuracies),
    'env/num_tasks': state.slots.length,
    'env/frac_synthetic': mean(state.slots.map((slot) => (slot.active.id === slot.original.id ? 0 : 1))),
    'env/rewritten_share': mean(trained.map((task) => (task.id === task.rootId ? 0 : 1))),
    'rollout/total': state.rollouts,
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
    [`${role}/entropy`]: update.sampledEntropy ?? learned?.entropy ?? null,
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
