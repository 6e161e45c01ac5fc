/**
 * Finds a Chromium for the page tests, or installs one, and launches it. Tried in this order: CHROMIUM_PATH, an
 * installed Chromium or Chrome, the one that Playwright downloaded earlier, Playwright's download, Debian's package.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { isMain, say, toolFile } from './ensure.mjs'
import { launchFlags } from './launch-flags.mjs'

/** Usual places, the binary itself before a distribution's wrapper script, which may refuse or add flags. */
export function usualPlaces(platform = process.platform, env = process.env) {
  if (platform === 'darwin') {
    const inside = ['Google Chrome', 'Chromium', 'Google Chrome for Testing'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    )
    return env.HOME === undefined ? inside : [...inside, ...inside.map((path) => join(env.HOME, path))]
  }
  if (platform === 'win32') {
    return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => [
        join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
        join(folder, 'Chromium', 'Application', 'chrome.exe'),
        join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
      ])
  }
  return [
    '/usr/lib/chromium/chromium',
    '/usr/lib64/chromium-browser/chromium-browser',
    '/usr/lib/chromium-browser/chromium-browser',
    '/opt/google/chrome/chrome',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/snap/bin/chromium',
  ]
}

/** Path of an installed Chromium, or null. Throws if CHROMIUM_PATH names a file that is not there. */
export function findBrowser(env = process.env, exists = existsSync) {
  const asked = env.CHROMIUM_PATH
  if (asked !== undefined && asked !== '') {
    if (!exists(asked)) throw new Error(`CHROMIUM_PATH is "${asked}", but there is no such file. Correct or unset it.`)
    return asked
  }
  const installed = usualPlaces(process.platform, env).find((path) => exists(path))
  if (installed !== undefined) return installed
  const downloaded = chromium.executablePath()
  return downloaded !== '' && exists(downloaded) ? downloaded : null
}

/** Path of a Chromium, after installing one if need be. Throws with what to do if none can be had. */
export function findOrInstallBrowser() {
  const found = findBrowser()
  if (found !== null) return found
  say('No Chromium found; downloading one for the page tests …')
  const cli = toolFile('playwright-core')
  spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: ['ignore', 2, 2], timeout: 300_000 })
  const downloaded = findBrowser()
  if (downloaded !== null) return downloaded
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say('The download failed; installing the chromium package …')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update'], { stdio: ['ignore', 2, 2], env })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: ['ignore', 2, 2], env })
    const packaged = findBrowser()
    if (packaged !== null) return packaged
  }
  throw new Error('No Chromium for the page tests. Install Chromium or Chrome, or set CHROMIUM_PATH to its binary.')
}

/** @param {readonly string[]} flags beside the usual ones */
function launchOptions(flags) {
  return { executablePath: findOrInstallBrowser(), headless: true, args: [...launchFlags(), ...flags] }
}

/**
 * Launches the browser headless.
 * @param {{ flags?: readonly string[] }} [options] flags beside the usual ones
 */
export async function launchBrowser({ flags = [] } = {}) {
  return chromium.launch(launchOptions(flags))
}

/** Launches the browser headless, for several processes to connect to at its `wsEndpoint()`. */
export async function launchSharedBrowser() {
  return chromium.launchServer(launchOptions([]))
}

if (isMain(import.meta.url)) say(findOrInstallBrowser())
