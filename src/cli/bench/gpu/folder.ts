/**
 * Makes the folder that measures a graphics adapter on any machine without a network: the suite in one file and as a page, Dawn for
 * Node, the shipped household models, and on request Node itself.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleForNode } from '../../../../scripts/bundle-for-node.mjs'
import { root } from '../../../../scripts/ensure.mjs'
import { ROLES } from '../../../method/ports.ts'
import { shippedModel } from '../../../roles/shipped-models.ts'
import { ArgumentError } from '../../arguments.ts'

const DAWN = join(root, 'node_modules', 'webgpu')
const PAGE = fileURLToPath(new URL('page', import.meta.url))
export const GPU_FOLDER = join(root, '.cache', 'gpu-bench')

export interface FolderOptions {
  /** "linux-x64", a folder of the package `webgpu`. */
  platform: string
  /** Whether to add this Node, for a machine of the same platform that has none. */
  hasNode: boolean
  /** Shared libraries that the other machine lacks, such as libvulkan.so.1. */
  libraries?: readonly string[]
}

/** The platform of this machine, as the package `webgpu` names it. */
export const thisPlatform = () =>
  process.platform === 'darwin' ? 'darwin-universal' : `${process.platform}-${process.arch}`

/** Replaces the folder. Throws ArgumentError if there is no Dawn for the platform. */
export async function makeGpuFolder(
  { platform, hasNode, libraries = [] }: FolderOptions,
  folder = GPU_FOLDER,
): Promise<void> {
  const platforms = readdirSync(join(DAWN, 'dist'))
  if (!platforms.includes(platform))
    throw new ArgumentError(`--platform must be one of ${platforms.join(', ')}, not "${platform}".`)
  if (hasNode && platform !== thisPlatform())
    throw new ArgumentError(
      `--with-node adds this machine's Node, which does not run on ${platform}. Leave it out, or build there.`,
    )
  rmSync(folder, { recursive: true, force: true })
  await bundleForNode('src/cli/bench/gpu/run.ts', folder, 'run.mjs')
  if (!existsSync(join(folder, 'run.mjs'))) throw new Error(`The bundler wrote no run.mjs to ${folder}.`)
  await bundlePage(join(folder, 'page'))
  for (const file of ['package.json', 'index.js', 'LICENSE.md', join('dist', platform)]) {
    const to = join(folder, 'node_modules', 'webgpu', file)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(join(DAWN, file), to, { recursive: true })
  }
  for (const role of ROLES) {
    const name = shippedModel('household', role)
    cpSync(join(root, 'public', 'models', name), join(folder, 'models', name), { recursive: true })
  }
  for (const library of libraries) {
    if (!existsSync(library)) throw new ArgumentError(`--library: there is no file ${library}.`)
    cpSync(library, join(folder, 'lib', basename(library)), { dereference: true })
  }
  if (hasNode) copyFileSync(process.execPath, join(folder, basename(process.execPath)))
}

/** The page for --browser. */
async function bundlePage(outDir: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    root: PAGE,
    base: './',
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: { target: 'es2022', outDir, emptyOutDir: true, chunkSizeWarningLimit: 2000 },
    worker: { format: 'es' },
  })
}

export function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
