/** `npm run bench -- --gpu`: makes the folder that measures a graphics adapter, and runs it here. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { folderBytes, GPU_FOLDER, makeGpuFolder, thisPlatform } from './folder.ts'

const REPORTS = fileURLToPath(new URL('../../../../docs/benchmarks', import.meta.url))

export interface GpuCommandOptions {
  /** Makes the folder without running it. */
  isFolderOnly: boolean
  platform: string | undefined
  hasNode: boolean
  libraries: readonly string[]
  /** Arguments of run.mjs. */
  rest: readonly string[]
}

/** Resolves with the exit code: 1 if the adapter computes something else than the CPU, or was not measured to the end. */
export async function gpuCommand(options: GpuCommandOptions): Promise<number> {
  const { isFolderOnly, platform = thisPlatform(), hasNode, libraries, rest } = options
  await makeGpuFolder({ platform, hasNode, libraries })
  process.stderr.write(`${GPU_FOLDER}: ${(folderBytes(GPU_FOLDER) / 1e6).toFixed(0)} MB\n`)
  if (isFolderOnly) return 0
  const child = spawn(process.execPath, ['run.mjs', '--out', REPORTS, ...rest], { cwd: GPU_FOLDER, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
