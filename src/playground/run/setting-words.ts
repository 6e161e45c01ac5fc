/** The explanation of every setting. */
import type { Settings } from '../../method/settings.ts'

interface Words {
  label: string
  /** What it does. */
  help: string
  /** The paper's statement, if there is one. */
  paper?: string
  /** The value in the released code and its place there (Gen-Verse/Open-AgentRL 1fe5dbd), if there is one. */
  released?: string
  /** Increment of the control. */
  step?: number
}

export const WORDS: Record<keyof Settings, Words> = {
  seed: {
    label: 'Seed',
    help: 'Determines tasks, samples and orders: the same seed gives the same run.',
    released: 'training.seed 10086, configs/alfworld_rl.yaml',
  },
  profile: {
    label: 'Arithmetic',
    help: 'The published formulas, or those of the released code: unparsable votes count as 0 in the mean and get -2, and accuracies at the limits of the band are accepted. In the released code, programs learn only from hidden tests, and written tests from counts of programs.',
    paper: 'Integrated and consistency feedback; task acceptance',
    released: 'alfworld_rl_reward.py:282-288, :321-328, :178-190; llm_rl_reward.py:206-225, :285-318',
  },
  signal: {
    label: 'Policy signal',
    help: 'What the policy learns from: outcome and votes, the outcome alone, or the votes alone. The votes on a program are the written tests that it passes or fails.',
    paper: '$R = O + λ S̄$; outcomes alone and votes alone are its ablations',
    released: '$R = O + S̄$, alfworld_rl_reward.py:282-288; programs have no S, llm_rl_reward.py:206-218',
  },
  trainPolicy: {
    label: 'Train the policy',
    help: 'When off, the policy does not change.',
    paper: 'On in every row of its tables but the first',
  },
  trainReward: {
    label: 'Train the reward model',
    help: 'When off, the reward model judges but does not learn.',
    paper: 'Off in the row "Policy"',
    released: 'Always on, alfworld_rl.py:245-248',
  },
  adaptEnvironment: {
    label: 'Adapt the tasks',
    help: 'When off, tasks are not rewritten and pending candidates stay pending.',
    paper: 'Off in the rows "Policy" and "Policy+Reward"',
    released: 'Always on, alfworld_rl_rollout.py:1454-1672',
  },
  lambda: {
    label: 'λ, weight of the votes',
    help: 'How much the mean vote of a step counts beside the outcome of its trajectory.',
    paper: 'λ in $R = O + {λ}/{m} Σ S$; 1 by default',
    released: 'Fixed at 1, alfworld_rl_reward.py:288 and :326',
    step: 0.1,
  },
  alphaLow: {
    label: 'α_low, easier up to',
    help: 'A task solved at most this often is made easier.',
    paper: 'α_low = 0.2',
    released: 'Fixed at 0.2, alfworld_utils.py:695, alfworld_rl_reward.py:184',
    step: 0.05,
  },
  alphaHigh: {
    label: 'α_high, harder from',
    help: 'A task solved at least this often is made harder.',
    paper: 'α_high = 0.8',
    released: 'Fixed at 0.8, alfworld_utils.py:695, alfworld_rl_reward.py:186',
    step: 0.05,
  },
  evaluationsPerStep: {
    label: 'm, votes per step',
    help: 'How many independent votes the reward model writes for every step, or tests for every problem.',
    paper: '$m$ in $R = O + {λ}/{m} Σ S$',
    released:
      'rollout.reward.num_rollout_per_query 3, configs/alfworld_rl.yaml; num_response_per_task 16, configs/coding_rl.yaml',
  },
  groupSize: {
    label: 'G, rollouts per task',
    help: 'How many rollouts of a task are compared with each other.',
    released: 'rollout.policy.num_rollout_per_trial 8, configs/alfworld_rl.yaml',
  },
  tasksPerIteration: {
    label: 'Tasks per iteration',
    help: 'How many active tasks an iteration rolls out; pending candidates are added.',
    released: 'rollout.policy.num_trial 16, configs/alfworld_rl.yaml',
  },
  taskPoolSize: {
    label: 'Task pool',
    help: 'How many tasks iterations draw from, in turn.',
    released: 'The whole training split',
  },
  maxSteps: {
    label: 'Steps per episode',
    help: 'An episode fails after this many steps without success.',
    released: 'rollout.policy.max_interaction_step 40, configs/alfworld_rl.yaml',
  },
  policyTemperature: {
    label: 'Policy temperature',
    help: 'How freely the policy samples in training. Evaluations measure at this temperature and at the evaluation temperature.',
    paper: '1.0 in training',
    released: 'rollout.policy.temperature 0.8, configs/alfworld_rl.yaml',
    step: 0.05,
  },
  rewardTemperature: {
    label: 'Reward temperature',
    help: 'How freely the reward model samples; votes need some freedom to differ.',
    released: 'rollout.reward.temperature 0.8, configs/alfworld_rl.yaml',
    step: 0.05,
  },
  authorTemperature: {
    label: 'Author temperature',
    help: 'How freely the author samples; attempts need some freedom to differ.',
    released: 'rollout.environment.temperature 0.8, configs/alfworld_rl.yaml',
    step: 0.05,
  },
  topP: {
    label: 'Top-p',
    help: 'All roles sample from the likeliest tokens that together have this probability.',
    released: '0.95, sample/alfworld_rl_rollout.py:59-98',
    step: 0.01,
  },
  voteFlips: {
    label: 'ε, flipped votes',
    help: 'Each readable vote of the reward model, or each verdict of a written test, is turned into its opposite with this probability before anything reads it. Makes a worse judge out of the same model; at 0.5 votes carry nothing.',
    paper: 'None: ours, to ask how good a judge must be',
    step: 0.05,
  },
  rewardGrouping: {
    label: 'Votes compared',
    help: 'Which votes consistency feedback is standardised over: those on one step, on one step index of the task, or on the whole task. Written tests are always compared over their task.',
    paper: 'Not stated; "step" is the set that it names for the policy',
    released: '"vote", alfworld_rl_reward.py:333-339',
  },
  rewardBalance: {
    label: 'Votes weighed',
    help: 'Whether votes on successes and votes on failures of a task teach the reward model with the same total weight. Without, it becomes lenient on tasks that are mostly solved, and strict on others.',
    paper: 'None: ours. The paper balances by the difficulty of tasks',
  },
  singleSurvivor: {
    label: 'Single survivor',
    help: 'What happens at a step index that only one rollout reached: it keeps its raw feedback, or gets no training signal.',
    paper: 'Standardising one value gives zero',
    released: '"raw", alfworld_rl_reward.py:39-40',
  },
  policyAccuracyLow: {
    label: 'Policy filter, low',
    help: 'Tasks solved less often do not train the policy.',
    released: '1/8, alfworld_rl_reward.py:272; 0 for OSWorld, osworld_rl_reward.py:766-767',
    step: 0.025,
  },
  policyAccuracyHigh: {
    label: 'Policy filter, high',
    help: 'Tasks solved more often do not train the policy.',
    released: '7/8, alfworld_rl_reward.py:272; 1 for OSWorld, osworld_rl_reward.py:766-767',
    step: 0.025,
  },
  rewardAccuracyLow: {
    label: 'Reward filter, low',
    help: 'Tasks solved less often do not train the reward model.',
    released: '0.2, alfworld_rl_reward.py:306',
    step: 0.025,
  },
  rewardAccuracyHigh: {
    label: 'Reward filter, high',
    help: 'Tasks solved more often do not train the reward model.',
    released: '0.8, alfworld_rl_reward.py:306',
    step: 0.025,
  },
  normAdvByStd: {
    label: 'Divide by std',
    help: 'Scales advantages to a standard deviation of 1; when off, only the mean is subtracted.',
    paper: '"Standardizing rewards across trajectories at the same step index"',
    released: 'Always on, alfworld_rl_reward.py:31-51',
  },
  policyLearningRate: {
    label: 'Policy learning rate',
    help: 'The learning rate of AdamW; small models need larger ones.',
    released: 'optimizer.params.learning_rate 1e-6, configs/alfworld_rl.yaml',
    step: 1e-5,
  },
  rewardLearningRate: {
    label: 'Reward learning rate',
    help: 'The learning rate of AdamW; small models need larger ones.',
    released: 'optimizer.params.learning_rate 1e-6, configs/alfworld_rl.yaml',
    step: 1e-5,
  },
  policyUpdatesPerIteration: {
    label: 'Policy updates',
    help: "How many optimiser steps an iteration's examples are split into.",
    released: 'training.policy.update_per_step 4, configs/alfworld_rl.yaml',
  },
  rewardUpdatesPerIteration: {
    label: 'Reward updates',
    help: "How many optimiser steps an iteration's examples are split into.",
    released: 'training.reward.update_per_step 4, configs/alfworld_rl.yaml',
  },
  clipRatioLow: {
    label: 'Clip ratio, low',
    help: 'The ratio π / π_old is clipped below at 1 minus this.',
    released: 'training.eps 0.20, configs/alfworld_rl.yaml; alfworld_train.py:449-495',
    step: 0.01,
  },
  clipRatioHigh: {
    label: 'Clip ratio, high',
    help: 'The ratio π / π_old is clipped above at 1 plus this.',
    released: 'training.eps 0.20, configs/alfworld_rl.yaml; alfworld_train.py:449-495',
    step: 0.01,
  },
  klCoefficient: {
    label: 'β, KL coefficient',
    help: 'Weight of the penalty for moving away from the model before the update; there is none for moving away from the base model.',
    released: 'training.beta 0.01, configs/alfworld_rl.yaml; alfworld_train.py:449-495',
    step: 0.005,
  },
  klEstimator: {
    label: 'KL estimator',
    help: '$k₁ = d$, $k₂ = {d²}/{2}$, $k₃ = exp(−d) − 1 + d$, where $d$ is the log-ratio.',
    released: 'training.use_kl_estimator_k3 True, configs/alfworld_rl.yaml',
  },
  lossAggregation: {
    label: 'Loss aggregation',
    help: 'How tokens are averaged: equal weight for each response, or for each token.',
    released: 'seq-mean-token-mean, alfworld_train.py:449-495',
  },
  maxGradNorm: {
    label: 'Gradient norm limit',
    help: 'Longer gradients are scaled down to this norm.',
    released: '1.0, accelerate_configs/1_node_8_gpus_deepspeed_zero3.yaml:1-23',
    step: 0.1,
  },
  weightDecay: {
    label: 'Weight decay',
    help: 'The weight decay of AdamW.',
    released: 'optimizer.params.weight_decay 0, configs/alfworld_rl.yaml',
    step: 0.005,
  },
  importanceCap: {
    label: 'Importance cap',
    help: 'If one program samples and another trains, each token’s loss is weighted by the ratio of its probabilities in the trainer and the sampler, up to this cap. 2 is usual; 0 disables the weights. Models that sample for themselves are not affected.',
    released: 'Off: the trainer recomputes log-probabilities, without weights, alfworld_train.py:362-420',
    step: 0.5,
  },
  rewriteAttempts: {
    label: 'Rewrite attempts',
    help: 'How many rewrites of a task the author may try; the first valid one is the candidate.',
    released: 'Fixed at 8, alfworld_rl_rollout.py:1458',
  },
  rewrites: {
    label: 'Rewrites by',
    help: 'The author, or nobody ("null"): each candidate is then the unchanged task under a new name. A null candidate is accepted by chance alone, so its acceptance rate is the line that an author has to beat.',
    paper: 'A language model rewrites; it has no null arm',
    released: 'A language model, alfworld_rl_rollout.py:1454-1672',
  },
  remeasure: {
    label: 'Measure the old task again',
    help: "Rolls out a task again beside its candidate, with the same policy, and compares these two accuracies. When off, the task's accuracy is from an iteration before, with an older policy and chosen for being extreme. The additional rollouts train like others.",
    paper: 'Not stated',
    released: 'Never: acc(q) is from the step before, alfworld_rl_reward.py:178-190',
  },
  evaluateEvery: {
    label: 'Evaluate every',
    help: 'Iterations between evaluations on held-out tasks; 0 means never.',
    released: 'experiment.eval_every 5, configs/alfworld_rl.yaml',
  },
  evaluationTasks: {
    label: 'Evaluation tasks',
    help: 'How many held-out tasks each split has, in and out of distribution.',
    paper: '140 in-distribution and 134 out-of-distribution tasks',
    released: 'dataset.alfworld_eval_type, configs/alfworld_rl.yaml: whole split, 3 rollouts each',
  },
  evaluationRollouts: {
    label: 'Rollouts of each evaluation task',
    help: 'Episodes or programs per held-out task at the policy temperature; greedily, each is played once. One is enough for accuracy; the Detect metric needs a right and a wrong program of the same task.',
    released:
      'evaluation.policy.num_rollout_per_trial 3, configs/alfworld_rl.yaml; 3 responses, configs/coding_rl.yaml',
  },
  evaluationMaxSteps: {
    label: 'Steps per evaluation episode',
    help: 'A held-out episode fails after this many steps without success; 0 means as many as in training.',
    released:
      "evaluation.policy.max_interaction_step 60, configs/alfworld_rl.yaml, of which ALFWorld's own limit leaves 50",
  },
  evaluationTemperature: {
    label: 'Evaluation temperature',
    help: 'How freely the policy samples in evaluations: 0 always takes the likeliest token. Evaluations also measure at the policy temperature.',
    paper: '0',
    released: 'evaluation.policy.temperature 0.8, configs/alfworld_rl.yaml; 0, configs/coding_rl.yaml',
    step: 0.05,
  },
  judgeTasks: {
    label: 'Judge tasks',
    help: 'Held-out tasks of each split whose stored trajectories measure the reward model at every evaluation. The trajectories never change, so a frozen reward model keeps its numbers. 0 measures none.',
    paper: 'Table 1 lists process and outcome accuracy of the reward model',
  },
  world: {
    label: 'World',
    help: 'Household: the policy acts in rooms, and the reward model judges its steps. Coding: the policy writes programs, and the reward model writes tests for them. Desktop: the policy clicks and types in six applications. Your world: what your file describes.',
    paper: 'AlfWorld, coding and OSWorld',
    released: 'alfworld_rl.py, coding_rl.py, osworld_rl.py',
  },
  problems: {
    label: 'Problems',
    help: 'Generated problems in JavaScript, or your imported problems.',
    released: 'CodeContests_train, configs/coding_rl.yaml',
  },
  games: {
    label: 'Games',
    help: "Small generated rooms, generated rooms of ALFWorld's size, your imported official games, or games of your own with evaluation in small rooms.",
    paper: "ALFWorld's official games",
    released: 'json_2.1.1, configs/alfworld_rl.yaml',
  },
  dialect: {
    label: 'Commands',
    help: 'The commands of ALFWorld 0.4 and later (v2), or the earlier ones (v1) for older agents.',
    released: 'v2, alfworld 0.5.0 in alfworld_master/',
  },
  explainRefusals: {
    label: 'Explain refusals',
    help: 'Adds a reason to "Nothing happens.", which ALFWorld never does.',
    released: 'Never, alfworld 0.5.0 in alfworld_master/',
  },
  desktopTasks: {
    label: 'Tasks',
    help: 'What the desktop’s policy trains on: tasks drawn by our generator, or tasks that you made under Set up, Games and problems. Evaluations play generated ones.',
    paper: 'OSWorld’s tasks',
  },
  screen: {
    label: 'Screen',
    help: 'What a model reads of the screen. Text: what is new, in a few words. Marks: also a numbered list of all that can be clicked. Table: also OSWorld’s table, with places. Pixels: a picture, for models that see, on a server with OpenAI’s interface. Chat models read the first three, the built-in models text. The fixed trajectories that measure a reward model are text.',
    released: 'Screenshots, mm_agents/qwen3vl_agent_local.py',
  },
}
