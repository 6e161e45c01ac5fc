import { VOTE_WORDS, voteCharts } from '../vote-words.ts'
import type { WorldDescriptor } from '../world.ts'

export const own: WorldDescriptor = {
  ...VOTE_WORDS,
  title: 'Your world',
  about: 'A world from a file of yours; a reward model judges every step.',
  sentence: 'A policy acts in your world, a reward model judges every step, and tasks adapt to what the policy can do.',
  nouns: { task: 'task', rollout: 'rollout' },
  titles: { rollouts: 'Trajectories', tasks: 'Tasks', imports: 'Your world' },
  rollouts: {
    help: [
      'All rollouts of one task in one iteration. A cell is a step; its number is the advantage A that trains the policy: blue is encouraged, orange discouraged. A step is compared with the same step of the other rollouts, so read down a column.',
      'O is the outcome, S a vote of the reward model, R = O + λ · mean S. Choose a cell to see how its numbers came about. Drag λ to see what it would change.',
    ],
    none: 'No rollouts yet. Press Run, and the first trajectories appear here step by step.',
    tasks: 'Tasks of this iteration',
  },
  noEffect: null,
  presets: {
    own: 'own',
    reference: 'reference',
    overlays: ['reference', 'grpo', 'frozen-judge', 'policy-reward', 'full', 'step-frozen', 'step-trained', 'phone'],
  },
  own: { names: [], elsewhere: 'they belong to your world' },
  irrelevant: [],
  settingWords: {},
  charts: voteCharts(
    'Share of episodes solved: on held-out tasks of your world’s splits “id” (in distribution) and “ood” (out of distribution), and on the training tasks of the iteration. Held-out tasks are played at the evaluation temperature, which is greedy unless you change it, and, “sampled”, at the policy temperature.',
  ),
  imports: null,
  releasedSystem: null,
  publishesPlayedTasks: false,
  openingFailure: (error) => ({
    what: 'Your world could not be opened.',
    remedy:
      error === 'OwnWorldError'
        ? 'Correct the file and drop it on the page again.'
        : error === 'NoWorldFileError'
          ? 'Drop the file of your world on the page, or choose it under Set up, Games and problems.'
          : 'Reload the page and start the run again.',
  }),
}
