import { VOTE_WORDS, voteCharts, votePresets, voteRollouts } from '../vote-words.ts'
import type { WorldDescriptor } from '../world.ts'

export const own: WorldDescriptor = {
  ...VOTE_WORDS,
  title: 'Your world',
  about: 'A world from a file of yours; a reward model judges every step.',
  sentence: 'A policy acts in your world, a reward model judges every step, and tasks adapt to what the policy can do.',
  titles: { rollouts: 'Trajectories', tasks: 'Tasks', imports: 'Your world' },
  rollouts: voteRollouts(),
  noEffect: null,
  kindEnds: '/',
  presets: votePresets('own'),
  own: { names: [], elsewhere: 'they belong to your world' },
  // There are no fixed trajectories that could measure its reward model.
  charts: voteCharts('of your world’s splits “id” (in distribution) and “ood” (out of distribution)').filter(
    ({ id }) => !id.startsWith('judge'),
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
