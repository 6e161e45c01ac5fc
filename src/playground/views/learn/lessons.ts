/** The lessons and their texts. */
import type { Lesson } from './lesson.ts'
import {
  collapseTaught,
  componentsAlone,
  consistencyPays,
  fragileAcceptance,
  heldOutGap,
  liesAreCostly,
  lopsidedTeaching,
  lambdaRewardsFailure,
  silentUnanimity,
  sparserOutcome,
} from './observations.ts'

export const LESSONS: readonly Lesson[] = [
  {
    id: 'sparse',
    title: 'An outcome alone says little',
    preset: 'household',
    difference: { signal: 'outcome' },
    text: 'An episode ends with one number, the outcome O: +1 if the task was solved, −1 if not. If the reward R is only the outcome, every step of an episode gets the same R. A step learns from how its R differs from that of the same step in other rollouts of the task. If all rollouts end alike, there is no difference and nothing is learned. The reward model judges each step separately, and its votes S tell such steps apart: R = O + λ · mean S.',
    steps: [
      { text: 'Press Run and let two iterations finish with the outcome alone.', press: 'run', iterations: 2 },
      { text: 'Add the votes. This takes effect at the next iteration.', change: { signal: 'integrated' } },
      { text: 'Let two more iterations finish.', iterations: 2 },
    ],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'rows are rollouts and columns are steps. With the outcome alone, whole columns show a dash instead of an advantage; with votes, few do.',
      },
      {
        place: '#alarms',
        name: 'Alarms',
        text: '“Groups do not differ, so nothing is learned” shows the share.',
      },
    ],
    expected: 'With votes, fewer sets of compared steps show no difference than with the outcome alone.',
    variations: [
      {
        change: { signal: 'step' },
        text: 'Votes without the outcome: is there anything that they cannot tell apart?',
      },
      {
        change: { evaluationsPerStep: 1 },
        text: 'One vote per step instead of three: how many more columns have equal R?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: sparserOutcome,
  },
  {
    id: 'lambda',
    title: 'What λ does, up to reward hacking',
    preset: 'household',
    difference: { lambda: 0 },
    text: 'In R = O + λ · mean S, λ sets how much the reward model’s votes count beside the outcome. At λ = 0, a step of a failed rollout can never beat one of a solved rollout. The larger λ is, the more a vote outweighs what actually happened. The policy may then please its judge without solving the task, which is called reward hacking.',
    steps: [
      { text: 'Press Run and let an iteration finish at λ = 0.', press: 'run', iterations: 1 },
      { text: 'Let the votes count eight times as much as the outcome.', change: { lambda: 8 } },
      { text: 'Let another iteration finish.', iterations: 1 },
    ],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'find the rollouts that were not solved. At λ = 0 their cells are red (discouraged); at λ = 8 many are grey (encouraged).',
      },
      {
        place: '#equation',
        name: 'The equation',
        text: 'shows R of the chosen step with its numbers. “λ, what if” above the table shows which steps would change sign.',
      },
    ],
    expected: 'At large λ, clearly more steps of failed rollouts are encouraged than at λ = 0.',
    variations: [
      {
        change: { lambda: 1 },
        text: 'The paper’s λ: the outcome and three agreeing votes weigh the same. Are failed steps encouraged?',
      },
      {
        change: { lambda: 8, policyTemperature: 0.5 },
        text: 'Large λ and a policy that explores little: does the entropy under Curves fall faster?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: lambdaRewardsFailure,
  },
  {
    id: 'consistency',
    title: 'Why consistency feedback works',
    preset: 'household',
    difference: { trainReward: true },
    text: 'The reward model learns too. A vote S earns R · S: it pays off when it agrees with the outcome and with the other votes on the step. The reward model never sees whether a step was really good. The page knows, because it can compute the distance to the goal, so it measures how often the votes are right: the process accuracy.',
    steps: [{ text: 'Press Run and let ten iterations finish. This takes about a minute.', press: 'run' }],
    look: [
      { place: '#loop', name: 'Curves', text: 'the solid line “process” of the chart Reward-model accuracy.' },
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'choose a step to see its votes, what each earned, and the true label.',
      },
    ],
    expected: 'Process accuracy is at least two points higher in the last three iterations than in the first three.',
    variations: [
      {
        change: { trainReward: false },
        text: 'A reward model that judges but does not learn: does the curve stay flat?',
      },
      {
        change: { evaluationsPerStep: 1 },
        text: 'One vote per step has no other votes to agree with. Does it still improve, and as fast?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: consistencyPays,
  },
  {
    id: 'collapse',
    title: 'When the reward model collapses to −1',
    preset: 'household',
    difference: { rewardAccuracyLow: 0, rewardAccuracyHigh: 1, adaptEnvironment: false },
    text: 'Take a task that every rollout fails. O is always −1, so R is negative, and R · S is positive for every vote of −1, whatever the step was. Trained on such tasks, a reward model learns to answer −1 to everything. Therefore tasks that are almost always failed or solved are not used to train it. In this lesson that filter is off.',
    steps: [{ text: 'Press Run and wait until all rollouts of some task fail.', press: 'run' }],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'choose a task with “0 % of 8 solved” and one of its steps: the number beside a vote is its training signal.',
      },
      {
        place: '#alarms',
        name: 'Alarms',
        text: '“The reward model always gives the same vote” fires once the collapse is complete.',
      },
    ],
    expected:
      'On tasks with no solved rollout, votes of −1 are encouraged and votes of +1 discouraged, on average over 50 or more.',
    variations: [
      {
        change: { rewardAccuracyLow: 0.2, rewardAccuracyHigh: 0.8 },
        text: 'Turn the filter on again: votes on such a task show a dash and train nothing.',
      },
      {
        change: { rewardLearningRate: 5e-4 },
        text: 'Ten times the learning rate: how many iterations until the alarm rings?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: collapseTaught,
  },
  {
    id: 'difficulty',
    title: 'Why difficulty must be balanced',
    preset: 'household',
    difference: { adaptEnvironment: false, tasksPerIteration: 2 },
    text: 'Let p₊ be the probability that a vote on a step of a solved episode is +1, p₋ the probability that one on a failed episode is −1, and a the share of steps in solved episodes. A good judge has both high, which μ = p₊ + p₋ measures. But the training signal is a · (2p₊ − 1) + (1 − a) · (2p₋ − 1), written E[O·S]. It equals μ − 1 only when half is solved, a = 1/2. If tasks are too easy or too hard, one kind of mistake hardly counts.',
    steps: [
      {
        text: 'Press Run and wait for one iteration in which about half is solved and one that is lopsided. With two tasks at a time, both happen soon.',
        press: 'run',
      },
    ],
    look: [
      {
        place: '#theory',
        name: 'The theory',
        text: 'has sliders for p₊, p₋ and a. Press “Use the run’s estimate”, then move only a and watch E[O·S].',
      },
      { place: '#loop', name: 'Curves', text: 'the chart Precision shows μ of each iteration.' },
    ],
    expected: 'E[O·S] is farther from μ − 1 in lopsided iterations (a below 0.3 or above 0.7) than in balanced ones.',
    variations: [
      {
        change: { tasksPerIteration: 8 },
        text: 'With eight tasks at a time, a is closer to a half and lopsided iterations become rare.',
      },
      {
        change: { adaptEnvironment: true },
        text: 'Rewriting makes tasks easier or harder until they are in the middle: watch acc under Tasks.',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'tasks'],
    observe: lopsidedTeaching,
  },
  {
    id: 'acceptance',
    title: 'Acceptance is noisy when G is small',
    preset: 'household',
    difference: { groupSize: 2 },
    text: 'A task that is too hard or too easy is rewritten. The new task q′ is accepted only if its measured accuracy acc(q′) is in the right range: for an easier task, above that of the old one and below α_high. The G rollouts of one iteration measure it. With G = 2 it can only be 0, 1/2 or 1, so a single rollout can change the verdict.',
    steps: [{ text: 'Press Run and wait until four rewrites are measured.', press: 'run' }],
    look: [
      {
        place: '#tasks',
        name: 'Tasks',
        text: 'tick “rewritten only”. Each rewrite shows the rule with its numbers and the verdict.',
      },
      {
        place: '#thresholds',
        name: 'Thresholds',
        text: 'accuracies of all tasks, with the band from α_low to α_high.',
      },
    ],
    expected: 'At least half of the verdicts would change if a single rollout had ended differently.',
    variations: [
      {
        change: { groupSize: 8 },
        text: 'Eight rollouts: how far is acc(q′) from its limits now? The rule is shown beside each rewrite.',
      },
      {
        change: { alphaLow: 0.4, alphaHigh: 0.6 },
        text: 'A narrow band: more tasks are rewritten, and fewer rewrites are accepted.',
      },
    ],
    needs: ['settings', 'loop', 'tasks'],
    observe: fragileAcceptance,
  },
  {
    id: 'ablations',
    title: 'One component at a time',
    preset: 'household',
    difference: {},
    text: 'Three things change in an iteration: the policy learns, the reward model learns, and tasks are rewritten. To see the effect of one, the paper freezes the others (ablations). The buttons “only” beside Step run one iteration in which a single component changes. On a narrow screen they are under More.',
    steps: [
      {
        text: 'Run one iteration in which only the policy learns. If no group differed, nothing was learned: press again.',
        press: 'policy',
      },
      { text: 'When it has paused, run one in which only the reward model learns.', press: 'reward' },
    ],
    look: [
      {
        place: '#loop',
        name: 'The loop',
        text: 'the arrow that carries the gradient lights up at one model only.',
      },
      {
        place: '#loop',
        name: 'Curves',
        text: 'KL of the update and Policy-gradient loss have a point only for the model that learned.',
      },
    ],
    expected: 'One iteration updates only the policy, and another only the reward model.',
    variations: [
      {
        change: { trainReward: false, adaptEnvironment: false },
        text: 'The paper’s row “Policy”: a whole run in which nothing else changes. Press Run and compare its accuracy under Runs.',
      },
      {
        change: { trainPolicy: false },
        text: 'With a frozen policy, the judge learns and the tasks adapt. Does the accuracy on training tasks approach a half?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'runs'],
    observe: componentsAlone,
  },
  {
    id: 'out-of-distribution',
    title: 'What is learned, and how far it carries',
    preset: 'household',
    difference: { evaluateEvery: 1 },
    text: 'Does the policy learn the tasks, or something more general? It is tested on tasks that it never trains on. Some are new tasks of the kinds it trains on (in distribution). Others combine objects and places that it never trained on (out of distribution).',
    steps: [{ text: 'Press Run and wait until both are measured three times.', press: 'run' }],
    look: [
      {
        place: '#loop',
        name: 'Curves',
        text: 'in the chart Policy accuracy, the solid line is in distribution, the dashed one out of distribution, the dotted one training.',
      },
    ],
    expected: 'Accuracy is lower on out-of-distribution tasks, on average over three or more evaluations.',
    variations: [
      {
        change: { policyTemperature: 0.5 },
        text: 'A policy that explores less: do both lines rise, and does the gap between them close?',
      },
      {
        change: { seed: 1 },
        text: 'Another seed has other tasks: is the gap the same? With 48 tasks, one task is about two points.',
      },
    ],
    needs: ['settings', 'loop', 'curves'],
    observe: heldOutGap,
  },
  {
    id: 'released',
    title: 'The released code beside the formula',
    preset: 'reference',
    difference: {},
    text: 'A vote is trained with its advantage: how much its value R · S differs from the votes it is compared with. The released code compares it with the other votes on the same step. They share R, so unanimous votes show no difference, and right and wrong votes alike train nothing. The paper’s formula compares it with the votes on the same step of the other rollouts.',
    steps: [{ text: 'Press Run and wait for one or two iterations in which some rollouts succeed.', press: 'run' }],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'choose a step with unanimous votes: the dash beside each means that it is not trained.',
      },
      {
        place: '#equation',
        name: 'The equation',
        text: 'compare its last line for a step with unanimous votes and for one with mixed votes.',
      },
    ],
    expected:
      'At least twenty steps with unanimous votes train nothing, and the paper’s comparison would have trained more votes.',
    variations: [
      {
        change: { evaluationsPerStep: 8 },
        text: 'Eight votes are unanimous less often than three: are there fewer silent steps?',
      },
      {
        change: { rewardTemperature: 1.5 },
        text: 'A less certain judge: its votes differ more often, and more of them are trained. Are they better?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: silentUnanimity,
  },
  {
    id: 'lies',
    title: 'A test that lies costs its writer',
    preset: 'coding',
    difference: {},
    text: 'In the coding world the policy writes programs, and the reward model writes tests for them without seeing any. It never learns directly which of its tests are right. But correct programs fail a test that expects something false. Such a test disagrees with the outcome O (the hidden tests), so R · S is low and its writer is discouraged.',
    steps: [{ text: 'Press Run and wait until five false tests and five true ones have an advantage.', press: 'run' }],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'rows are programs and columns are tests. A false test is marked “lies”; choose it to see what its writer earned.',
      },
      {
        place: '#loop',
        name: 'Curves',
        text: 'the chart True tests: the share that the reference solution passes.',
      },
    ],
    expected: 'The mean advantage of false tests is below that of true ones.',
    variations: [
      {
        change: { trainReward: false },
        text: 'The writer of tests does not learn: does the share of true tests stay the same?',
      },
      {
        change: { lambda: 4 },
        text: 'Written tests weigh four times as much as the hidden ones: do programs that pass false tests get a higher R?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'tasks', 'games'],
    observe: liesAreCostly,
  },
]
