/**
 * Lessons as data: settings to start with, a few words, what to do, and an observation that the page makes by itself in the
 * run's own events (lesson-observations.ts). A lesson is learned when its observation is really there, not when it was read.
 */
import type { RunView } from '../../method/fold.ts'
import { parseSettings, type LivePatch, type PresetName, type Settings } from '../../method/settings.ts'
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
} from './lesson-observations.ts'

export interface Observation {
  isMade: boolean
  /** What has been seen so far, in numbers, or what is missing. */
  evidence: string
}

export interface LessonStep {
  text: string
  /** A change that the page can make for a person while the run goes. */
  change?: LivePatch
}

export interface Lesson {
  id: string
  title: string
  preset: PresetName
  /** Laid over the preset. */
  difference: Partial<Settings>
  text: string
  steps: readonly LessonStep[]
  /** What is to be seen, in one sentence. */
  expected: string
  observe: (view: RunView) => Observation
}

export const LESSONS: readonly Lesson[] = [
  {
    id: 'sparse',
    title: 'An outcome alone says little',
    preset: 'household',
    difference: { signal: 'outcome' },
    text: 'With R = O, all steps of a trajectory get the same feedback, and where all rollouts that reached a step ended alike, nothing can be told apart. The votes of the reward model fill these sets in.',
    steps: [
      { text: 'Run two iterations with the outcome alone.' },
      { text: 'Then let the votes count as well.', change: { signal: 'integrated' } },
      { text: 'Run two more.' },
    ],
    expected: 'With votes, fewer comparison sets are without spread than with the outcome alone.',
    observe: sparserOutcome,
  },
  {
    id: 'lambda',
    title: 'What λ does, up to reward hacking',
    preset: 'household',
    difference: { lambda: 0 },
    text: 'At λ = 0 a step of a failed trajectory can never beat one of a solved trajectory. The larger λ is, the more a vote can outweigh what really happened, and a policy that only pleases the judge is encouraged too.',
    steps: [
      { text: 'Run an iteration at λ = 0.' },
      { text: 'Then let the votes outweigh the outcome eightfold.', change: { lambda: 8 } },
      { text: 'Run another.' },
    ],
    expected: 'At large λ clearly more steps of failed trajectories are encouraged than at λ = 0.',
    observe: lambdaRewardsFailure,
  },
  {
    id: 'consistency',
    title: 'Why consistency feedback works',
    preset: 'household',
    difference: { trainReward: true },
    text: 'The reward model is taught R · S: a vote is worth something where it agrees with the outcome and with the other votes. No one tells it the true label of a step, and yet it comes to know it better.',
    steps: [{ text: 'Run ten iterations or more.' }],
    expected: 'Process accuracy of the last three iterations is at least two points above that of the first three.',
    observe: consistencyPays,
  },
  {
    id: 'collapse',
    title: 'When the reward model collapses to −1',
    preset: 'household',
    difference: { rewardAccuracyLow: 0, rewardAccuracyHigh: 1, adaptEnvironment: false },
    text: 'Where every rollout fails, O = −1 and R is never positive, so R · S encourages every −1, whatever the step was. Left to such tasks alone, a reward model learns to say −1. That is why tasks outside the band do not teach it.',
    steps: [{ text: 'Run until a few tasks have been failed by all their rollouts.' }],
    expected:
      'On tasks that nobody solved, votes of −1 are encouraged and votes of +1 discouraged, on average over 50 or more.',
    observe: collapseTaught,
  },
  {
    id: 'difficulty',
    title: 'Why difficulty must be balanced',
    preset: 'household',
    difference: { adaptEnvironment: false, tasksPerIteration: 2 },
    text: 'What the reward model is taught is E[O·S] = a(2p₊ − 1) + (1 − a)(2p₋ − 1). Only at a = 1/2 is that μ − 1, the quality of its votes; elsewhere one kind of mistake counts more. The theory panel has sliders for it.',
    steps: [
      { text: 'Run until there was a balanced iteration and a lopsided one; two tasks at a time make both likely.' },
    ],
    expected: 'E[O·S] is further from μ − 1 in lopsided iterations (a below 0.3 or above 0.7) than in balanced ones.',
    observe: lopsidedTeaching,
  },
  {
    id: 'acceptance',
    title: 'Acceptance is noisy where G is small',
    preset: 'household',
    difference: { groupSize: 2 },
    text: 'acc(q′) is measured with G rollouts. With two of them it is 0, 1/2 or 1, and one rollout that goes the other way changes the verdict on a rewrite.',
    steps: [{ text: 'Run until four rewrites have been measured.' }],
    expected: 'At least half of the verdicts would be different if a single rollout had ended differently.',
    observe: fragileAcceptance,
  },
  {
    id: 'ablations',
    title: 'One component at a time',
    preset: 'household',
    difference: {},
    text: 'The paper’s ablations freeze components. The buttons beside Step go further: one iteration in which one component alone changes.',
    steps: [{ text: 'Press Policy beside Step, and when it has paused, Reward model.' }],
    expected: 'There is an iteration in which only the policy was updated, and one in which only the reward model was.',
    observe: componentsAlone,
  },
  {
    id: 'out-of-distribution',
    title: 'What is learned, and how far it carries',
    preset: 'household',
    difference: { evaluateEvery: 1 },
    text: 'Held-out tasks come in two kinds: new tasks of the kinds that were trained on, and pairs of objects and places that were never asked for.',
    steps: [{ text: 'Run until both have been measured three times.' }],
    expected: 'Accuracy on out-of-distribution tasks is lower, on average over three evaluations or more.',
    observe: heldOutGap,
  },
  {
    id: 'released',
    title: 'The released code beside the formula',
    preset: 'reference',
    difference: {},
    text: 'The released code standardises the worth of a vote over the m votes of its own step. R is then a common factor: where the votes agree, they teach nothing, right or wrong. The formula compares over trajectories, and they do.',
    steps: [{ text: 'Run an iteration or two, in which some tasks are solved now and then.' }],
    expected:
      'Twenty steps or more with unanimous votes train nothing, and the paper’s grouping would have trained on more votes.',
    observe: silentUnanimity,
  },
  {
    id: 'lies',
    title: 'A test that lies costs its writer',
    preset: 'coding',
    difference: {},
    text: 'In the coding setting the reward model writes tests without having seen a program. Nobody tells it which of them are true. But correct programs fail a false one, so its consistency feedback is low.',
    steps: [{ text: 'Run until five false tests and five true ones have been valued.' }],
    expected: 'The mean advantage of false tests is below that of true ones.',
    observe: liesAreCostly,
  },
]

export function lessonSettings({ preset, difference }: Lesson): Settings {
  return parseSettings(difference, preset)
}

/** Settings that make a run one of the lesson's: its difference, and those that its preset differs in. */
export function isRunOf(lesson: Lesson, view: RunView): boolean {
  const started = view.started?.settings
  if (!started) return false
  const wanted = lessonSettings(lesson)
  const decisive: (keyof Settings)[] = ['setting', 'profile', ...(Object.keys(lesson.difference) as (keyof Settings)[])]
  if (lesson.preset === 'reference') decisive.push('rewardGrouping')
  return decisive.every((name) => started[name] === wanted[name])
}

/** What has been seen in a run; nothing in one that the lesson did not set up. */
export function observe(lesson: Lesson, view: RunView): Observation {
  if (view.started === null) return { isMade: false, evidence: 'No run of yours has been started yet.' }
  if (!isRunOf(lesson, view))
    return { isMade: false, evidence: 'The run under way has other settings. Set the lesson up, and start a new run.' }
  return lesson.observe(view)
}
