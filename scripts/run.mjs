/**
 * `node scripts/run.mjs <tool or file.ts> [arguments]`: makes sure that everything is installed, then runs a tool of
 * node_modules or a TypeScript file of ours with the arguments as given. The package scripts go through here.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensure, isMain, root, say, toolFile, typescriptFlags } from './ensure.mjs'

/**
 * Arguments of Node that run `target`.
 * @param {string} target
 * @param {readonly string[]} rest
 */
export function nodeArguments(target, rest) {
  if (target.endsWith('.ts')) return [...typescriptFlags(), join(root, target), ...rest]
  return [toolFile(target), ...rest]
}

if (isMain(import.meta.url)) {
  const [target, ...rest] = process.argv.slice(2)
  if (target === undefined) {
    say('Usage: node scripts/run.mjs <tool or file.ts> [arguments]')
    process.exit(2)
  }
  ensure()
  const child = spawn(process.execPath, nodeArguments(target, rest), { cwd: root, stdio: 'inherit' })
  // A terminal sends Ctrl-C to both processes; the child decides how to end, and this one reports how it did.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}
