/**
 * The released configurations, key by key (configs/{alfworld,coding,osworld}_rl.yaml of 1fe5dbd). ON_CLUSTER marks values that the
 * release leaves to the operator: paths, models and secrets, which only the cluster file contains.
 *
 * Keys that the released code does not read are included (`gpu_groups`, `max_grad_norm`, `scale_lr`).
 */
import type { ReleasedSystem } from '../protocol.ts'

export type ConfigValue =
  | string
  | number
  | boolean
  | null
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue }
export type ConfigTree = { readonly [key: string]: ConfigValue }

/** A value that the release leaves to the operator. */
export const ON_CLUSTER = '<on the cluster>'

const TWO_GROUPS: ConfigValue = [
  [0, 1, 2, 3],
  [4, 5, 6, 7],
]

const shared = {
  wandb: { entity: null, resume: 'auto' },
  optimizer: {
    name: 'adamw',
    params: { learning_rate: 1e-6, scale_lr: false, beta1: 0.9, beta2: 0.999, weight_decay: 0, epsilon: 1e-8 },
  },
  lr_scheduler: { scheduler: 'cosine', params: { learning_rate: 1e-6, warmup_steps: 0, min_lr_scale: 1 } },
} as const

function experiment(project: string, nodes: number, totalStep: number, saveEvery: number, evalEvery: number) {
  return {
    project,
    start_from_scratch: true,
    total_step: totalStep,
    save_every: saveEvery,
    eval_every: evalEvery,
    current_epoch: 1,
    deepspeed_file: `${nodes}_node_8_gpus_deepspeed_zero3`,
    num_node: nodes,
    node_index: 0,
  }
}

const system = {
  HF_HOME: ON_CLUSTER,
  env_name: 'rlanything',
  envs_dir: ON_CLUSTER,
  rl_base_dir: ON_CLUSTER,
}

const model = {
  policy_model: ON_CLUSTER,
  reward_model: ON_CLUSTER,
  environment_model: ON_CLUSTER,
  optimized_name: 'optimized',
  optimized_reward_name: 'optimized_reward',
}

function training(policy: ConfigTree, reward: ConfigTree): ConfigTree {
  return {
    policy,
    reward,
    mixed_precision: 'bf16',
    enable_tf32: true,
    seed: 10086,
    max_grad_norm: 1,
    use_kl_estimator_k3: true,
    eps: 0.2,
    beta: 0.01,
    num_train_epochs: 1,
  }
}

function trainer(checkpointing: boolean, updates: number, generated: number, prompt: number): ConfigTree {
  return {
    gradient_checkpointing_enable: checkpointing,
    update_per_step: updates,
    batch_size_lm: 1,
    max_gen_length: generated,
    max_prompt_len: prompt,
  }
}

const alfworld: ConfigTree = {
  wandb: shared.wandb,
  experiment: { function: 'train', ...experiment('alfworld_rl', 8, 200, 30, 5) },
  system: { HTTP_PROXY: null, ...system },
  model,
  dataset: {
    environment_type: 'alfworld',
    alfworld_train_type: 'train',
    alfworld_temp_train_type: 'temp_train',
    alfworld_syn_train_type: 'syn_train',
    alfworld_eval_type: 'eval_in_distribution',
    environment_file_dir: ON_CLUSTER,
    environment_data_dir: ON_CLUSTER,
    optimization_data: 'rl_policy',
    reward_optimization_data: 'rl_reward',
  },
  rollout: {
    env_max_parallel: 256,
    policy: {
      num_trial: 16,
      num_rollout_per_trial: 8,
      max_interaction_step: 40,
      temperature: 0.8,
      model_length: 20000,
      max_gen_length: 2000,
      gpu_groups: TWO_GROUPS,
      if_start_with_think: false,
    },
    reward: {
      num_rollout_per_query: 3,
      temperature: 0.8,
      model_length: 20000,
      max_gen_length: 4000,
      gpu_groups: TWO_GROUPS,
      if_start_with_think: false,
    },
    environment: {
      temperature: 0.8,
      model_length: 20000,
      max_gen_length: 4000,
      gpu_groups: TWO_GROUPS,
      if_start_with_think: true,
    },
  },
  training: training(trainer(false, 4, 2048, 2048), trainer(true, 4, 4096, 2048)),
  optimizer: shared.optimizer,
  lr_scheduler: shared.lr_scheduler,
  evaluation: {
    policy: {
      num_rollout_per_trial: 3,
      max_interaction_step: 60,
      temperature: 0.8,
      model_length: 20000,
      max_gen_length: 2000,
      gpu_groups: TWO_GROUPS,
      if_start_with_think: false,
    },
  },
}

const coding: ConfigTree = {
  wandb: shared.wandb,
  experiment: experiment('coding_rl', 4, 300, 30, 10),
  system: { HTTP_PROXY: null, ...system },
  model,
  dataset: {
    environment_type: 'stem_tasks',
    train_dataset: 'CodeContests_train',
    eval_dataset: 'LiveBench-ReasonFlux',
    dataset_state_prefix: 'dataset_state',
    env_pending_prefix: 'env_pending',
    optimization_data: 'rl_data',
    reward_optimization_data: 'reward_rl_data',
  },
  execute: { num_chunk: 128 },
  rollout: {
    policy: {
      num_task: 64,
      num_response_per_task: 32,
      temperature: 1,
      model_length: 10000,
      max_gen_length: 2048,
      gpu_groups: TWO_GROUPS,
      start_with_think: false,
    },
    reward: {
      num_response_per_task: 16,
      temperature: 0.8,
      model_length: 10000,
      max_gen_length: 2048,
      gpu_groups: TWO_GROUPS,
      start_with_think: false,
    },
    environment: {
      num_response_per_task: 3,
      temperature: 0.8,
      model_length: 20000,
      max_gen_length: 8096,
      gpu_groups: TWO_GROUPS,
      if_start_with_think: true,
    },
  },
  training: training(trainer(false, 2, 2048, 2048), trainer(false, 2, 4096, 2048)),
  optimizer: shared.optimizer,
  lr_scheduler: shared.lr_scheduler,
  evaluation: {
    policy: {
      num_response_per_task: 3,
      temperature: 0,
      model_length: 20000,
      max_gen_length: 2000,
      gpu_groups: TWO_GROUPS,
      if_start_with_think: false,
    },
  },
}

const osworld: ConfigTree = {
  wandb: shared.wandb,
  experiment: { if_rerun: true, ...experiment('osworld_rl', 12, 400, 20, 20) },
  system: {
    ...system,
    download_proxy: null,
    region: ON_CLUSTER,
    VOLCENGINE_ACCESS_KEY_ID: ON_CLUSTER,
    VOLCENGINE_SECRET_ACCESS_KEY: ON_CLUSTER,
    VOLCENGINE_REGION: ON_CLUSTER,
    VOLCENGINE_IMAGE_ID: ON_CLUSTER,
    VOLCENGINE_INSTANCE_TYPE: ON_CLUSTER,
    VOLCENGINE_SUBNET_ID: ON_CLUSTER,
    VOLCENGINE_SECURITY_GROUP_ID: ON_CLUSTER,
    VOLCENGINE_ZONE_ID: ON_CLUSTER,
    VOLCENGINE_DEFAULT_PASSWORD: ON_CLUSTER,
  },
  model: { ...model, policy_model_type: 'qwen3vl', reward_model_type: 'qwen3vl' },
  dataset: {
    environment_type: 'osworld',
    train: { environment_data_dir: 'train_nochrome', domain: 'all', example: 'all' },
    evaluation: { environment_data_dir: 'train_nochrome', domain: 'all', example: 'all' },
  },
  rollout: {
    num_envs: 16,
    num_envs_for_states: 80,
    result_dir: ON_CLUSTER,
    action_space: 'pyautogui',
    observation_type: 'screenshot',
    coordinate_type: 'relative',
    policy: {
      num_trial: 12,
      num_rollout_per_trial: 8,
      num_gpu_per_model: 1,
      max_steps: 30,
      temperature: 1,
      max_tokens: 2048,
      gpu_groups: TWO_GROUPS,
    },
    reward: { num_rollout_per_query: 3, temperature: 0.8, max_tokens: 8096, gpu_groups: TWO_GROUPS },
    environment: {
      num_rollout_per_query: 3,
      temperature: 0.8,
      model_length: 20000,
      max_gen_length: 8096,
      gpu_groups: TWO_GROUPS,
    },
    policy_evaluation: { num_trial: 0, num_rollout_per_trial: 3, num_gpu_per_model: 1, max_steps: 30, temperature: 0 },
  },
  training: training(trainer(true, 4, 4096, 8192), trainer(true, 2, 8096, 8192)),
  optimizer: shared.optimizer,
  lr_scheduler: shared.lr_scheduler,
}

export const RELEASED_DEFAULTS: Record<ReleasedSystem, ConfigTree> = { alfworld, coding, osworld }
