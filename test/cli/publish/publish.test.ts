import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root, typescriptFlags } from '../../../scripts/ensure.mjs'
import { serialiseRunLog } from '../../../src/runs/run-log.ts'
import { runStarted } from '../experiments/run-started.ts'

let folder: string
let log: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'publish-'))
  log = join(folder, 'run.jsonl')
  writeFileSync(log, serialiseRunLog([runStarted('household')]))
})
afterAll(() => rmSync(folder, { recursive: true }))

const publish = (...args: string[]) =>
  promisify(execFile)(process.execPath, [...typescriptFlags(), 'src/cli/publish.ts', ...args], { cwd: root }).then(
    () => expect.unreachable(),
    (error: { code: number; stderr: string }) => [error.code, error.stderr],
  )

it('does not publish a log over itself, however its path is written', async () => {
  const before = readFileSync(log)
  expect(await publish(log, relative(root, log))).toEqual([
    2,
    `${log} is the log itself, and what is published keeps less. Name another file to write.\n`,
  ])
  expect(readFileSync(log)).toEqual(before)
})

it('says in one line that a log cannot be read', async () => {
  const [code, stderr] = await publish(join(folder, 'none.jsonl'))
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^ENOENT: no such file or directory[^\n]*none\.jsonl'\n$/)])
})
