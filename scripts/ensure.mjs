/**
 * Makes a fresh checkout usable: installs the dependencies if they are missing or older than package-lock.json, and
 * builds the SIMD kernels. Plain Node, because nothing else is there yet when it runs. It writes to stderr alone, so
 * that commands behind it own stdout.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Whether Vite and ESLint run on this version: 20 from 20.19 on, and everything from 22.13 on. On others npm leaves out Vite's native
 * parts without a word.
 * @param {string} version as in `process.versions.node`
 */
export function isNodeSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major > 22
}

/** @param {string} message */
export function say(message) {
  process.stderr.write(`${message}\n`)
}

/** The command that starts npm on this machine: through Node where npm tells us its own file, else by name. */
export function npmCommand() {
  const cli = process.env.npm_execpath
  if (cli !== undefined && /npm-cli\.[cm]?js$/.test(cli)) return { file: process.execPath, first: [cli], shell: false }
  return { file: 'npm', first: [], shell: process.platform === 'win32' }
}

/**
 * `missing`, `stale` or `fresh`: whether node_modules matches package-lock.json. A stamp with the lock file's hash
 * decides, since a lock file that was unpacked or copied may keep an old time. Without one (npm was run by hand) the times of the lock
 * file and of npm's own record do.
 * @param {string} folder
 */
export function installState(folder) {
  const modules = join(folder, 'node_modules')
  if (!existsSync(modules)) return 'missing'
  const record = join(modules, '.package-lock.json')
  if (!existsSync(record)) return 'missing'
  const stamp = stampFile(folder)
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === lockHash(folder) ? 'fresh' : 'stale'
  const lock = statSync(join(folder, 'package-lock.json'))
  return statSync(record).mtimeMs >= lock.mtimeMs ? 'fresh' : 'stale'
}

/** @param {string} folder */
function stampFile(folder) {
  return join(folder, 'node_modules', '.installed-lock')
}

/** @param {string} folder */
function lockHash(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}

function install() {
  const state = installState(root)
  if (state !== 'fresh') {
    const verb = state === 'missing' ? 'ci' : 'install'
    say(state === 'missing' ? 'Installing dependencies (npm ci) …' : 'Updating dependencies (npm install) …')
    const { file, first, shell } = npmCommand()
    const done = spawnSync(file, [...first, verb, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell,
    })
    if (done.status !== 0) {
      say(`npm ${verb} failed (${done.error?.message ?? `exit code ${done.status}`}). Check the network and run again.`)
      process.exit(1)
    }
  }
  const stamp = stampFile(root)
  const hash = lockHash(root)
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) writeFileSync(stamp, hash)
}

function buildKernels() {
  const builder = join(root, 'scripts', 'build-kernels.mjs')
  if (!existsSync(builder)) return
  const done = spawnSync(process.execPath, [builder], { cwd: root, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) {
    say('The SIMD kernels could not be built; see the messages above.')
    process.exit(1)
  }
}

/** Installs and builds whatever is missing. Ends the process with a message if it cannot. */
export function ensure() {
  const { node } = process.versions
  if (!isNodeSupported(node)) {
    say(`Node 22.13 or newer, or Node 20 from 20.19 on, is needed; this is Node ${node}.`)
    process.exit(1)
  }
  install()
  buildKernels()
}

/**
 * File of a tool's command, from its package.
 * @param {string} name package, whose command has the same name unless `command` says otherwise
 * @param {string} command
 */
export function toolFile(name, command = name) {
  const folder = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}

/**
 * Whether Node was started with this module, also where the path to it goes through a link.
 * @param {string} moduleUrl
 */
export function isMain(moduleUrl) {
  const started = process.argv[1]
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl)
}

/** Flags for relaxed SIMD, which browsers have had since 2023 and Node has by default since 21: with it, kernels fuse multiply and add. */
export function relaxedSimdFlags() {
  return process.versions.node.startsWith('20.') ? ['--experimental-wasm-relaxed-simd'] : []
}

/** Flags that let this Node run TypeScript files. */
export function typescriptFlags() {
  return [
    ...relaxedSimdFlags(),
    '--import',
    pathToFileURL(join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs')).href,
  ]
}

if (isMain(import.meta.url)) ensure()
