/**
 * Python packages for tests against real servers and for build:webllm. Each set has its own virtual environment under
 * `.cache/python`, which is recreated when the set changes.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './ensure.mjs'

const MINIMUM = [3, 10]
const NAMES = ['python3.12', 'python3.11', 'python3.10', 'python3', 'python']

/** Says what is missing and how to install it. */
export class PythonMissing extends Error {}

/** Finds a Python that is new enough and has `venv`. */
export function findPython() {
  let why = 'none of them is installed'
  for (const name of NAMES) {
    const asked = spawnSync(name, ['-c', 'import sys, venv, ensurepip; print(*sys.version_info[:2])'], {
      encoding: 'utf8',
    })
    if (asked.error) continue
    if (asked.status !== 0) {
      why = `${name} has no venv module (on Debian and Ubuntu it is the package python3-venv)`
      continue
    }
    const [major, minor] = asked.stdout.trim().split(' ').map(Number)
    if (major === MINIMUM[0] && minor >= MINIMUM[1] && minor <= 13) return name
    why = `${name} is Python ${major}.${minor}`
  }
  throw new PythonMissing(
    `You need Python ${MINIMUM.join('.')} to 3.13 with venv and pip: ${why}.\n` +
      'Install it (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.12; others: python.org) and run again.',
  )
}

/**
 * Creates the environment if necessary. Returns the folder of its programs.
 * @param {string} name
 * @param {readonly string[]} packages requirements as pip takes them
 */
export function pythonEnvironment(name, packages) {
  const folder = join(root, '.cache', 'python', name)
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  const stamp = join(folder, '.installed')
  const wanted = `${packages.join('\n')}\n`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return bin
  const python = findPython()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  say(`Making a Python environment with ${packages.join(', ')} …`)
  run(python, ['-m', 'venv', folder])
  run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages])
  writeFileSync(stamp, wanted)
  return bin
}

/**
 * @param {string} file
 * @param {readonly string[]} args
 */
function run(file, args) {
  const done = spawnSync(file, args, { stdio: ['ignore', 2, 2] })
  if (done.status === 0) return
  throw new PythonMissing(
    `${file} ${args.join(' ')} failed (${done.error?.message ?? `exit code ${done.status}`}). Check that PyPI can be reached, and run again.`,
  )
}
