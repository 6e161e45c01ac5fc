/** A world's file, ready for the sandbox: what a run's log records of it. Plain data. */
import { scriptOf } from './script.ts'

export interface OwnModule {
  /** Name of the file. */
  file: string
  /** The script that the sandbox runs (script.ts). */
  script: string
  /** SHA-256 of the script, as 64 hexadecimal digits. */
  hash: string
}

/** Throws OwnWorldError if the sandbox cannot run the file. */
export async function readModule(source: string, file: string): Promise<OwnModule> {
  const script = scriptOf(source, file)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script))
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { file, script, hash }
}
