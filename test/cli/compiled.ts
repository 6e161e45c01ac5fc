/**
 * Compiles commands, and the workers that they start, to JavaScript. A process that runs them starts in a third of the time, and each
 * of its threads in a quarter, because nothing has to be translated from TypeScript module by module. What is compiled reads the
 * project's files where they are.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import { relaxedSimdFlags, root } from '../../scripts/ensure.mjs'

/** Modules that a command starts by address instead of importing them. */
const STARTED = [
  ...['model', 'judge', 'own-world'].map((name) => `workers/${name}.ts`),
  'src/engines/backends/node-graphics-probe.ts',
]

const nameOf = (file: string) => basename(file, '.ts')

/** Replaces the first module of a thread, which would translate the worker. */
const BOOTSTRAP = `import { workerData } from 'node:worker_threads'
const [, name] = /([^/]+)\\.ts$/.exec(workerData.entry)
await import(\`./\${name}.js\`)
`

/** Replaces a text that must be there. */
function replaced(code: string, part: RegExp, by: string): string {
  if (!part.test(code)) throw new Error(`Compiled commands expect ${part} in the source.`)
  return code.replaceAll(new RegExp(part, 'g'), by)
}

/** Keeps addresses relative to the sources, apart from those of modules that are compiled too. */
function addresses(folder: string): Plugin {
  const address = (file: string) => JSON.stringify(pathToFileURL(file).href)
  return {
    name: 'addresses',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith('/src/threads/node-threads.ts'))
        return replaced(code, /import\.meta\.url/, address(join(folder, 'node-threads.js')))
      if (id.endsWith('/src/engines/backends/node-graphics.ts'))
        return replaced(
          code,
          /new URL\('\.\/node-graphics-probe\.ts', import\.meta\.url\)/,
          `new URL(${address(join(folder, 'node-graphics-probe.js'))})`,
        )
      // Hidden from the bundler of the page, which must not have it.
      if (id.endsWith('/src/engines/transformer/model-files.ts'))
        return replaced(
          code,
          /import\(\s*\/\* @vite-ignore \*\/ folders\s*\)/,
          `import('../../language-model/files/folder-reader.ts')`,
        )
      return code.includes('import.meta.url') ? code.replaceAll('import.meta.url', address(id)) : undefined
    },
  }
}

async function compile(commands: readonly string[], folder: string): Promise<void> {
  const modules = [...commands.map((name) => `src/cli/${name}.ts`), ...STARTED]
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [addresses(folder)],
    // Packages are bundled too: reading TensorFlow.js from its own files takes half of a process's start.
    ssr: { noExternal: true, external: ['vite', 'playwright-core'] },
    build: {
      ssr: true,
      target: 'node20',
      outDir: folder,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries(modules.map((file) => [nameOf(file), resolve(root, file)])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'parts/[name]-[hash].js' },
      },
    },
  })
  writeFileSync(join(folder, 'node-bootstrap.mjs'), BOOTSTRAP)
}

/** Compiles commands of src/cli before the file's tests. Returns Node's arguments that run one. */
export function useCompiled(...commands: string[]): (command: string) => string[] {
  let folder = ''
  beforeAll(async () => {
    // Inside of the project, so that packages that are not bundled are found.
    const place = join(root, '.cache')
    mkdirSync(place, { recursive: true })
    folder = mkdtempSync(join(place, 'commands-'))
    await compile(commands, folder)
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  return (command) => [...relaxedSimdFlags(), join(folder, `${command}.js`)]
}
