/** A page of test/browser/fixtures, which is built and served only for the tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview, type PreviewServer } from 'vite'
import { afterAll, beforeAll } from 'vitest'

const root = fileURLToPath(new URL('./fixtures', import.meta.url))

export interface FixturePage {
  /** Folder of the built page. */
  readonly outDir: string
  /** Address of the server, ending in a slash. */
  readonly origin: string
  /** Address of the page. */
  readonly address: string
}

export interface FixtureOptions {
  /** Served beside the page. */
  publicDir?: string
  /** Folders of packages that replace those of this repository, by name. */
  packages?: Readonly<Record<string, string>>
  isMinified?: boolean
}

/** `name` is that of an HTML file without its ending. The page can be opened once the tests run. */
export function useFixturePage(
  name: string,
  { publicDir, packages = {}, isMinified = false }: FixtureOptions = {},
): FixturePage {
  let folder: string
  let server: PreviewServer
  const outDir = () => join(folder, 'dist')
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), `${name}-`))
    await build({
      root,
      base: './',
      publicDir: publicDir ?? false,
      configFile: false,
      logLevel: 'error',
      worker: { format: 'es' },
      resolve: { alias: packages },
      build: {
        outDir: outDir(),
        target: 'es2022',
        minify: isMinified,
        reportCompressedSize: false,
        emptyOutDir: false,
        chunkSizeWarningLimit: Infinity,
        rollupOptions: { input: join(root, `${name}.html`) },
      },
    })
    server = await preview({
      root,
      configFile: false,
      logLevel: 'silent',
      build: { outDir: outDir() },
      preview: { host: '127.0.0.1', port: 4500, strictPort: false },
    })
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get outDir() {
      return outDir()
    },
    get origin() {
      return server.resolvedUrls!.local[0]!
    },
    get address() {
      return `${this.origin}${name}.html`
    },
  }
}
