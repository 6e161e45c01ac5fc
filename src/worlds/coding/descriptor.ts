import { ARMS } from '../../method/presets.ts'
import type { WorldDescriptor } from '../world.ts'

const shares = (
  hue: 'policy' | 'reward',
  leaf: string,
  training: string,
): WorldDescriptor['charts'][number]['series'] => [
  { name: 'in distribution', hue, line: 'solid', metric: `eval/id/${leaf}` },
  { name: 'out of distribution', hue, line: 'dashed', metric: `eval/ood/${leaf}` },
  { name: 'in distribution, sampled', hue: 'ink', line: 'long-dashed', metric: `eval/id/${leaf}_sampled` },
  { name: 'out of distribution, sampled', hue: 'ink', line: 'dash-dotted', metric: `eval/ood/${leaf}_sampled` },
  { name: 'training', hue: 'ink', line: 'dotted', metric: training },
]

export const coding: WorldDescriptor = {
  title: 'Coding',
  about: 'Programs; a reward model writes the tests that judge them.',
  sentence:
    'A policy writes programs, a reward model writes tests for them, and problems adapt to what the policy can do.',
  nouns: { task: 'problem', rollout: 'program' },
  titles: { rollouts: 'Programs', tasks: 'Problems and their rewrites', imports: 'Problems' },
  rollouts: {
    help: [
      'All programs for one problem in one iteration, on the hidden tests, which say what is right, and on the tests that the reward model wrote without seeing a program.',
      '$O$ is +1 where a program passes every hidden test. $S$ is +1 for a written test that it passes and −1 for one that it fails, $R = O + λ S̄$, and $A$ compares $R$ with the other programs of the problem. A written test is worth much where it agrees with $R$.',
    ],
    none: 'No programs yet. The first programs and tests appear here.',
    tasks: 'Problems of this iteration',
  },
  evidence: 'tests',
  kindEnds: '-',
  isOneStep: true,
  noEffect: null,
  presets: {
    own: 'coding',
    reference: 'coding-reference',
    overlays: ['coding-reference', ...ARMS, 'phone'],
  },
  own: { names: ['problems'], elsewhere: 'only the coding world poses problems' },
  irrelevant: [
    { names: ['maxSteps', 'evaluationMaxSteps'], why: 'a program is one step' },
    { names: ['rewardGrouping', 'rewardBalance'], why: 'the tests of a problem are compared with one another' },
    { names: ['singleSurvivor'], why: 'every program is compared with those of its problem' },
  ],
  settingWords: {
    signal: {
      label: 'Policy signal',
      help: 'What the policy learns from: hidden tests and written tests together, the hidden tests alone, or the written tests alone.',
    },
    lambda: {
      label: 'λ, weight of the written tests',
      help: 'How much the written tests that a program passes count beside the hidden tests.',
    },
    evaluationsPerStep: {
      label: 'm, tests per problem',
      help: 'Unit tests that the reward model writes for every problem, without seeing a program.',
    },
    groupSize: { label: 'G, programs per problem', help: 'Programs for a problem that are compared with one another.' },
    trainReward: {
      label: 'Train the reward model',
      help: 'When off, the reward model writes tests but does not learn.',
    },
    adaptEnvironment: {
      label: 'Adapt the problems',
      help: 'When off, problems are not rewritten and pending candidates stay pending.',
    },
    alphaLow: { label: 'α_low, easier up to', help: 'A problem solved at most this often is made easier.' },
    alphaHigh: { label: 'α_high, harder from', help: 'A problem solved at least this often is made harder.' },
    tasksPerIteration: {
      label: 'Problems per iteration',
      help: 'Active problems that programs are written for in an iteration; pending candidates are added.',
    },
    taskPoolSize: { label: 'Problem pool', help: 'Problems that iterations draw from, each in its turn.' },
    rewardTemperature: {
      label: 'Reward temperature',
      help: 'How freely the reward model samples; tests need some freedom to differ.',
    },
    evaluationTasks: {
      label: 'Evaluation problems',
      help: 'Held-out problems of each split, in- and out-of-distribution.',
    },
    evaluationRollouts: {
      label: 'Programs per evaluation problem',
      help: 'Programs at the policy temperature. What tests detect needs a right and a wrong program for the same problem, so more than one.',
    },
    judgeTasks: {
      label: 'Judge problems',
      help: 'Held-out problems of each split whose stored programs try the reward model’s tests at every evaluation. The programs never change, so a frozen reward model keeps its numbers. 0 measures none.',
    },
    voteFlips: {
      label: 'ε, flipped verdicts',
      help: 'Each verdict of a written test on a program, pass or fail, is turned into its opposite with this probability before anything reads it. Makes a worse reward model out of the same one; at 0.5 its tests carry nothing.',
    },
    remeasure: {
      label: 'Measure the old problem again',
      help: "Poses a problem again beside its candidate, to the same policy, and compares these two accuracies. When off, the problem's accuracy is from an iteration before, with an older policy and chosen for being extreme. The additional programs train like others.",
    },
    policyAccuracyLow: { label: 'Policy filter, low', help: 'A problem solved less often does not train the policy.' },
    policyAccuracyHigh: {
      label: 'Policy filter, high',
      help: 'A problem solved more often does not train the policy.',
    },
    rewardAccuracyLow: {
      label: 'Reward filter, low',
      help: 'A problem solved less often does not train the reward model.',
    },
    rewardAccuracyHigh: {
      label: 'Reward filter, high',
      help: 'A problem solved more often does not train the reward model.',
    },
  },
  ablations: {
    grpo: 'Hidden tests alone (GRPO)',
    'step-frozen': 'Written tests alone, frozen writer',
    'step-trained': 'Written tests alone, trained writer',
    outcome: 'Full loop, hidden tests alone',
    step: 'Full loop, written tests alone',
  },
  phases: {
    evaluate: 'evaluating on held-out problems',
    rollout: 'writing programs',
    judge: 'writing tests and running them',
    'update-policy': 'training the policy',
    'update-reward': 'training the reward model',
    adapt: 'adapting the problems',
  },
  charts: [
    {
      id: 'code',
      title: 'Code',
      unit: 'share',
      about:
        'Share of programs that pass every hidden test: for held-out problems (in distribution), for problems with two steps in a sequence never trained on (out of distribution), and for the training problems of the iteration. Held-out problems are solved at the evaluation temperature, which is greedy unless you change it, and, “sampled”, at the policy temperature.',
      series: shares('policy', 'acc', 'policy/acc'),
    },
    {
      id: 'ut',
      title: 'UT',
      unit: 'share',
      about:
        'Unit tests: share of written tests that all right programs pass, over problems that have a right program. The policy’s sampled programs try a test that is written at the evaluation temperature and, “sampled”, tests at the reward temperature.',
      series: shares('reward', 'ut', 'reward/ut'),
    },
    {
      id: 'detect',
      title: 'Detect',
      unit: 'share',
      about:
        'Share of written tests that all right programs pass and all wrong ones fail, over problems that have both. Tests and programs are those of UT, so a policy that writes other programs moves it.',
      series: shares('reward', 'detect', 'reward/detect'),
    },
    {
      id: 'judge',
      title: 'Tests on fixed programs',
      unit: 'share',
      about:
        'UT and Detect of the tests written for held-out problems, on stored programs of weak, middling and strong policies. These never change, so a frozen reward model is a flat line.',
      series: [
        { name: 'UT', hue: 'reward', line: 'solid', metric: 'judge/ut' },
        { name: 'Detect', hue: 'reward', line: 'dashed', metric: 'judge/detect' },
      ],
    },
    {
      id: 'truth',
      title: 'True tests',
      unit: 'share',
      about: 'Share of the tests written in training that the reference solution passes: the others are false.',
      series: [{ name: 'training', hue: 'reward', line: 'solid', metric: 'reward/test_truth' }],
    },
  ],
  precision: 'p₊ is the share of written tests that right programs pass, p₋ the share that wrong ones fail.',
  flows: {
    actions: 'programs',
    tasks: 'problems',
    steps: 'programs to test',
    score: 'tests passed or failed',
    // The released code trains its policy on hidden tests alone (method/test-writing/advantages.ts).
    referenceJunction: 'R = "hidden tests"',
    reward: (share) => `${share('reward/test_truth') ?? '–'} of its tests are true`,
  },
  profiles: [
    ['$R$ of a program', '$O + λ S̄$', 'share of hidden tests passed'],
    ['Worth of a written test', 'mean of $R · S$', 'counted passes and fails'],
  ],
  imports: {
    setting: 'problems',
    value: 'imported',
    name: 'problems',
    missing: 'Imported: import a file of problems first, under Set up, Games and problems.',
    path: 'a file of problems in JSON or JSONL',
    usage: 'poses the coding problems of a file, JSON or JSONL; with --preset coding',
  },
  releasedSystem: 'coding',
  publishesPlayedTasks: true,
  openingFailure(error, isResumed) {
    const what = 'The coding problems could not be opened.'
    if (error !== 'NoProblemsError') {
      return { what, remedy: 'Reload the page and start the run again; generated problems need no import.' }
    }
    const remedy = isResumed
      ? 'Import them under Set up, Games and problems, then reload the page and resume the run.'
      : 'Import a file of problems under Set up, Games and problems, or set Problems to generated.'
    return { what, remedy }
  },
}
