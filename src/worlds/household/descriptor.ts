import { VOTE_WORDS, voteCharts } from '../vote-words.ts'
import type { WorldDescriptor } from '../world.ts'

export const household: WorldDescriptor = {
  ...VOTE_WORDS,
  title: 'Household',
  about: 'Commands in rooms; a reward model judges every step.',
  sentence: 'A policy acts, a reward model judges every step, and tasks adapt to what the policy can do.',
  nouns: { task: 'task', rollout: 'rollout' },
  titles: { rollouts: 'Trajectories', tasks: 'Tasks', imports: 'Games' },
  rollouts: {
    help: [
      'All rollouts of one task in one iteration. A cell is a step; its number is the advantage A that trains the policy: blue is encouraged, orange discouraged. A step is compared with the same step of the other rollouts, so read down a column.',
      'O is the outcome, S a vote of the reward model, R = O + λ · mean S. Choose a cell to see how its numbers came about. Below the table, R of its rollout is split into its shares. Drag λ to see what it would change.',
    ],
    none: 'No rollouts yet. Press Run, and the first trajectories appear here step by step.',
    tasks: 'Tasks of this iteration',
  },
  noEffect: 'Nothing happens.',
  presets: {
    own: 'household',
    reference: 'reference',
    overlays: ['reference', 'grpo', 'frozen-judge', 'policy-reward', 'full', 'step-frozen', 'step-trained', 'phone'],
  },
  own: { names: ['games', 'dialect', 'explainRefusals'], elsewhere: 'they belong to the household' },
  irrelevant: [],
  settingWords: {},
  charts: voteCharts(
    'Share of episodes solved: on held-out tasks of known kinds (in distribution), in rooms or of kinds never trained on (out of distribution), and on the training tasks of the iteration. Held-out tasks are played at the evaluation temperature, which is greedy unless you change it, and, “sampled”, at the policy temperature.',
  ),
  imports: {
    setting: 'games',
    value: 'official',
    name: 'ALFWorld games',
    missing: 'Official: import ALFWorld’s games first, under Games.',
    path: "the zip or folder of ALFWorld's released games",
    usage: "plays ALFWorld's own games: the released zip, its unpacked folder or part of it",
  },
  releasedSystem: 'alfworld',
  publishesPlayedTasks: false,
  openingFailure(error, isResumed) {
    const what = 'The household could not be opened.'
    if (error !== 'NoGamesError') {
      return { what, remedy: 'Reload the page and start the run again; generated rooms need no imported games.' }
    }
    const later = isResumed ? ', then reload the page and resume the run' : ', or choose generated rooms there'
    return {
      what,
      remedy: `Import them under Games${later}. A run without evaluation (Evaluate every: 0) needs none of the valid folders.`,
    }
  },
}
