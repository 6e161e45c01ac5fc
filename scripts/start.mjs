/**
 * `npm start`: installs what is missing, builds the page if its sources are newer than the last build, serves it on a
 * free port near 4173 and prints the address. `--port N` and `--host NAME` choose others; with `--host 0.0.0.0` other
 * machines reach the page, at the addresses that it prints.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { ensure, isMain, root, say, toolFile } from './ensure.mjs'

const SOURCES = ['src', 'workers', 'public', 'index.html', 'vite.config.ts', 'package-lock.json']

/**
 * @param {readonly string[]} args
 * @returns {{ port: number, host: string } | { error: string }}
 */
export function parseStartArguments(args) {
  const options = { port: 4173, host: 'localhost' }
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1]
    if (args[i] === '--port') {
      const port = Number(value)
      if (value === undefined || !Number.isInteger(port) || port < 1 || port > 65535) {
        return { error: `--port needs a whole number from 1 to 65535, not "${value ?? ''}".` }
      }
      options.port = port
    } else if (args[i] === '--host') {
      if (value === undefined) return { error: '--host needs a name or an address.' }
      options.host = value
    } else {
      return { error: `Unknown argument "${args[i]}". Valid: --port N, --host NAME.` }
    }
  }
  return options
}

/**
 * Time of the newest file under a path, in ms; 0 if there is none.
 * @param {string} path
 * @returns {number}
 */
export function newestTime(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestTime(join(path, name))), stat.mtimeMs)
}

/** Whether `dist/` is missing or older than the newest source. */
export function isBuildStale(folder = root) {
  const built = join(folder, 'dist', 'index.html')
  if (!existsSync(built)) return true
  const builtAt = statSync(built).mtimeMs
  return SOURCES.some((source) => newestTime(join(folder, source)) > builtAt)
}

/**
 * Builds the page into `dist/` unless the last build is up to date. Ends the process if the build fails.
 * @param {string} folder
 * @param {() => void} build
 */
export function buildIfStale(folder = root, build = buildPage) {
  if (!isBuildStale(folder)) return
  say('Building the page …')
  const began = new Date()
  build()
  // A source that was changed during the build may not be in it, and is newer than this.
  utimesSync(join(folder, 'dist', 'index.html'), began, began)
}

function buildPage() {
  const done = spawnSync(process.execPath, [toolFile('vite'), 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // A test runner has an environment of its own; what is tested is what is shipped.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (done.status !== 0) {
    say('The page could not be built; see the messages above.')
    process.exit(1)
  }
}

/**
 * The lines that say where the page is.
 * @param {{ local: readonly string[], network: readonly string[] }} urls
 */
export function addressLines({ local, network }) {
  const here = local[0]
  const lines = here === undefined ? [] : [`RLAnything Playground: ${here}`]
  if (network.length === 0) return lines
  lines.push(
    ...network.map((address) => `${here === undefined ? 'RLAnything Playground' : 'From other machines'}: ${address}`),
  )
  lines.push(
    'Over plain http from another machine, browsers allow no WebGPU, no offline use and no model folders;',
    'runs on the processor work. Serve the page over https for the rest (docs/hosting.md).',
  )
  return lines
}

if (isMain(import.meta.url)) {
  const options = parseStartArguments(process.argv.slice(2))
  if ('error' in options) {
    say(options.error)
    process.exit(2)
  }
  ensure()
  buildIfStale()
  const { preview } = await import('vite')
  // Only published files are served, so any name of this machine may ask for them.
  const server = await preview({
    root,
    logLevel: 'warn',
    preview: { ...options, strictPort: false, open: false, allowedHosts: true },
  })
  const lines = addressLines(server.resolvedUrls ?? { local: [], network: [] })
  process.stdout.write(`\n${lines.join('\n')}\nCtrl-C stops the server.\n`)
}
