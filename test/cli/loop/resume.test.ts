import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseLoopArguments } from '../../../src/cli/loop/arguments.ts'
import { findCheckpoint } from '../../../src/cli/loop/resume.ts'

it('keeps a log that is there already, unless its run resumes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'resume-'))
  try {
    const out = join(folder, 'run.jsonl')
    const find = (...more: string[]) => findCheckpoint('r', parseLoopArguments(['--out', out, ...more])!)
    expect(await find()).toBeNull()
    writeFileSync(out, '')
    expect(await find()).toBeNull()
    writeFileSync(out, '{}')
    await expect(find()).rejects.toThrow(
      `--out: ${out} exists already. Continue its run with --resume, or name another file with --out.`,
    )
    // It was killed before its first checkpoint.
    expect(await find('--save', join(folder, 'saved'), '--resume')).toBeNull()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
