import { VOTE_WORDS, voteCharts, votePresets, voteRollouts } from '../vote-words.ts'
import type { WorldDescriptor } from '../world.ts'

export const desktop: WorldDescriptor = {
  ...VOTE_WORDS,
  title: 'Desktop',
  about: 'Clicks and words in six applications; a reward model judges every step.',
  sentence:
    'A policy clicks and types on a desktop, a reward model judges every step, and tasks adapt to what the policy can do.',
  titles: { rollouts: 'Trajectories', tasks: 'Tasks', imports: 'Try a task' },
  rollouts: voteRollouts('Nothing is won without saying done, and nothing else on the desktop may have changed.'),
  kindEnds: '/',
  noEffect: 'Nothing happens.',
  presets: votePresets('desktop'),
  own: { names: ['desktopTasks', 'screen'], elsewhere: 'they belong to the desktop' },
  charts: voteCharts(
    'in familiar layouts (in distribution), in the browser, over two applications, or with pairs of things and in layouts never trained on (out of distribution)',
  ),
  imports: null,
  releasedSystem: 'osworld',
  publishesPlayedTasks: false,
  openingFailure: (error) => ({
    what: 'The desktop could not be opened.',
    remedy:
      error === 'NoTasksError'
        ? 'Make one under Set up, Games and problems, or choose generated tasks there.'
        : 'Reload the page and start the run again.',
  }),
}
