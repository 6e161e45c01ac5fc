/** A world's file, ready for the sandbox: what a run's log records of it. Plain data. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
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
export function readModule(source: string, file: string): OwnModule {
  const script = scriptOf(source, file)
  // Browsers offer `crypto.subtle` only over https and from localhost.
  return { file, script, hash: bytesToHex(sha256(utf8ToBytes(script))) }
}
