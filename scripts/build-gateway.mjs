/**
 * `npm run build:gateway`: bundles the gateway into one file, `dist/rlanything-gateway.mjs`, for a head node that has only Node.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleForNode } from './bundle-for-node.mjs'
import { ensure, isMain, root, say } from './ensure.mjs'

export const bundleFile = join(root, 'dist', 'rlanything-gateway.mjs')

export function buildGateway(outDir = join(root, 'dist')) {
  return bundleForNode('src/cli/gateway.ts', outDir, 'rlanything-gateway.mjs', '#!/usr/bin/env node')
}

if (isMain(import.meta.url)) {
  ensure()
  await buildGateway()
  say(
    `dist/rlanything-gateway.mjs: ${(statSync(bundleFile).size / 1e3).toFixed(0)} kB. Copy it to the head node and run it with Node.`,
  )
}
