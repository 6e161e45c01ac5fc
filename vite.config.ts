import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

// That plugins take most of a build's time is no news worth a warning.
const rolldownOptions = { checks: { bundlerTimings: false } }

/**
 * Every worker is bundled by itself. Three of them are the same model, so that is a chunk of its own: equal contents get
 * equal names, and the browser loads it once. What only WebGPU needs stays a chunk that is loaded on demand.
 */
const MODEL_CHUNK = {
  name: 'model',
  test: (id: string) =>
    /\/(src\/language-model|src\/engines\/tiny\.ts|@tensorflow\/tfjs)/.test(id) &&
    !/\/(backends\/webgpu|tfjs-backend-webgpu)/.test(id),
}

export default defineConfig({
  // Relative addresses: the build can be served from any folder of any host.
  base: './',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1500,
    rolldownOptions,
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      ...rolldownOptions,
      // A worker's own file is told from a chunk of the same name.
      output: { entryFileNames: 'assets/[name].worker-[hash].js', codeSplitting: { groups: [MODEL_CHUNK] } },
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
  preview: { host: 'localhost', port: 4173 },
})
