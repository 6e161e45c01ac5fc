import { rename, writeFile } from 'node:fs/promises'

/** Writes or replaces a file at once: a killed process leaves the old one or the new one. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.part`, content)
  await rename(`${path}.part`, path)
}
