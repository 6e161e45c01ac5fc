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
  theatre: {
    about: 'an episode as your world draws it, the rollouts side by side, tokens, and the same task by hand',
    load: () => import('./Theatre.svelte'),
  },
  loadPicture: () => import('./Picture.svelte'),
  pictureShape: null,
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
