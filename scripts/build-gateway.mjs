/**
 * `npm run build:gateway`: bundles the gateway into one file, `dist/rlanything-gateway.mjs`, for a head node that has only Node.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ensure, isMain, root, say } from './ensure.mjs'

export const bundleFile = join(root, 'dist', 'rlanything-gateway.mjs')

export async function buildGateway(outDir = join(root, 'dist')) {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    // Everything but Node's own modules goes into the file.
    ssr: { noExternal: true },
    build: {
      ssr: 'src/cli/gateway.ts',
      target: 'node20',
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        output: {
          entryFileNames: 'rlanything-gateway.mjs',
          banner: '#!/usr/bin/env node',
          codeSplitting: false,
        },
      },
    },
  })
}

if (isMain(import.meta.url)) {
  ensure()
  await buildGateway()
  say(
    `dist/rlanything-gateway.mjs: ${(statSync(bundleFile).size / 1e3).toFixed(0)} kB. Copy it to the head node and run it with Node.`,
  )
}
