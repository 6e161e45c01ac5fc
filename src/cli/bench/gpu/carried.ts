/** What the folder brings, beside the bundle. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const carried = (name: string) => join(fileURLToPath(new URL('.', import.meta.url)), name)

/** Adds shared libraries, such as the loader of Vulkan. */
export function withLibraries(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = carried('lib')
  if (!existsSync(folder)) return env
  return { ...env, LD_LIBRARY_PATH: [folder, env['LD_LIBRARY_PATH']].filter(Boolean).join(delimiter) }
}
