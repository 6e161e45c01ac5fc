/** Bundles a program into one file that needs nothing but Node. */
import { root } from './ensure.mjs'

/**
 * Adds the file to the folder.
 * @param {string} entry the program, from the project's root
 * @param {string} outDir
 * @param {string} fileName
 * @param {string} banner first line of the file
 */
export async function bundleForNode(entry, outDir, fileName, banner = '') {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    // Everything but Node's own modules goes into the file.
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      target: 'node20',
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: fileName, banner, codeSplitting: false } },
    },
  })
}
