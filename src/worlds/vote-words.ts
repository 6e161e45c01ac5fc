/** What worlds have in common whose reward model votes on steps: words and charts as plain data. */
import { ARMS, type PresetName } from '../method/presets.ts'
import type { WorldChart, WorldDescriptor, WorldPresets } from './world.ts'

/** `splits` says which held-out tasks are in and out of distribution. */
export const voteCharts = (splits: string): readonly WorldChart[] => [
  {
    id: 'accuracy',
    title: 'Policy accuracy',
    unit: 'share',
    about: `Share of episodes solved: on held-out tasks ${splits}, and on the training tasks of the iteration. Held-out tasks are played at the evaluation temperature, which is greedy unless you change it, and, “sampled”, at the policy temperature.`,
    series: [
      { name: 'in distribution', hue: 'policy', line: 'solid', metric: 'eval/id/acc' },
      { name: 'out of distribution', hue: 'policy', line: 'dashed', metric: 'eval/ood/acc' },
      { name: 'in distribution, sampled', hue: 'ink', line: 'long-dashed', metric: 'eval/id/acc_sampled' },
      { name: 'out of distribution, sampled', hue: 'ink', line: 'dash-dotted', metric: 'eval/ood/acc_sampled' },
      { name: 'training', hue: 'ink', line: 'dotted', metric: 'policy/acc' },
    ],
  },
  {
    id: 'judge',
    title: 'Reward model on fixed trajectories, steps',
    unit: 'share',
    about:
      'Share of votes that agree with the true label of their step, on held-out trajectories of weak, middling and strong policies. These never change, so a frozen reward model is a flat line. Balanced is the mean of the shares on good and on bad steps: 50 % for a reward model that always says the same. Commands that the world refuses are bad steps that are easy to judge; “accepted bad” leaves them out.',
    series: [
      { name: 'balanced', hue: 'reward', line: 'solid', metric: 'judge/balanced_acc' },
      { name: 'all steps', hue: 'reward', line: 'dashed', metric: 'judge/process_acc' },
      { name: 'good', hue: 'ink', line: 'dotted', metric: 'judge/good_acc' },
      { name: 'bad', hue: 'ink', line: 'dash-dotted', metric: 'judge/bad_acc' },
      { name: 'accepted bad', hue: 'ink', line: 'long-dashed', metric: 'judge/accepted_bad_acc' },
    ],
  },
  {
    id: 'judge-outcome',
    title: 'Reward model on fixed trajectories, outcomes',
    unit: 'share',
    about:
      'How often the reward model agrees with the outcome of a fixed held-out trajectory: the sign of the mean of all its votes, and each vote on its own.',
    series: [
      { name: 'by trajectory', hue: 'reward', line: 'solid', metric: 'judge/outcome_acc' },
      { name: 'by step', hue: 'reward', line: 'dashed', metric: 'judge/outcome_step_acc' },
    ],
  },
  {
    id: 'reward',
    title: 'Reward-model accuracy in training',
    unit: 'share',
    about:
      'On the training steps of each iteration. Process: share of votes that agree with the true label of their step. Outcome: how often its mean vote of an episode has the sign of the outcome. A policy that learns changes the mix of steps, which moves both even if the reward model is frozen.',
    series: [
      { name: 'process', hue: 'reward', line: 'solid', metric: 'reward/process_acc' },
      { name: 'outcome', hue: 'reward', line: 'dashed', metric: 'reward/outcome_acc' },
    ],
  },
]

/** `more` says what only this world shows. */
export const voteRollouts = (more = ''): WorldDescriptor['rollouts'] => ({
  help: [
    'All rollouts of one task in one iteration. A cell is a step; its number is the advantage $A$ that trains the policy: blue is encouraged, hatched orange discouraged. A step is compared with the same step of the other rollouts, so read down a column.',
    `$O$ is the outcome, $S$ a vote of the reward model, $R = O + λ S̄$.${more === '' ? '' : ` ${more}`} Choose a cell to see how its numbers came about. Drag λ to see what it would change.`,
  ],
  none: 'No rollouts yet. The first trajectories appear here step by step.',
  tasks: 'Tasks of this iteration',
})

export const votePresets = (own: PresetName): WorldPresets => ({
  own,
  reference: 'reference',
  overlays: ['reference', ...ARMS, 'phone'],
})

export const VOTE_WORDS: Pick<
  WorldDescriptor,
  | 'nouns'
  | 'irrelevant'
  | 'settingWords'
  | 'evidence'
  | 'kindEnds'
  | 'isOneStep'
  | 'ablations'
  | 'phases'
  | 'precision'
  | 'flows'
  | 'profiles'
> = {
  nouns: { task: 'task', rollout: 'rollout' },
  irrelevant: [],
  settingWords: {},
  evidence: 'votes',
  kindEnds: '-',
  isOneStep: false,
  ablations: {
    grpo: 'Outcome alone (GRPO)',
    'step-frozen': 'Votes alone, frozen judge',
    'step-trained': 'Votes alone, trained judge',
    outcome: 'Full loop, outcomes alone',
    step: 'Full loop, votes alone',
  },
  phases: {
    evaluate: 'evaluating on held-out tasks',
    rollout: 'rolling out the policy',
    judge: 'judging every step',
    'update-policy': 'training the policy',
    'update-reward': 'training the reward model',
    adapt: 'adapting the tasks',
  },
  precision: 'p₊ is the share of +1 among votes on successful trajectories, p₋ of −1 on failed ones.',
  flows: {
    actions: 'actions',
    tasks: 'observations, tasks',
    steps: 'steps to judge',
    score: 'mean vote',
    referenceJunction: null,
    // On fixed trajectories, by kind: the share of all training steps rises by itself when the policy changes or its commands are refused.
    reward(share) {
      const good = share('judge/good_acc')
      const accepted = share('judge/accepted_bad_acc')
      const bad = accepted ?? share('judge/bad_acc')
      if (good === null || bad === null) return `judges ${share('reward/process_acc') ?? '–'} of steps right`
      return `${good} of good, ${bad} of ${accepted === null ? '' : 'accepted '}bad steps right`
    },
  },
  profiles: [
    ['Unreadable vote in mean S', 'left out', 'counts 0'],
    ['R·S of an unreadable vote', '−(1 + λ)', '−2'],
  ],
}
