/**
 * Lessons beside the map under Results: where the judge helps, where the policy pleases it, where it collapses. Their filters and
 * signals are not those of the map.
 * Their settings state what decides the region, so that a change of the preset does not move them.
 *
 * Seen with the shipped household models and seed 0: in `region-please` after 20 iterations, mean vote −0.17 → −0.02, right votes
 * 82 → 75 %, held-out tasks 40.0 → 36.5 %; in `region-collapse`, +1 for good steps 79 → 11 %. Not run: the variations.
 */
import { PRESETS } from '../../../method/presets.ts'
import { ablationLabel } from '../../run/ablations.ts'
import type { Lesson } from './lesson.ts'
import { flipsCost, judgePleased, judgeTurnsStrict, testsBecomeFalse } from './region-observations.ts'

export const REGIONS: readonly Lesson[] = [
  {
    id: 'region-help',
    title: 'Where the judge helps',
    preset: 'household',
    difference: { ...PRESETS['frozen-judge'], voteFlips: 0, policyAccuracyLow: 0, policyAccuracyHigh: 1 },
    text: 'Outcomes are silent about a task that all rollouts fail or solve. There only votes tell steps apart. Whether that raises accuracy is undecided: see “Household, without a filter on tasks” under Results. How good must the judge be? The setting ε turns each vote into its opposite with this probability: E[S′] = (1 − 2ε) E[S].',
    more: `The lesson raises ε during the run and compares what votes encourage. Whether more tasks are solved in the end, one run cannot say: for that, compare the rows “${ablationLabel('grpo', 'household')}” and “${ablationLabel('frozen-judge', 'household')}” over seeds under Runs.`,
    steps: [
      { text: 'Press Run and let three iterations finish with the judge as it is.', press: 'run', iterations: 3 },
      { text: 'Flip four votes in ten, from the next iteration on.', change: { voteFlips: 0.4 } },
      { text: 'Let three more iterations finish.', iterations: 3 },
    ],
    look: {
      Episodes:
        'choose a task with “0 % of 8 solved”: which steps are encouraged, and are they good? Flipped votes are marked.',
      Results: 'the map, without these tasks: does the gain over outcomes alone shrink as ε grows?',
    },
    expected:
      'Where rollouts ended alike, the steps that votes encourage are good more often than those that they discourage, beyond chance; with four flips in ten the difference is at most half as large.',
    variations: [
      { change: { voteFlips: 0.2 }, text: 'Two flips in ten: three votes for each step make up for some of them.' },
      { change: { evaluationsPerStep: 9 }, text: 'Nine votes for each step: does their mean survive more flips?' },
      {
        change: { lambda: 4 },
        text: 'Where outcomes are silent, λ changes nothing, as advantages are standardised. Where they differ it does.',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'runs', 'results'],
    observe: flipsCost,
  },
  {
    id: 'region-please',
    title: 'Where the policy pleases its judge',
    preset: 'household',
    difference: {
      ...PRESETS['step-frozen'],
      voteFlips: 0,
      tasksPerIteration: 16,
      policyLearningRate: 2e-4,
      evaluateEvery: 10,
      evaluationTasks: 100,
    },
    text: 'Here the votes of a frozen judge alone train the policy, as if λ were infinite. No judge is always right, and what it wrongly approves is encouraged like what is right. The policy finds these mistakes: votes rise, and it solves no more tasks than before, or fewer. Nobody has to intend this. Random flips cannot be exploited; it takes a judge whose mistakes can be learned.',
    steps: [{ text: 'Press Run and let twenty iterations finish. This takes several minutes.', press: 'run' }],
    look: {
      Curves:
        '“Votes and outcomes in training” shows both. “Reward-model accuracy in training” falls although “Reward model on fixed trajectories, steps” is flat: the judge is the same, the policy’s steps are not.',
      Episodes: 'choose steps with the vote +1 and the true label −1: what does the judge let pass?',
    },
    expected:
      'The mean vote rises and votes are right less often, both beyond chance, while the policy solves no more held-out tasks than before at temperature 0.',
    variations: [
      {
        change: { signal: 'integrated', lambda: 4 },
        text: 'The outcome counts again, a quarter as much as votes. Is that enough to keep the policy honest?',
      },
      { change: { voteFlips: 0.4 }, text: 'Four flips in ten: do votes still rise?' },
      {
        change: { trainReward: true },
        text: 'The judge learns from outcomes what the policy gets away with. It then has another way to fail, see the next lesson.',
      },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'results'],
    observe: judgePleased,
  },
  {
    id: 'region-collapse',
    title: 'Where the judge collapses',
    preset: 'household',
    difference: {
      ...PRESETS['step-trained'],
      lambda: 1,
      voteFlips: 0,
      tasksPerIteration: 16,
      rewardAccuracyLow: 0,
      rewardAccuracyHigh: 1,
      rewardLearningRate: 5e-5,
      evaluateEvery: 10,
      evaluationTasks: 24,
    },
    text: 'Consistency feedback teaches a vote the sign of $E[R | step] = E[O | step] + λ E[S | step]$. Most rollouts fail, and failed ones are longer, so E[O | step] is below zero even for good steps. Praise lasts only where $λ E[S | step]$ outweighs it. A judge that is wrong equally often about good and bad steps comes to vote −1 on every search.',
    more: 'No filter protects this judge: it learns from votes on tasks of any accuracy. This is decision 4 in docs/decisions, made with a judge that praised too much and so was safe. Decision 13 is the preset’s cure.',
    steps: [{ text: 'Press Run and wait for three evaluations.', press: 'run' }],
    look: {
      Curves:
        '“Reward model on fixed trajectories, steps”: the line for good steps falls while that for bad ones stays at the top.',
      Episodes: 'find a good step of a failed rollout, and compare what its votes of +1 and −1 earned.',
    },
    expected:
      'On fixed trajectories, the judge finds at least ten points fewer of the good steps than before training, and loses at least ten points less on bad ones.',
    variations: [
      {
        change: { lambda: 4 },
        text: 'Votes outweigh outcomes: praise pays again. But then the judge hardly listens to outcomes. What does it learn?',
      },
      {
        change: { voteFlips: 0.2 },
        text: 'Two flips in ten shrink $λ E[S | step]$ to 60 %. Does praise vanish sooner? (Flipped votes are measured flipped.)',
      },
      {
        change: { rewardAccuracyLow: 0.2, rewardAccuracyHigh: 0.8 },
        text: 'The released filter: tasks that nearly all rollouts fail teach nothing. Is the fall slower?',
      },
      {
        change: { rewardAccuracyLow: 0.5, rewardAccuracyHigh: 0.875 },
        text: 'The preset’s filter: only tasks that at least half of the rollouts solve. Does praise last?',
      },
      { change: { trainReward: false }, text: 'A frozen judge is a flat line.' },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'results'],
    observe: judgeTurnsStrict,
  },
  {
    id: 'region-false-tests',
    title: 'Where false tests pay',
    preset: 'coding',
    difference: {
      ...PRESETS['policy-reward'],
      trainPolicy: false,
      lambda: 1,
      voteFlips: 0,
      rewardAccuracyLow: 0.2,
      rewardAccuracyHigh: 0.8,
      rewardLearningRate: 3e-4,
      evaluateEvery: 20,
      evaluationTasks: 8,
    },
    text: 'A test that every program fails scores −1 everywhere. If a share $a$ of the programs is right, consistency feedback pays it (1 − a) |R of wrong programs| − a R of right ones. Where most programs are wrong, this is above zero, and more than a true test earns that lets a wrong program pass. So false tests spread, votes fall, |R| of wrong programs grows, and they pay even more.',
    more: 'The preset avoids this: its writer learns only where at least half of the programs are right, and λ is 0.5 (decision 8 in docs/decisions). This lesson takes both away, and keeps the policy as weak as it starts.',
    steps: [
      {
        text: 'Press Run and wait for three evaluations or more: the fall begins slowly.',
        press: 'run',
      },
    ],
    look: {
      Curves: '“Tests on fixed programs”, and “True tests”: the share that the reference solution passes.',
      Episodes: 'choose a problem with few right programs: what do its tests marked “lies” earn?',
    },
    expected:
      'On fixed problems with fixed programs, at least ten points fewer of the written tests are passed by every right program than before training.',
    variations: [
      {
        change: { rewardAccuracyLow: 0.5, rewardAccuracyHigh: 0.875 },
        text: 'The preset’s filter: false tests cost. Does the share of true ones rise?',
      },
      { change: { lambda: 0.25 }, text: 'A small λ brings the two values of |R| closer together.' },
      { change: { trainReward: false }, text: 'A writer that does not learn is a flat line.' },
    ],
    needs: ['settings', 'loop', 'curves', 'trajectories', 'results'],
    observe: testsBecomeFalse,
  },
]
