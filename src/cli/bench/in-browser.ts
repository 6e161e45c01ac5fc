/** Runs suites in a headless Chromium. Vite serves the page, isolated or not: peers only have threads in an isolated page. */
import { fileURLToPath } from 'node:url'
import { createServer, type Plugin } from 'vite'
import { launchBrowser } from '../../../scripts/browser.mjs'
import type { SuiteContext } from '../../bench/suite.ts'
import type { PageRequest } from './page.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const MODULE = '/src/cli/bench/page.ts'

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** Peers, listed so that Vite does not discover them one by one and reload the page each time. */
const PEERS = [
  '@huggingface/transformers',
  '@jax-js/jax',
  '@tensorflow/tfjs-backend-cpu',
  '@tensorflow/tfjs-backend-wasm',
  '@tensorflow/tfjs-backend-webgpu',
  '@tensorflow/tfjs-core',
  '@huggingface/tokenizers',
  'comlink',
  'onnxruntime-web/wasm',
  'valibot',
]

/** One thread for all subjects, or as many as each takes, which requires an isolated page. */
export type Threads = 'one' | 'many'

/** Runs a suite in the browser. Rejects with the browser's error. */
export async function runInBrowser(
  request: Omit<PageRequest, 'place' | 'folders'>,
  threads: Threads,
  context: SuiteContext,
  flags: readonly string[] = [],
): Promise<void> {
  const { suite } = request
  const headers = threads === 'many' ? ISOLATION : {}
  const fs = { allow: suite.name === 'cores' ? [root, suite.folder] : [root] }
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    cacheDir: fileURLToPath(new URL('../../../node_modules/.vite-bench', import.meta.url)),
    server: { host: '127.0.0.1', port: 4400, headers, hmr: false, watch: null, fs },
    optimizeDeps: { include: PEERS, noDiscovery: true },
    plugins: [emptyPage(headers)],
    appType: 'custom',
  })
  const browser = await launchBrowser({ flags })
  try {
    await server.listen()
    const address = server.resolvedUrls!.local[0]!
    const page = await browser.newPage()
    // A single call of a slow peer can take a minute.
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
