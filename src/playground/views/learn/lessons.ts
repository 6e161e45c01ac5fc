/**
 * The lessons and their texts. A text says which statements are the paper's, which the released code's, and which ours.
 */
import type { Lesson } from './lesson.ts'
import { difficultyTilts, judgeTurnsKinder, liesAreCostly, silentErrors } from './judge-observations.ts'
import { carriesOver, chanceAccepts, componentsAlone, mistakesEncouraged, votesRank } from './observations.ts'
import { judgeTurnsStrict } from './region-observations.ts'
import { REGIONS } from './regions.ts'
import { STORY_STEPS } from '../../state/story-steps.ts'

/** Ids in the order of the story. */
const EXERCISES: readonly string[] = STORY_STEPS.flatMap(({ exercises }) => exercises.map(({ id }) => id))

const BASICS: readonly Lesson[] = [
  {
    id: 'sparse',
    title: 'An outcome alone says little',
    preset: 'household',
    difference: { signal: 'outcome', policyAccuracyLow: 0, policyAccuracyHigh: 1 },
    text: 'An episode ends with one number, the outcome $O$: +1 if the task was solved, −1 if not. If the reward $R$ is only the outcome, every step of an episode gets the same $R$. A step learns from how its $R$ differs from that of the same step in other rollouts of the task. If all rollouts end alike, there is no difference and nothing is learned. The reward model judges each step separately, and its votes $S$ tell such steps apart: $R = O + λ S̄$.',
    more: 'Votes help only if they rank the steps rightly. The page can check them, because it knows which steps were good. The released filter would leave out tasks that all rollouts fail, so it is off here.',
    steps: [
      { text: 'Press Run and let two iterations finish with the outcome alone.', press: 'run', iterations: 2 },
      { text: 'Add the votes. This takes effect at the next iteration.', change: { signal: 'integrated' } },
      { text: 'Let two more iterations finish.', iterations: 2 },
    ],
    look: {
      Episodes:
        'rows are rollouts and columns are steps. With the outcome alone, whole columns show a dash instead of an advantage; with votes, few do.',
      Alarms: '“Groups do not differ, so nothing is learned” shows the share.',
    },
    expected:
      'Where rollouts ended alike, the steps that votes encourage are good more often than those that they discourage, beyond chance.',
    variations: [
      {
        change: { signal: 'step' },
        text: 'Votes without the outcome: is there anything that they cannot tell apart?',
      },
      {
        change: { voteFlips: 0.5 },
        text: 'A judge that tosses coins: fewer columns show a dash, but are the encouraged steps still better?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: votesRank,
  },
  {
    id: 'lambda',
    title: 'What λ does, up to reward hacking',
    preset: 'household',
    difference: { lambda: 0 },
    text: 'In $R = O + λ S̄$, λ sets how much the reward model’s votes count beside the outcome. At $λ = 0$, a step of a failed rollout can never beat one of a solved rollout. The larger λ is, the more a vote outweighs what actually happened. The policy may then please its judge without solving the task, which is called reward hacking.',
    steps: [
      { text: 'Press Run and let an iteration finish at λ = 0.', press: 'run', iterations: 1 },
      { text: 'Let the votes count eight times as much as the outcome.', change: { lambda: 8 } },
      { text: 'Let another iteration finish.', iterations: 1 },
    ],
    look: {
      Episodes:
        'find the rollouts that were not solved. At λ = 0 none of their steps is encouraged, by arithmetic. At λ = 8 many are: choose some and compare the votes with the true label.',
      'The equation':
        'shows $R$ of the chosen step with its numbers. When you move λ, ⇄ in the table marks each step whose sign would change.',
    },
    expected:
      'At large λ, the judge’s mistakes train the policy: at least ten points more of the bad steps of failed rollouts are encouraged. A judge without mistakes would encourage none.',
    variations: [
      {
        change: { lambda: 1 },
        text: 'The paper’s λ: the outcome and three agreeing votes weigh the same. Are bad steps encouraged?',
      },
      {
        change: { lambda: 8, policyTemperature: 0.5 },
        text: 'Large λ and a policy that explores little: does the entropy under Curves fall faster?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: mistakesEncouraged,
  },
  {
    id: 'consistency',
    title: 'What consistency feedback teaches',
    preset: 'household',
    difference: { trainReward: true, evaluateEvery: 5, evaluationTasks: 24 },
    text: 'The reward model learns too. A vote $S$ earns R · S: it pays off when it agrees with the outcome and with the other votes on the step. The reward model never sees whether a step was really good. The page knows, because it can compute the distance to the goal. So it asks the judge about fixed trajectories that nobody trains on. There, a judge that does not learn is a flat line.',
    more: 'The judge learns from tasks that at least half of the rollouts solve. Most votes that train are on good steps, and most of these are in solved rollouts. So +1 pays more often than −1, and the judge becomes kinder, not simply better. Balanced process accuracy (the mean of that on good and on bad steps) hides this: most bad steps are commands that the world refuses, which a kind judge rejects as well. So the lesson looks at the bad steps that the world accepted. Decision 13 in docs/decisions has the numbers.',
    steps: [
      {
        text: 'Press Run and let ten iterations finish, which include three evaluations. This takes a minute or more.',
        press: 'run',
      },
    ],
    look: {
      Curves:
        '“Reward model on fixed trajectories, steps”: the line for good steps rises, and that for “accepted bad” ones falls. What does the solid line say?',
      Episodes: 'choose a step to see its votes, what each earned, and the true label.',
    },
    expected:
      'On fixed trajectories, over three evaluations, the judge becomes kinder: it is right about at least ten points more of the good steps, and at least ten points fewer of the bad ones that the world accepted.',
    variations: [
      {
        change: { trainReward: false },
        text: 'A reward model that judges but does not learn: do the lines stay flat?',
      },
      {
        change: { evaluationsPerStep: 1 },
        text: 'One vote per step has no other votes to agree with. Does the judge still become kinder?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: judgeTurnsKinder,
  },
  {
    id: 'collapse',
    title: 'When the reward model collapses to −1',
    preset: 'household',
    difference: {
      rewardAccuracyLow: 0,
      rewardAccuracyHigh: 1,
      adaptEnvironment: false,
      trainPolicy: false,
      maxSteps: 5,
      rewardLearningRate: 5e-4,
      evaluateEvery: 2,
      evaluationTasks: 4,
    },
    text: 'Take a task that every rollout fails. $O$ is always −1, so at $λ = 1$ $R$ is never positive, and R · S is never negative for a vote of −1, whatever the step was. Trained on such tasks, a reward model learns to answer −1 to everything. The released code trains it only on tasks of accuracy 0.2 to 0.8. In this lesson that filter is off, episodes end after five steps so that nearly all fail, and the reward model learns fast.',
    more: 'The second part of $R · S = O · S + λ S̄ · S$ adds to it: it pays a vote for agreeing with the other votes, whatever is true.',
    steps: [{ text: 'Press Run and wait for three evaluations.', press: 'run' }],
    look: {
      Episodes:
        'choose a task with “0 % of 8 solved” and one of its steps: the number beside a vote is its training signal.',
      Curves:
        'the chart Consistency feedback: while the judge collapses on tasks that all fail, both terms rise towards 1. Nothing in them warns you.',
      Alarms: '“The reward model always gives the same vote” fires once the collapse is complete.',
    },
    expected:
      'On fixed trajectories, the judge finds at least ten points fewer of the good steps than before training, and loses at least ten points less on bad ones.',
    variations: [
      {
        change: { rewardAccuracyLow: 0.2, rewardAccuracyHigh: 0.8 },
        text: 'Turn the filter on again: votes on such a task show a dash and train nothing.',
      },
      {
        change: { trainReward: false },
        text: 'The same votes and the same feedback, but nothing is learned from it: the curves stay flat.',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories'],
    observe: judgeTurnsStrict,
  },
  {
    id: 'difficulty',
    title: 'Why difficulty must be balanced',
    preset: 'household',
    difference: {
      adaptEnvironment: false,
      tasksPerIteration: 2,
      rewardAccuracyLow: 0,
      rewardAccuracyHigh: 1,
      rewardLearningRate: 2e-4,
      evaluateEvery: 1,
      evaluationTasks: 4,
    },
    text: 'By the paper’s Theorems 1 and 2, a reward model learns best from tasks of medium difficulty. If tasks are too easy or too hard, one kind of mistake hardly counts, and the judge should lean to the other. Whether it does, the page sees on fixed trajectories.',
    more: 'Theorem 1 splits the reward model’s objective into two terms, p₊ and p₋, and says that the importance ratio between them must be balanced. Theorem 2 says that the target reduces to an estimator of μ and that tasks of medium difficulty keep the ratio well behaved. How we read this: p₊ is the probability that a vote on a step of a solved episode is +1, p₋ that one on a failed episode is −1, $μ = p₊ + p₋$, and $a$ is the share of steps in solved episodes. Then the outcome’s part of the training signal is $E[O · S] = a (2p₊ − 1) + (1 − a)(2p₋ − 1)$. Unless p₊ and p₋ are equal, it is $μ − 1$ only at $a = {1}/{2}$.',
    steps: [
      {
        text: 'Press Run and wait for a dozen iterations. With two tasks at a time and no filter, some are easy and some hard.',
        press: 'run',
      },
    ],
    look: {
      'The theory':
        'has sliders for p₊, p₋ and $a$. Press “Use the run’s estimate”, then move only $a$ and watch E[O·S].',
      Curves:
        '“Reward model on fixed trajectories, steps”: do the lines for good and bad steps part after a hard iteration?',
    },
    expected:
      'On fixed trajectories, the judge moves towards +1 (accuracy on good steps minus that on bad ones) when tasks become easier, and towards −1 when they become harder, beyond chance.',
    variations: [
      {
        change: { rewardAccuracyLow: 0.2, rewardAccuracyHigh: 0.8 },
        text: 'With the released filter on, lopsided tasks train nothing: does the judge still lean?',
      },
      {
        change: { adaptEnvironment: true },
        text: 'Rewriting makes tasks easier or harder until they are in the middle: watch acc under Tasks.',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'tasks'],
    observe: difficultyTilts,
  },
  {
    id: 'acceptance',
    title: 'Acceptance is noisy when G is small',
    preset: 'household',
    difference: { groupSize: 2, rewrites: 'null' },
    text: 'A task that is too hard or too easy is rewritten. The new task q′ is accepted only if its measured accuracy acc(q′) is in the right range: for an easier task, above that of the old one and below α_high. The $G$ rollouts of one iteration measure it. With $G = 2$ it can only be 0, 1/2 or 1. A task is chosen because its measurement was extreme, so the next one is likely to be less extreme even if nothing changed. In this lesson nothing does: every rewrite is the old task under a new id, which is our addition, so whatever is accepted is accepted by chance.',
    steps: [{ text: 'Press Run and wait until eight rewrites are measured.', press: 'run' }],
    look: {
      Tasks: 'tick “rewritten only”. Each rewrite shows the rule with its numbers and the verdict.',
      Thresholds: 'accuracies of all tasks, with the band from α_low to α_high.',
    },
    expected: 'At least a fifth of the rewrites are accepted although they change nothing.',
    variations: [
      {
        change: { groupSize: 8 },
        text: 'Eight rollouts: how many of the rewrites that change nothing are accepted now?',
      },
      {
        change: { rewrites: 'author' },
        text: 'The author writes again. Only acceptance above that of the null rewrites is its merit.',
      },
      {
        change: { alphaLow: 0.4, alphaHigh: 0.6 },
        text: 'A narrow band: more tasks are rewritten, and fewer rewrites are accepted.',
      },
    ],
    needs: ['settings', 'loop', 'tasks'],
    observe: chanceAccepts,
  },
  {
    id: 'ablations',
    title: 'One component at a time',
    preset: 'household',
    difference: {},
    text: 'Three things change in an iteration: the policy learns, the reward model learns, and tasks are rewritten. To see the effect of each, the paper adds them one after another, and freezes the rest. The buttons “only” beside Step run one iteration in which a single component changes. On a narrow screen they are under More.',
    steps: [
      {
        text: 'Run one iteration in which only the policy learns. If no group differed, nothing was learned: press again.',
        press: 'policy',
      },
      { text: 'When it has paused, run one in which only the reward model learns.', press: 'reward' },
    ],
    look: {
      'The loop': 'the arrow that carries the gradient lights up at one model only.',
      Curves: 'KL of the update and Policy-gradient loss have a point only for the model that learned.',
    },
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
    difference: { evaluationTasks: 96 },
    text: 'Does the policy learn the tasks, or something more general? It is tested on tasks that it never trains on. Some are new tasks of the kinds it trains on (in distribution). Others are in rooms, and with pairs of object and place, that it never trained on (out of distribution). As in the paper, it is tested at temperature 0: otherwise a policy that merely trembles less would seem to have learned something.',
    steps: [
      {
        text: 'Press Run and let both be measured three times or more. Learning something that carries over may take twenty iterations.',
        press: 'run',
      },
    ],
    look: {
      Curves:
        'in the chart Policy accuracy, the solid line is in distribution, the dashed one out of distribution, both greedy; beside them the same at the policy temperature, and dotted the training tasks.',
    },
    expected:
      'At temperature 0, the policy solves more of the out-of-distribution tasks than before training, beyond chance (96 tasks, one side, 5 %).',
    variations: [
      {
        change: { trainPolicy: false },
        text: 'A policy that does not learn: at temperature 0 both lines stay flat.',
      },
      {
        change: { seed: 1 },
        text: 'Another seed has other tasks: is the gap the same? With 96 tasks, one task is about one point.',
      },
    ],
    needs: ['settings', 'loop', 'curves'],
    observe: carriesOver,
  },
  {
    id: 'released',
    title: 'The released code beside the formula',
    preset: 'reference',
    difference: {},
    text: 'A vote is trained with its advantage: how much its value R · S differs from the votes it is compared with. The released code compares it with the other votes on the same step. They share $R$, so unanimous votes show no difference, and right and wrong votes alike train nothing. The paper does not say which votes are compared. It names a set only for the policy: the same step index in all rollouts of the task. Using that set for votes too is our choice, and the default here.',
    steps: [{ text: 'Press Run and wait for one or two iterations in which some rollouts succeed.', press: 'run' }],
    look: {
      Episodes:
        'choose a step with unanimous votes: the dash beside each means that it is not trained, right or wrong.',
      'The equation': 'compare its last line for a step with unanimous votes and for one with mixed votes.',
    },
    expected:
      'While the reward model learns, at least ten steps, and a tenth of those with unanimous votes, are judged wrongly by all votes, and the update leaves them so.',
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
    observe: silentErrors,
  },
  {
    id: 'lies',
    title: 'A test that lies costs its writer',
    preset: 'coding',
    difference: {},
    text: 'In the coding world the policy writes programs, and the reward model writes tests for them without seeing any. It never learns directly which of its tests are right. But correct programs fail a test that expects something false. Such a test disagrees with the outcome $O$ (the hidden tests), so R · S is low and its writer is discouraged.',
    steps: [{ text: 'Press Run and wait until five false tests and five true ones have an advantage.', press: 'run' }],
    look: {
      Episodes:
        'rows are programs and columns are tests. A false test is marked “lies”; choose it to see what its writer earned.',
      Curves: 'the chart True tests: the share that the reference solution passes.',
    },
    expected:
      'While the reward model learns, the mean advantage of its false tests is below that of its true ones, beyond chance.',
    variations: [
      {
        change: { trainReward: false },
        text: 'The writer of tests does not learn: does the share of true tests stay the same?',
      },
      {
        change: { lambda: 4 },
        text: 'Written tests weigh four times as much as the hidden ones: do programs that pass false tests get a higher $R$?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'tasks', 'games'],
    observe: liesAreCostly,
  },
]

const place = ({ id }: Lesson): number => EXERCISES.indexOf(id)

/** In the order of the story, whose exercises they are. */
export const LESSONS: readonly Lesson[] = [...BASICS, ...REGIONS].sort((a, b) => place(a) - place(b))
