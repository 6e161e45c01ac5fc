import { describe, expect, it } from 'vitest'
import type { Measurement } from '../../../../src/bench/suite.ts'
import { browserName } from '../../../../src/bench/tab.ts'
import { benchTable } from '../../../../src/cli/bench/table.ts'
import { jsonLines, ratioText, suiteTables } from '../../../../src/playground/views/benchmark/tables.ts'

const step = { suite: 'train', name: 'training step', unit: 'tokens/s', sizes: { batch: 16 } } as const
const measurements: Measurement[] = [
  { ...step, subject: 'simd', value: 2000 },
  { suite: 'judge', name: 'runs', subject: 'judge', value: 2345.6, unit: 'runs/s', sizes: {}, note: 'all right' },
  { ...step, subject: 'webgpu', value: 8000, note: 'four times' },
  { ...step, sizes: { batch: 32 }, subject: 'simd', value: 1_234_567 },
]

describe('the tables of the benchmark', () => {
  it('are one for each suite, and compare equal sizes and units with the first of them', () => {
    const [train, judge] = suiteTables(measurements)
    expect(train?.rows.map(({ subject, value, sizes, ratio }) => [subject, value, sizes, ratioText(ratio)])).toEqual([
      ['simd', '2,000 tokens/s', 'batch 16', ''],
      ['webgpu', '8,000 tokens/s', 'batch 16', '× 4'],
      ['simd', '1,230,000 tokens/s', 'batch 32', ''],
    ])
    expect(judge).toMatchObject({ suite: 'judge', rows: [{ value: '2,350 runs/s', note: 'all right' }] })
  })

  it('show on the command line how much faster ours is', () => {
    expect(benchTable(measurements).split('\n')[2]).toMatch(
      /webgpu +8,000 tokens\/s +ours is 0.25 times this +four times/,
    )
  })

  it('are copied as parsable lines', () => {
    const lines = jsonLines(measurements).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(measurements)
  })
})

describe('the name of a browser', () => {
  it.each([
    ['Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36', 'Chrome 156'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0', 'Edge 140'],
    ['Mozilla/5.0 (X11; rv:142.0) Gecko/20100101 Firefox/142.0', 'Firefox 142'],
    ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15', 'Safari 26'],
    ['something else', 'a browser'],
  ])('is read from %j', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name)
  })
})
