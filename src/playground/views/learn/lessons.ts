/**
 * Lessons as data: settings to start with, a few words, what to do, where to look, and an observation that the page makes by
 * itself in the run's own events (lesson-observations.ts). A lesson is learned when its observation is really there, not when
 * it was read. What has been done of its steps is told by lesson-steps.ts.
 */
import type { RunView } from '../../../runs/fold.ts'
import { parseSettings, type LivePatch, type PresetName, type Settings } from '../../../method/settings.ts'
import type { Section } from '../../state/link.ts'
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

export interface Observation {
  isMade: boolean
  /** What has been seen so far, in numbers, or what is missing. */
  evidence: string
}

export interface LessonStep {
  text: string
  /** A change that the page can make for a person while the run goes. */
  change?: LivePatch
  /** A button that the page can press for a person: Run, or the step of one component alone. */
  press?: 'run' | 'policy' | 'reward'
  /** Finished iterations, under the settings of this step, after which it is done; else the observation is what ends it. */
  iterations?: number
}

/** Where on the page the lesson is to be seen. */
export interface LessonPlace {
  /** End of an address: a view or a part of one (views.ts). */
  place: string
  /** Words of the link. */
  name: string
  /** What to look at there. */
  text: string
}

/** A change of settings beyond the steps, with what to look for. */
export interface Variation {
  change: Partial<Settings>
  text: string
}

export interface Lesson {
  id: string
  title: string
  preset: PresetName
  /** Laid over the preset. */
  difference: Partial<Settings>
  text: string
  steps: readonly LessonStep[]
  look: readonly LessonPlace[]
  /** What is to be seen, in one sentence. */
  expected: string
  variations: readonly Variation[]
  /** Sections of the page that the lesson speaks of; a link to it hides the others. */
  needs: readonly Section[]
  observe: (view: RunView) => Observation
}

export const LESSONS: readonly Lesson[] = [
  {
    id: 'sparse',
    title: 'An outcome alone says little',
    preset: 'household',
    difference: { signal: 'outcome' },
    text: 'An episode ends with one number, the outcome O: +1 if the task was solved, −1 if not. If that alone is the reward R, all steps of an episode get the same. A step learns from how its R differs from that of the same step in the other rollouts of the task; where all of them ended alike, there is no difference and nothing is learned. The reward model judges each step by itself, and its votes S tell such steps apart: R = O + λ · mean S.',
    steps: [
      { text: 'Press Run and let two iterations finish with the outcome alone.', press: 'run', iterations: 2 },
      { text: 'Let the votes count as well. It holds from the next iteration on.', change: { signal: 'integrated' } },
      { text: 'Let two more finish.', iterations: 2 },
    ],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'a row is a rollout, a column a step. With the outcome alone, whole columns have a dash in place of an advantage; with votes, few do.',
      },
      {
        place: '#alarms',
        name: 'Alarms',
        text: '“Groups do not differ, so nothing is learned” has the share as a number.',
      },
    ],
    expected: 'With votes, fewer sets of compared steps are without a difference than with the outcome alone.',
    variations: [
      {
        change: { signal: 'step' },
        text: 'The votes alone, without the outcome: is there anything that they cannot tell apart?',
      },
      {
        change: { evaluationsPerStep: 1 },
        text: 'One vote a step instead of three: how many more columns of equal R are there?',
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
    text: 'In R = O + λ · mean S, λ says how much the votes of the reward model count beside the outcome. At λ = 0 a step of a failed rollout can never beat one of a solved rollout. The larger λ is, the more a vote outweighs what really happened: then a policy is encouraged that pleases its judge and does not solve the task, which is called reward hacking.',
    steps: [
      { text: 'Press Run and let an iteration finish at λ = 0.', press: 'run', iterations: 1 },
      { text: 'Let the votes count eight times as much as the outcome.', change: { lambda: 8 } },
      { text: 'Let another iteration finish.', iterations: 1 },
    ],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'find the rollouts that were not solved. At λ = 0 their cells are red (discouraged), at λ = 8 many are grey (encouraged).',
      },
      {
        place: '#equation',
        name: 'The equation',
        text: 'R of the chosen step with its numbers. “λ, what if” above the table shows which steps would change sign.',
      },
    ],
    expected: 'At large λ clearly more steps of failed rollouts are encouraged than at λ = 0.',
    variations: [
      {
        change: { lambda: 1 },
        text: 'The paper’s λ: the outcome and three agreeing votes weigh the same. Are failed steps encouraged?',
      },
      {
        change: { lambda: 8, policyTemperature: 0.5 },
        text: 'Large λ and a policy that tries little: does the entropy under Curves fall faster?',
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
    text: 'The reward model learns as well. A vote S is rewarded with R · S: it is worth something where it agrees with the outcome and with the other votes on the step. Nobody tells it whether a step was really good. The page knows, because it can compute the distance to the goal, and so it can measure how often the votes are right: the process accuracy.',
    steps: [{ text: 'Press Run and let ten iterations finish; it takes about a minute.', press: 'run' }],
    look: [
      { place: '#loop', name: 'Curves', text: 'the solid line “process” of the chart Reward-model accuracy.' },
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'a chosen step has its votes, what each was worth, and the true label.',
      },
    ],
    expected: 'Process accuracy of the last three iterations is at least two points above that of the first three.',
    variations: [
      {
        change: { trainReward: false },
        text: 'A reward model that judges but does not learn: does the curve stay where it was?',
      },
      {
        change: { evaluationsPerStep: 1 },
        text: 'One vote a step: there are no other votes to agree with. Does it still become better, and as fast?',
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
    text: 'Take a task that every rollout fails. O is −1 everywhere, so R is negative, and R · S is positive for every vote of −1, whatever the step was. Left to such tasks, a reward model learns to say −1 to everything. That is why tasks which are (nearly) always failed or solved do not teach it; here this filter is off.',
    steps: [{ text: 'Press Run, and wait until some task was failed by all its rollouts.', press: 'run' }],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'choose a task with “0 % of 8 solved” and a step of it: the number beside a vote is what it is trained with.',
      },
      {
        place: '#alarms',
        name: 'Alarms',
        text: '“The reward model says one thing only” rings once it has come to that.',
      },
    ],
    expected:
      'On tasks that nobody solved, votes of −1 are encouraged and votes of +1 discouraged, on average over 50 or more.',
    variations: [
      {
        change: { rewardAccuracyLow: 0.2, rewardAccuracyHigh: 0.8 },
        text: 'The filter on again: votes on such a task have a dash beside them, and teach nothing.',
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
    text: 'Call p₊ the chance that a vote on a step of a solved episode is +1, p₋ the chance that one of a failed episode is −1, and a the share of steps in solved episodes. A good judge has both high; μ = p₊ + p₋ measures it. But consistency teaches a · (2p₊ − 1) + (1 − a) · (2p₋ − 1), written E[O·S]. Only where half is solved, a = 1/2, is that μ − 1. If tasks are too easy or too hard, one kind of mistake hardly counts.',
    steps: [
      {
        text: 'Press Run, and wait for an iteration where about half was solved and for a lopsided one; with two tasks at a time both come soon.',
        press: 'run',
      },
    ],
    look: [
      {
        place: '#theory',
        name: 'The theory',
        text: 'sliders for p₊, p₋ and a. “Take the run’s estimate”, then move a alone and watch E[O·S].',
      },
      { place: '#loop', name: 'Curves', text: 'the chart Precision has μ of each iteration.' },
    ],
    expected: 'E[O·S] is further from μ − 1 in lopsided iterations (a below 0.3 or above 0.7) than in balanced ones.',
    variations: [
      {
        change: { tasksPerIteration: 8 },
        text: 'Eight tasks at a time: a comes nearer to a half, and lopsided iterations become rare.',
      },
      {
        change: { adaptEnvironment: true },
        text: 'With rewriting, tasks are made easier or harder until they are in the middle: watch acc under Tasks.',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'tasks'],
    observe: lopsidedTeaching,
  },
  {
    id: 'acceptance',
    title: 'Acceptance is noisy where G is small',
    preset: 'household',
    difference: { groupSize: 2 },
    text: 'A task that is too hard or too easy is rewritten, and the new one q′ is taken only if its measured accuracy acc(q′) lies where it should: above that of the old task and below α_high if it was to become easier. It is measured with the G rollouts of one iteration. With G = 2 it can only be 0, 1/2 or 1, and one rollout that ends otherwise changes the verdict.',
    steps: [{ text: 'Press Run, and wait until four rewrites have been measured.', press: 'run' }],
    look: [
      {
        place: '#tasks',
        name: 'Tasks',
        text: 'tick “rewritten only”. A rewrite shows the rule with its numbers, and whether it was let in.',
      },
      { place: '#thresholds', name: 'Thresholds', text: 'accuracies of all tasks in the band of α_low and α_high.' },
    ],
    expected: 'At least half of the verdicts would be different if a single rollout had ended differently.',
    variations: [
      {
        change: { groupSize: 8 },
        text: 'Eight rollouts: how far from its limits is acc(q′) now? The rule stands beside each rewrite.',
      },
      {
        change: { alphaLow: 0.4, alphaHigh: 0.6 },
        text: 'A narrow band: more tasks are rewritten, and fewer rewrites are let in.',
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
    text: 'Three things change in an iteration: the policy learns, the reward model learns, and the tasks are rewritten. To see what one of them does, the paper freezes the others (ablations). The buttons “only” beside Step run one iteration in which one of them alone changes; on a narrow screen they are under More.',
    steps: [
      {
        text: 'One iteration in which only the policy learns. If no group differed, nothing was learned: press again.',
        press: 'policy',
      },
      { text: 'When it has paused, one in which only the reward model learns.', press: 'reward' },
    ],
    look: [
      { place: '#loop', name: 'The loop', text: 'the arrow that carries the gradient lights up at one model alone.' },
      {
        place: '#loop',
        name: 'Curves',
        text: 'KL of the update and Policy-gradient loss have a point only for the model that learned.',
      },
    ],
    expected: 'There is an iteration in which only the policy was updated, and one in which only the reward model was.',
    variations: [
      {
        change: { trainReward: false, adaptEnvironment: false },
        text: 'The paper’s row “Policy”: a whole run in which nothing else changes. Press Run, and compare its accuracy under Runs.',
      },
      {
        change: { trainPolicy: false },
        text: 'A frozen policy: the judge learns, the tasks follow. Does the accuracy on training tasks come nearer to a half?',
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
    text: 'Does the policy learn the tasks, or something more general? It is tested on tasks that it never trains on. Some are new tasks of the kinds it trains on (in distribution); others ask for pairs of an object and a place that it was never asked for (out of distribution).',
    steps: [{ text: 'Press Run, and wait until both have been measured three times.', press: 'run' }],
    look: [
      {
        place: '#loop',
        name: 'Curves',
        text: 'the chart Policy accuracy: the solid line is in distribution, the dashed one out of it, the dotted one training.',
      },
    ],
    expected: 'Accuracy on out-of-distribution tasks is lower, on average over three evaluations or more.',
    variations: [
      {
        change: { policyTemperature: 0.5 },
        text: 'A policy that takes what it thinks best: do both lines rise, and does the gap between them close?',
      },
      {
        change: { seed: 1 },
        text: 'Another seed, other tasks: is the gap of the same size? With 48 tasks a point is a few per cent.',
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
    text: 'A vote is trained with its advantage: how much its worth R · S differs from the votes that it is compared with. The released code compares it with the other votes on the same step. R is the same for all of them, so where they agree there is no difference, and right and wrong votes alike teach nothing. The paper’s formula compares with the votes on the same step of the other rollouts.',
    steps: [
      {
        text: 'Press Run, and wait for an iteration or two in which some tasks are solved now and then.',
        press: 'run',
      },
    ],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'choose a step whose votes agree: there is a dash beside each of them, so it is not trained.',
      },
      {
        place: '#equation',
        name: 'The equation',
        text: 'its last line, for a step whose votes agree, and for one whose votes do not.',
      },
    ],
    expected:
      'Twenty steps or more with unanimous votes train nothing, and the paper’s comparison would have trained more votes.',
    variations: [
      {
        change: { evaluationsPerStep: 8 },
        text: 'Eight votes agree less often than three: are there fewer silent steps?',
      },
      {
        change: { rewardTemperature: 1.5 },
        text: 'A judge that is less sure of itself: its votes differ more often, and more of them are trained. Are they better?',
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
    text: 'In the coding world the policy writes programs, and the reward model writes tests for them without having seen one. Nobody tells it which of its tests are right. But if a test expects something false, correct programs fail it: it disagrees with the outcome O (the hidden tests), so R · S is low, and its writer is discouraged.',
    steps: [{ text: 'Press Run, and wait until five false tests and five true ones have been valued.', press: 'run' }],
    look: [
      {
        place: '#episodes',
        name: 'Episodes',
        text: 'programs are rows, tests columns. A test that is wrong is marked “lies”; choose it to read what it was worth to its writer.',
      },
      { place: '#loop', name: 'Curves', text: 'the chart True tests: the share that the reference solution passes.' },
    ],
    expected: 'The mean advantage of false tests is below that of true ones.',
    variations: [
      {
        change: { trainReward: false },
        text: 'Nobody learns to write tests: does the share of true tests stay where it is?',
      },
      {
        change: { lambda: 4 },
        text: 'Written tests weigh four times the hidden ones: do programs that satisfy false tests get a higher R?',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'tasks', 'games'],
    observe: liesAreCostly,
  },
]

export function lessonSettings({ preset, difference }: Lesson): Settings {
  return parseSettings(difference, preset)
}

/** Settings that the lesson starts with, changes on its way or tries. */
export function lessonControls({ difference, steps, variations }: Lesson): ReadonlySet<keyof Settings> {
  const changes = [difference, ...steps.map(({ change }) => change ?? {}), ...variations.map(({ change }) => change)]
  return new Set(changes.flatMap((change) => Object.keys(change) as (keyof Settings)[]))
}

/** Settings that make a run one of the lesson's: its difference, and those that its preset differs in. */
function decisiveNames(lesson: Lesson): (keyof Settings)[] {
  const names: (keyof Settings)[] = ['world', 'profile', ...(Object.keys(lesson.difference) as (keyof Settings)[])]
  return lesson.preset === 'reference' ? [...names, 'rewardGrouping'] : names
}

/** Whether a run with these settings is one of the lesson's. */
export function areSettingsOf(lesson: Lesson, settings: Settings): boolean {
  const wanted = lessonSettings(lesson)
  return decisiveNames(lesson).every((name) => settings[name] === wanted[name])
}

export function isRunOf(lesson: Lesson, view: RunView): boolean {
  return view.started !== null && areSettingsOf(lesson, view.started.settings)
}

/** What has been seen in a run; nothing in one that the lesson did not set up. */
export function observe(lesson: Lesson, view: RunView): Observation {
  if (view.started === null) return { isMade: false, evidence: 'No run of yours has been started yet.' }
  if (!isRunOf(lesson, view))
    return { isMade: false, evidence: 'The run under way has other settings. Set the lesson up, and start a new run.' }
  return lesson.observe(view)
}
