import type { WorldPage } from '../world-page.ts'

export const ownPage: WorldPage = {
  createShelf: () => ({
    look: () => Promise.resolve(),
    areThere: false,
    takeDropped: () => Promise.resolve(false),
    news: { failures: [], imports: [] },
  }),
  recognises: () => false,
  takesUnknownText: false,
  loadImports: () => import('./YourWorld.svelte'),
  loadGroup: null,
  theatre: null,
  loadPicture: () => import('./EpisodeText.svelte'),
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
