import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isRecording, RECORDINGS } from '../../../src/playground/state/recordings.ts'

const names = readdirSync('public/runs').map((file) => file.replace('.jsonl.gz', ''))
const published = readdirSync('public/results').flatMap((file) => {
  const { rows = [] } = JSON.parse(readFileSync(`public/results/${file}`, 'utf8')) as {
    rows?: { recording?: string }[]
  }
  return rows.flatMap(({ recording }) => recording ?? [])
})

describe('a name of a recording', () => {
  it('is that of every arm whose run ships with published results', () => {
    expect(published.length).toBeGreaterThan(0)
    for (const name of published) expect([name, isRecording(name), names.includes(name)]).toEqual([name, true, true])
    for (const name of Object.values(RECORDINGS))
      expect([isRecording(name), names.includes(name)]).toEqual([true, true])
  })

  it.each([
    'household',
    'desktop-episode',
    'coding-tokens',
    'household-before-after',
    'run-20261126-101500-042',
    'desktop-../x',
  ])('is not %s', (name) => expect(isRecording(name)).toBe(false))
})
