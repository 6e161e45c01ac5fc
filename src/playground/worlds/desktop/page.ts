import type { WorldPage } from '../world-page.ts'

export const desktopPage: WorldPage = {
  // There is nothing to import.
  createShelf: () => ({
    look: () => Promise.resolve(),
    areThere: false,
    takeDropped: () => Promise.resolve(false),
    news: { failures: [], imports: [] },
  }),
  recognises: () => false,
  takesUnknownText: false,
  loadImports: () => import('./TryTask.svelte'),
  loadGroup: null,
  theatre: {
    about: 'an episode on its screen, its tokens, and the same task by hand',
    load: () => import('./Theatre.svelte'),
  },
  loadPicture: () => import('./ScreenPicture.svelte'),
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
