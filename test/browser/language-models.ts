/** Language models on both backends of one page. */
import type { Page } from 'playwright-core'
import type { Remoted } from '../../src/threads/worker-bridge.ts'
import type { BackendName } from '../../src/language-model/backends/backend.ts'
import type { ModelScope } from './fixtures/language-model-page.ts'
import type { ModelOnBackend } from './fixtures/language-model-worker.ts'
import { useFixturePage } from './fixture-page.ts'
import { useBrowser } from './harness.ts'

export type RemoteModel = Remoted<ModelOnBackend>

/** Returns a function that opens the page, whose `on` calls the model's thread with that backend. */
export function useLanguageModels(
  flags: readonly string[] = [],
): () => Promise<{ page: Page; errors: string[]; on: (backend: BackendName) => RemoteModel }> {
  const open = useBrowser(flags)
  const fixture = useFixturePage('language-model')
  return async () => {
    const { page, errors } = await open(fixture.address)
    return { page, errors, on: (backend) => remoteModel(page, backend) }
  }
}

function remoteModel(page: Page, backend: BackendName): RemoteModel {
  return new Proxy({} as RemoteModel, {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        page.evaluate(
          ([name, called, passed]) => {
            const { callModel } = globalThis as unknown as ModelScope
            return callModel(name, called, passed)
          },
          [backend, method as keyof RemoteModel, args] as const,
        ),
  })
}
