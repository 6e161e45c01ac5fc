/**
 * `npm run check`: types, lint and format, two checks at a time. Oxlint and Oxfmt read everything but components, in seconds;
 * ESLint, svelte-check and Prettier read those. What takes longest starts first.
 */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { ensure, isMain, root, toolFile } from './ensure.mjs'

const CHECKS = [
  {
    name: 'eslint',
    tool: ['eslint'],
    args: ['--max-warnings', '0', '.'],
    // Reads all components as TypeScript at once; otherwise every component makes TypeScript start over.
    env: { SVELTE_ESLINT_PARSER_EXPERIMENTAL_TS_SYS_HOOK: '1' },
  },
  {
    name: 'svelte',
    tool: ['svelte-check'],
    args: ['--tsconfig', './tsconfig.svelte.json', '--fail-on-warnings', '--output', 'human'],
  },
  { name: 'oxlint', tool: ['oxlint'], args: ['.'] },
  { name: 'prettier', tool: ['prettier'], args: ['--check', '--log-level', 'warn', '**/*.svelte'] },
  { name: 'oxfmt', tool: ['oxfmt'], args: ['--check', '.'] },
]

/**
 * @param {(typeof CHECKS)[number]} check
 * @param {number} priority
 */
function start(check, priority) {
  const child = spawn(process.execPath, [toolFile(check.tool[0], check.tool[1] ?? check.tool[0]), ...check.args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=4096', ...check.env },
  })
  if (child.pid !== undefined) setPriority(child.pid, priority)
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  child.stderr.on('data', (chunk) => chunks.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(chunks).toString() }))
  })
}

/** Runs all checks, at a priority of the operating system, and prints each one's verdict. */
export async function runChecks(priority = constants.priority.PRIORITY_NORMAL) {
  let passed = 0
  const failures = []
  const waiting = [...CHECKS]
  const work = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const startedAt = performance.now()
      const result = await start(check, priority)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      if (result.passed) passed++
      else failures.push(check.name)
      if (!result.passed) process.stdout.write(`${result.output.trimEnd()}\n`)
      process.stdout.write(`${result.passed ? 'ok  ' : 'FAIL'} ${check.name} (${seconds} s)\n`)
    }
  }
  await Promise.all([work(), work()])
  return { passed, failed: failures.length, skips: [], failures }
}

if (isMain(import.meta.url)) {
  ensure()
  const { failed } = await runChecks()
  process.exit(failed === 0 ? 0 : 1)
}
