import { VOTE_WORDS, voteCharts } from '../vote-words.ts'
import type { WorldDescriptor } from '../world.ts'

export const desktop: WorldDescriptor = {
  ...VOTE_WORDS,
  title: 'Desktop',
  about: 'Clicks and words in six applications; a reward model judges every step.',
  sentence:
    'A policy clicks and types on a desktop, a reward model judges every step, and tasks adapt to what the policy can do.',
  nouns: { task: 'task', rollout: 'rollout' },
  titles: { rollouts: 'Trajectories', tasks: 'Tasks', imports: 'Try a task' },
  rollouts: {
    help: [
      'All rollouts of one task in one iteration. A cell is a step; its number is the advantage A that trains the policy: blue is encouraged, orange discouraged. A step is compared with the same step of the other rollouts, so read down a column.',
      'O is the outcome, S a vote of the reward model, R = O + λ · mean S. Nothing is won without saying done, and nothing else on the desktop may have changed. Choose a cell to see how its numbers came about. Drag λ to see what it would change.',
    ],
    none: 'No rollouts yet. Press Run, and the first trajectories appear here step by step.',
    tasks: 'Tasks of this iteration',
  },
  noEffect: 'Nothing happens.',
  presets: {
    own: 'desktop',
    reference: 'reference',
    overlays: ['reference', 'grpo', 'frozen-judge', 'policy-reward', 'full', 'step-frozen', 'step-trained', 'phone'],
  },
  own: { names: ['screen'], elsewhere: 'they belong to the desktop' },
  irrelevant: [],
  settingWords: {},
  charts: voteCharts(
    'Share of episodes solved: on held-out tasks in familiar layouts (in distribution), in the browser, over two applications, or with pairs of things and in layouts never trained on (out of distribution), and on the training tasks of the iteration. Held-out tasks are played at the evaluation temperature, which is greedy unless you change it, and, “sampled”, at the policy temperature.',
  ),
  imports: null,
  releasedSystem: 'osworld',
  publishesPlayedTasks: false,
  openingFailure: () => ({
    what: 'The desktop could not be opened.',
    remedy: 'Reload the page and start the run again.',
  }),
}
