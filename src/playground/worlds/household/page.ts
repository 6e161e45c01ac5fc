import { openGamesWorker } from './games-worker.ts'
import type { WorldPage } from '../world-page.ts'
import { Games, provideGames } from './games.svelte.ts'

export const householdPage: WorldPage = {
  createShelf: () => provideGames(new Games(openGamesWorker)),
  // Games come as zips and folders.
  recognises: () => false,
  takesUnknownText: false,
  loadImports: () => import('./Games.svelte'),
  loadGroup: null,
  theatre: {
    about: 'an episode in its rooms, its tokens, and the same task by hand',
    load: () => import('./Theatre.svelte'),
  },
  loadPicture: () => import('./room/RoomPicture.svelte'),
  pictureShape: 300 / 480,
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
