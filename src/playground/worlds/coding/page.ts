import { openProblemsWorker } from './problems-worker.ts'
import type { WorldPage } from '../world-page.ts'
import { Problems, provideProblems } from './problems.svelte.ts'

export const codingPage: WorldPage = {
  createShelf: () => provideProblems(new Problems(openProblemsWorker)),
  recognises: (head) => head.startsWith('[') || /"(?:question|test_input|test_method)"\s*:/.test(head),
  takesUnknownText: true,
  loadImports: () => import('./Problems.svelte'),
  loadGroup: () => import('./ProgramGroup.svelte'),
  theatre: null,
  loadPicture: () => import('./TestsPicture.svelte'),
  pictureShape: null,
  loadTaskDetails: async () => (await import('./task-details.ts')).TASK_DETAILS,
}
