/** Language models on both backends of one page. The page and its workers are built only for these tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { build, preview, type PreviewServer } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import type { Remoted } from '../../src/threads/worker-bridge.ts'
import type { BackendName } from '../../src/language-model/backends/backend.ts'
import type { ModelScope } from './fixtures/language-model-page.ts'
import type { ModelOnBackend } from './fixtures/language-model-worker.ts'
import { useBrowser } from './harness.ts'

export type RemoteModel = Remoted<ModelOnBackend>

/** Returns a function that opens the page, whose `on` calls the model's thread with that backend. */
export function useLanguageModels(
  flags: readonly string[] = [],
): () => Promise<{ page: Page; errors: string[]; on: (backend: BackendName) => RemoteModel }> {
  const open = useBrowser(flags)
  const folder = mkdtempSync(join(tmpdir(), 'language-models-'))
  let server: PreviewServer
  beforeAll(async () => {
    const root = fileURLToPath(new URL('./fixtures', import.meta.url))
    const outDir = join(folder, 'dist')
    await build({
      root,
      base: './',
      configFile: false,
      logLevel: 'error',
      worker: { format: 'es' },
      build: {
        outDir,
        target: 'es2022',
        minify: false,
        reportCompressedSize: false,
        emptyOutDir: false,
        chunkSizeWarningLimit: Infinity,
        rollupOptions: { input: join(root, 'language-model.html') },
      },
    })
    server = await preview({
      root,
      configFile: false,
      logLevel: 'silent',
      build: { outDir },
      preview: { host: '127.0.0.1', port: 4500, strictPort: false },
    })
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })
  return async () => {
    const { page, errors } = await open(`${server.resolvedUrls?.local[0] ?? ''}language-model.html`)
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
