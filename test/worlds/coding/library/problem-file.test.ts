import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readReleasedFile } from '../../../../src/worlds/coding/released/file.ts'
import { openProblemFile } from '../../../../src/worlds/coding/library/node-file.ts'
import { ProblemFileError, readProblemFile } from '../../../../src/worlds/coding/library/problem-file.ts'
import { numbered } from '../released-items.ts'

const items = [numbered(0), numbered(1, { question: 'Drücke x, −x oder 𝒙.' })]
const text = items.map((item) => JSON.stringify(item)).join('\n')
const bad = `${text}\n{"question": "a"}`

let folder: string
const at = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'problems-'))
  writeFileSync(at('problems.jsonl'), text)
  writeFileSync(at('bad.jsonl'), bad)
  writeFileSync(at('table.parquet'), new Uint8Array([0x50, 0x41, 0x52, 0x31, 0xff, 0xfe]))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a file of problems', () => {
  it('reads the same from disk and from a browser’s file', async () => {
    const expected = await readReleasedFile(text)
    expect(expected.problems[1]!.task.instruction).toBe('Drücke x, −x oder 𝒙.')
    expect(await openProblemFile(at('problems.jsonl'))).toEqual(expected)
    expect(await readProblemFile('problems.jsonl', new File([text], 'problems.jsonl'))).toEqual(expected)
  })

  it('is refused by name for a faulty item, or read without it', async () => {
    const refused = openProblemFile(at('bad.jsonl'))
    await expect(refused).rejects.toThrow(ProblemFileError)
    await expect(refused).rejects.toThrow(`"${at('bad.jsonl')}": Item 3 (line 3): test_method is missing. Nothing was imported.`) // prettier-ignore
    const { problems, faults } = await openProblemFile(at('bad.jsonl'), { leaveOutFaulty: true })
    expect([problems.length, faults]).toEqual([2, ['Item 3 (line 3): test_method is missing.']])
  })

  it.each([
    ['nowhere.json', 'No such file or folder.'],
    ['.', 'This is a folder. Give the path of a file with problems.'],
    [
      'table.parquet',
      'The file is not text. Problems are JSON or JSON lines; unpack archives and convert tables first.',
    ],
  ])('is reported in plain words: %s', async (name, reason) => {
    await expect(openProblemFile(at(name))).rejects.toMatchObject({
      name: 'ProblemFileError',
      fileName: at(name),
      reason,
    })
  })

  it('is reported with the system’s reason if that is not that there is none', async () => {
    const path = at('problems.jsonl/problems.jsonl')
    await expect(openProblemFile(path)).rejects.toThrow(/: It cannot be read: ENOTDIR.*'\.$/)
  })

  it('is reported if it is too large, or disappears while it is read', async () => {
    const large = { size: 10 ** 9, arrayBuffer: () => Promise.reject(new Error('It was read.')) }
    await expect(readProblemFile('large', large)).rejects.toThrow(/^"large": The file has 1000000000 bytes; .*Split it/)
    const gone = { size: 5, arrayBuffer: () => Promise.reject(new Error('A requested file could not be found.')) }
    await expect(readProblemFile('gone', gone)).rejects.toThrow(
      '"gone": The file cannot be read: A requested file could not be found.',
    )
  })
})
