import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'
import type { ShippedFile } from './src/playground/service-worker.ts'

// That plugins take most of a build's time is no news worth a warning.
const rolldownOptions = { checks: { bundlerTimings: false } }

/** The bundler's name for what the page imports before it is drawn. */
const INITIAL = '$initial' as const

/**
 * That in two files: left to itself, the bundler makes one for each set of views that share it, 45 requests. One file alone would
 * take the main thread longer than 50 ms to take in.
 */
const FIRST_CHUNKS = [
  { name: 'libraries', tags: [INITIAL], test: /\/node_modules\// },
  { name: 'page', tags: [INITIAL], test: (id: string) => !id.includes(SERVICE_WORKER) },
]

/** Beside the page, under a name that stays: a browser looks there for the next version. */
const SERVICE_WORKER = 'service-worker'

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Tells the service worker everything that is shipped, public files included, with the hash of its content. */
function listShipped(): Plugin {
  let folder = ''
  let isFailed = false
  return {
    name: 'list-shipped',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir)
    },
    // Called for a build that has failed as well, whose own error is the one to be told.
    buildEnd(error) {
      isFailed = error !== undefined
    },
    closeBundle() {
      if (isFailed) return
      const own = join(folder, `${SERVICE_WORKER}.js`)
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((file) => file !== own)
        .sort()
      const shipped: Record<string, ShippedFile> = {}
      for (const file of files) {
        const content = readFileSync(file)
        shipped[file.slice(folder.length + 1).replaceAll(sep, '/')] = {
          hash: sha256(content),
          ...(file.endsWith('.gz') && { unpackedHash: sha256(gunzipSync(content)) }),
          bytes: content.length,
        }
      }
      writeFileSync(own, `self.shipped=${JSON.stringify(shipped)};\n${readFileSync(own, 'utf8')}`)
    },
  }
}

export default defineConfig({
  // Relative addresses: the build can be served from any folder of any host.
  base: './',
  plugins: [svelte(), listShipped()],
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      ...rolldownOptions,
      input: { index: 'index.html', [SERVICE_WORKER]: `src/playground/${SERVICE_WORKER}.ts` },
      output: {
        entryFileNames: ({ name }) => (name === SERVICE_WORKER ? '[name].js' : 'assets/[name]-[hash].js'),
        codeSplitting: { groups: FIRST_CHUNKS },
      },
    },
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      ...rolldownOptions,
      // A worker's own file is told from a chunk of the same name.
      output: { entryFileNames: 'assets/[name].worker-[hash].js' },
    },
  },
  // Dependencies that only workers import, so that the first load in development does not restart for them.
  optimizeDeps: {
    include: [
      'comlink',
      'idb',
      'valibot',
      '@jitl/quickjs-wasmfile-release-sync/emscripten-module',
      '@jitl/quickjs-wasmfile-release-sync/ffi',
    ],
  },
  // An isolated page, whose threads may share memory. Other sites may still embed it, and it may ask servers that do not know it,
  // which `require-corp` forbids: the check of a gateway does. Safari does not isolate such pages.
  preview: {
    host: 'localhost',
    port: 4173,
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'credentialless',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  },
})
