import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  // Relative addresses: the build can be served from any folder of any host.
  base: './',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1500,
  },
  worker: {
    format: 'es',
  },
  // Dependencies that only workers import, so that the first load in development does not restart for them.
  optimizeDeps: {
    include: ['comlink', 'idb', 'pure-rand', 'valibot'],
  },
  preview: { host: 'localhost', port: 4173 },
})
