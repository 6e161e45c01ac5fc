/** `npm run bench -- --gpu`: makes the folder that measures a graphics adapter, and runs it here. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findOrInstallBrowser } from '../../../../scripts/browser.mjs'
import { folderBytes, GPU_FOLDER, makeGpuFolder, thisPlatform } from './folder.ts'

const REPORTS = fileURLToPath(new URL('../../../../docs/benchmarks', import.meta.url))

export interface GpuCommandOptions {
  /** Makes the folder without running it. */
  isFolderOnly: boolean
  platform: string | undefined
  hasNode: boolean
  libraries: readonly string[]
  /** The Chromium to measure in, "" for the project's; undefined for Node. */
  browser: string | undefined
  /** Arguments of run.mjs. */
  rest: readonly string[]
}

/** Resolves with the exit code: 1 if the adapter computes something else than the CPU, or was not measured to the end. */
export async function gpuCommand(options: GpuCommandOptions): Promise<number> {
  const { isFolderOnly, platform = thisPlatform(), hasNode, libraries, browser, rest } = options
  await makeGpuFolder({ platform, hasNode, libraries })
  process.stderr.write(`${GPU_FOLDER}: ${(folderBytes(GPU_FOLDER) / 1e6).toFixed(0)} MB\n`)
  if (isFolderOnly) return 0
  const inBrowser =
    browser === undefined ? [] : ['--browser', browser === '' ? findOrInstallBrowser() : resolve(browser)]
  const child = spawn(process.execPath, ['run.mjs', '--out', REPORTS, ...inBrowser, ...rest], {
    cwd: GPU_FOLDER,
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
