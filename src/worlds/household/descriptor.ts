import { VOTE_WORDS, voteCharts, votePresets, voteRollouts } from '../vote-words.ts'
import type { WorldDescriptor } from '../world.ts'

export const household: WorldDescriptor = {
  ...VOTE_WORDS,
  title: 'Household',
  about: 'Commands in rooms; a reward model judges every step.',
  sentence: 'A policy acts, a reward model judges every step, and tasks adapt to what the policy can do.',
  titles: { rollouts: 'Trajectories', tasks: 'Tasks', imports: 'Games' },
  rollouts: voteRollouts('Below the table, R of the chosen rollout is split into its shares.'),
  noEffect: 'Nothing happens.',
  presets: votePresets('household'),
  own: { names: ['games', 'dialect', 'explainRefusals'], elsewhere: 'they belong to the household' },
  charts: voteCharts(
    'in known rooms (in distribution), in rooms and, where games are generated, with pairs of object and place never trained on (out of distribution)',
  ),
  imports: {
    setting: 'games',
    value: 'official',
    name: 'ALFWorld games',
    missing: 'Official: import ALFWorld’s games first, under Set up, Games and problems.',
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
      remedy: `Import or make them under Set up, Games and problems${later}. A run without evaluation (Evaluate every: 0) needs none of the valid folders.`,
    }
  },
}
