/** Title and question of each table of results. */
import type { TableName } from '../../../results/results-file.ts'

export interface TableTexts {
  title: string
  about: string
}

export const TABLE_TEXTS: Readonly<Record<TableName, TableTexts>> = {
  household: {
    title: 'Household: Table 1',
    about:
      'Does each part help the policy and the judge? The first two rows are the same untrained policy, sampled and at temperature 0: a gain over the second is skill and not steadiness.',
  },
  coding: {
    title: 'Coding: Table 1',
    about: 'The same question for programs (Code) and written tests (UT and Detect).',
  },
  desktop: {
    title: 'Desktop: Table 1',
    about: 'The same question for tasks on a desktop; the paper’s numbers are those of OSWorld.',
  },
  longer: {
    title: 'Household, twice as long',
    about: 'Does the full loop continue to improve, and by how much?',
  },
  unfiltered: {
    title: 'Household, without a filter on tasks',
    about:
      'Which part helps where tasks that all rollouts solve or fail train the policy, too? Outcomes are all the same there, so votes alone rank the steps.',
  },
  'large-pool': {
    title: 'Household, from a larger pool of tasks',
    about: 'Which part helps where most training tasks are played once, and not five times?',
  },
  weighed: {
    title: 'Household, with votes weighed by outcome',
    about: 'Which part helps where votes on successes and on failures of a task teach the reward model equally much?',
  },
  'early-judge': {
    title: 'Household, from an early judge',
    about:
      'Which part helps where the reward model still judges badly at the start, as that of the paper does? Everything else is as in Table 1.',
  },
  signals: {
    title: 'Which signal: Figure 1',
    about: 'Does the policy learn more from outcomes, from the votes of a judge, or from both? Must the judge learn?',
  },
  tasks: {
    title: 'Do adapted tasks help?',
    about:
      'Rewrites by the author, rewrites that change nothing, and tasks that never change, at equal iterations and at equal rollouts.',
  },
  lambda: { title: 'How much votes count: λ', about: 'The full loop with other λ in $R = O + λ S̄$.' },
  'lambda-coding': { title: 'Coding: λ', about: 'The same for programs, where tests vote.' },
  'lambda-desktop': { title: 'Desktop: λ', about: 'The same for tasks on a desktop.' },
  alpha: { title: 'Which tasks are rewritten: α', about: 'The full loop with other bands of accuracy.' },
  votes: { title: 'Votes for each step: m', about: 'The full loop with fewer and more votes for each step.' },
  map: {
    title: 'The map: where does each part help?',
    about:
      'The gain of the full loop in held-out accuracy at temperature 0, by the share ε of votes that are flipped and the skill of the start policy.',
  },
  checks: {
    title: 'Checks of stability',
    about:
      'The judge where a step contradicts the outcome, a run of ten times the length, oscillation, and conflict between what outcomes and votes ask of the policy. A set is the rollouts of one task at one step. Votes and attempts at rewriting count in the last fifth of the iterations.',
  },
  across: {
    title: 'Across worlds',
    about:
      'Does learning in one world help, leave, or harm another? A policy and a reward model that serve both worlds learn in one, and are measured in each.',
  },
}
