/**
 * `npm start`: installs what is missing, builds the page unless the last build is of the same sources, serves it on a
 * free port near 4173 and prints the address. `--port N` and `--host NAME` choose others; with `--host 0.0.0.0` other
 * machines reach the page, at the addresses that it prints.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
 * Files under a path, each with its size and time.
 * @param {string} folder
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(folder, path) {
  const stat = statSync(join(folder, path), { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isDirectory()) return [`${path} ${stat.size} ${stat.mtimeMs}`]
  return readdirSync(join(folder, path)).flatMap((name) => filesUnder(folder, join(path, name)))
}

/** @param {string} folder */
const sourcesOf = (folder) => SOURCES.flatMap((source) => filesUnder(folder, source)).sort()

/**
 * What a complete build was made of, and its own size and time. Times of sources and build are not compared with each other,
 * because files that were unpacked or copied keep theirs.
 * @param {string} folder
 * @param {string[]} sources
 */
const recordOf = (folder, sources) => [...sources, ...filesUnder(folder, join('dist', 'index.html'))].join('\n')

/** @param {string} folder */
const recordFile = (folder) => join(folder, 'node_modules', '.cache', 'built-page')

/** Whether `dist/` is missing, incomplete or of other sources. */
export function isBuildStale(folder = root) {
  const file = recordFile(folder)
  if (!existsSync(file) || !existsSync(join(folder, 'dist', 'index.html'))) return true
  return readFileSync(file, 'utf8') !== recordOf(folder, sourcesOf(folder))
}

/**
 * Builds the page into `dist/` unless the last build is up to date. Ends the process if the build fails.
 * @param {string} folder
 * @param {() => void} build
 */
export function buildIfStale(folder = root, build = buildPage) {
  if (!isBuildStale(folder)) return
  say('Building the page …')
  // As they are before: a source that is changed during the build may not be in it.
  const sources = sourcesOf(folder)
  build()
  mkdirSync(dirname(recordFile(folder)), { recursive: true })
  writeFileSync(recordFile(folder), recordOf(folder, sources))
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
