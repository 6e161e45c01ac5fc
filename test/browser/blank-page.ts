/** A blank page with the exports of one source file as globals. Sources are served without a build. */
import { fileURLToPath } from 'node:url'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import { useBrowser, type OpenedPage } from './harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `file` is relative to the repository's root. Returns a function that opens a fresh page, and the page's address. */
export function useBlankPage(file: string): { open: () => Promise<OpenedPage>; address: () => string } {
  const open = useBrowser()
  let server: ViteDevServer
  const address = () => `${server.resolvedUrls?.local[0] ?? ''}blank`
  beforeAll(async () => {
    server = await createServer({
      root,
      configFile: false,
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 4500, strictPort: false, hmr: false, ws: false },
      appType: 'custom',
      cacheDir: '.cache/vite-store-test',
      optimizeDeps: { include: ['idb'], entries: [] },
      plugins: [
        {
          name: 'blank-page',
          configureServer({ middlewares }) {
            middlewares.use('/blank', (_request, response) => {
              response.setHeader('content-type', 'text/html')
              const script = `import * as exported from '/${file}'; Object.assign(globalThis, exported)`
              response.end(`<!doctype html><title>blank</title><script type="module">${script}</script>`)
            })
          },
        },
      ],
    })
    await server.listen()
  })
  afterAll(() => server.close())
  return { open: () => open(address()), address }
}
