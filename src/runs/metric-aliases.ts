/**
 * Names of our metrics in other tools, so that an exported metrics.jsonl opens in existing dashboards. Each row of the file has
 * the value under our name and under every alias.
 *
 *     verl    its trainer's names (volcengine/verl b178a3c: verl/trainer/ppo/metric_utils.py and the actor's update)
 *     trl     GRPOTrainer's names (huggingface/trl f2cd577: trl/trainer/grpo_trainer.py)
 *     wandb   TRL's names as Hugging Face's callback logs them, and W&B's own axes `_step` and `_runtime`
 *
 * Omits names that measure something else there: their `num_tokens` also counts prompts, and so does verl's `perf/throughput`; their
 * `kl` and `kl_loss` are against a reference model, and TRL's `frac_reward_zero_std` is the share of prompts. Their `reward` is a sum
 * over reward functions of a completion, which corresponds to our integrated feedback R of a step.
 */
export interface MetricAliases {
  verl?: string
  trl?: string
}

export const METRIC_ALIASES: Readonly<Record<string, MetricAliases>> = {
  'policy/pg_loss': { verl: 'actor/pg_loss', trl: 'loss' },
  'policy/pg_clipfrac': { verl: 'actor/pg_clipfrac', trl: 'clip_ratio/region_mean' },
  'policy/ppo_kl': { verl: 'actor/ppo_kl' },
  'policy/entropy': { verl: 'actor/entropy', trl: 'entropy' },
  'policy/grad_norm': { verl: 'actor/grad_norm', trl: 'grad_norm' },
  'policy/lr': { verl: 'actor/lr', trl: 'learning_rate' },
  'policy/advantages/mean': { verl: 'critic/advantages/mean' },
  'policy/advantages/max': { verl: 'critic/advantages/max' },
  'policy/advantages/min': { verl: 'critic/advantages/min' },
  'policy/integrated_reward/mean': { verl: 'critic/rewards/mean', trl: 'reward' },
  'policy/integrated_reward/max': { verl: 'critic/rewards/max' },
  'policy/integrated_reward/min': { verl: 'critic/rewards/min' },
  'policy/outcome/mean': { verl: 'critic/score/mean' },
  'rollout/response_length/mean': { verl: 'response_length/mean', trl: 'completions/mean_length' },
  'rollout/response_length/clip_ratio': { verl: 'response_length/clip_ratio', trl: 'completions/clipped_ratio' },
  'rollout/num_turns/mean': { verl: 'num_turns/mean' },
  'training/global_step': { verl: 'training/global_step' },
  'timing_s/step': { verl: 'timing_s/step', trl: 'step_time' },
  'timing_s/gen': { verl: 'timing_s/gen' },
  'timing_s/update_policy': { verl: 'timing_s/update_actor' },
}

/** The values under our names and all aliases. */
export function withAliases(values: Readonly<Record<string, number>>): Record<string, number> {
  const all: Record<string, number> = { ...values }
  for (const [name, { verl, trl }] of Object.entries(METRIC_ALIASES)) {
    const value = values[name]
    if (value === undefined) continue
    if (verl !== undefined) all[verl] = value
    if (trl !== undefined) {
      all[trl] = value
      all[`train/${trl}`] = value
    }
  }
  return all
}
