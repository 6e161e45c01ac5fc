/**
 * `npm run build:gateway`: bundles the gateway into one file, `dist-gateway/rlanything-gateway.mjs`, for a head node that has only
 * Node. Not in `dist/`, which is published.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleForNode } from './bundle-for-node.mjs'
import { ensure, isMain, root, say } from './ensure.mjs'

const FOLDER = 'dist-gateway'
const FILE = 'rlanything-gateway.mjs'

export function buildGateway(outDir = join(root, FOLDER)) {
  return bundleForNode('src/cli/gateway.ts', outDir, FILE, '#!/usr/bin/env node')
}

if (isMain(import.meta.url)) {
  ensure()
  await buildGateway()
  say(
    `${FOLDER}/${FILE}: ${(statSync(join(root, FOLDER, FILE)).size / 1e3).toFixed(0)} kB. Copy it to the head node and run it with Node.`,
  )
}
