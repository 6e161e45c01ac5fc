import { isWheel, MiniWob, provideMiniwob } from './miniwob/miniwob.svelte.ts'
import type { WorldPage } from '../world-page.ts'

export const desktopPage: WorldPage = {
  createShelf: () => provideMiniwob(new MiniWob()),
  // The desktop draws its own tasks; what there is to import are pages to evaluate on.
  recognises: () => false,
  claims: isWheel,
  takesUnknownText: false,
  loadImports: () => import('./TryTask.svelte'),
  loadGroup: null,
  theatre: {
    about: 'an episode on its screen, its tokens, and the same task by hand',
    load: () => import('./Theatre.svelte'),
  },
  loadPicture: () => import('./ScreenPicture.svelte'),
  pictureShape: 480 / 640,
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
