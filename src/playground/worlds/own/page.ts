import type { WorldPage } from '../world-page.ts'
import { openCheckWorker } from './check-worker.ts'
import { OwnWorlds, provideOwnWorlds } from './own-worlds.svelte.ts'
import { isOfWorld } from './world-models.ts'

export const ownPage: WorldPage = {
  createShelf: () => provideOwnWorlds(new OwnWorlds(openCheckWorker)),
  // Worlds are code, and recognised by the names of their files.
  recognises: () => false,
  claims: isOfWorld,
  takesUnknownText: false,
  loadImports: () => import('./YourWorld.svelte'),
  loadGroup: null,
  theatre: null,
  loadPicture: () => import('./EpisodeText.svelte'),
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
