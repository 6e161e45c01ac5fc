import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

// That plugins take most of a build's time is no news worth a warning.
const rolldownOptions = { checks: { bundlerTimings: false } }

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
    rolldownOptions,
  },
  // Dependencies that only workers import, so that the first load in development does not restart for them.
  optimizeDeps: {
    include: ['comlink', 'idb', 'pure-rand', 'valibot'],
  },
  preview: { host: 'localhost', port: 4173 },
})
