/** The suites in a headless Chromium: the page is served by Vite, isolated or not, that is with threads for those who have them or without. */
import { fileURLToPath } from 'node:url'
import { createServer, type Plugin } from 'vite'
import { launchBrowser } from '../../../scripts/browser.mjs'
import type { SuiteContext } from '../../bench/suite.ts'
import type { PageRequest } from './page.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const MODULE = '/src/cli/bench-page.ts'

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** Peers that Vite would otherwise come across one after the other, reloading the page each time. */
const PEERS = [
  '@huggingface/transformers',
  '@jax-js/jax',
  '@tensorflow/tfjs-backend-cpu',
  '@tensorflow/tfjs-backend-wasm',
  '@tensorflow/tfjs-backend-webgpu',
  '@tensorflow/tfjs-core',
  'onnxruntime-web/wasm',
  'valibot',
]

/** One for everybody, or as many as each takes, for which the page has to be isolated. */
export type Threads = 'one' | 'many'

/** Runs a suite in the browser. Rejects with what went wrong there. */
export async function runInBrowser(
  request: Omit<PageRequest, 'place' | 'folders'>,
  threads: Threads,
  context: SuiteContext,
  flags: readonly string[] = [],
): Promise<void> {
  const headers = threads === 'many' ? ISOLATION : {}
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    cacheDir: fileURLToPath(new URL('../../node_modules/.vite-bench', import.meta.url)),
    server: { host: '127.0.0.1', port: 4400, headers, hmr: false, watch: null },
    optimizeDeps: { include: PEERS, noDiscovery: true },
    plugins: [emptyPage(headers)],
    appType: 'custom',
  })
  const browser = await launchBrowser({ flags })
  try {
    await server.listen()
    const address = server.resolvedUrls!.local[0]!
    const page = await browser.newPage()
    // A peer can take a minute for what is one call here.
    page.setDefaultTimeout(0)
    await page.exposeFunction('benchReport', context.report)
    await page.exposeFunction('benchProgress', context.progress)
    page.on('pageerror', (error) => context.progress(`The page reports: ${error.message}`))
    await page.goto(address)
    await page.waitForFunction(() => 'runBenchSuite' in window)
    await page.evaluate((asked) => window.runBenchSuite(asked), {
      ...request,
      place: `Chromium ${browser.version().split('.')[0]}${threads === 'many' ? '' : ', not isolated'}`,
      folders: {
        tfjs: `${address}node_modules/@tensorflow/tfjs-backend-wasm/dist/`,
        onnxRuntime: `${address}node_modules/onnxruntime-web/dist/`,
      },
    })
  } finally {
    await browser.close()
    await server.close()
  }
}

function emptyPage(headers: Readonly<Record<string, string>>): Plugin {
  const html = `<!doctype html><title>Benchmark</title><script type="module" src="${MODULE}"></script>`
  return {
    name: 'bench-page',
    configureServer(server) {
      server.middlewares.use('/', (request, response, next) => {
        if (request.url !== '/') return next()
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        response.setHeader('Content-Type', 'text/html')
        response.end(html)
      })
    },
  }
}
