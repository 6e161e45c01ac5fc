import { describe, expect, it } from 'vitest'
import type { GpuRecord, SpeedRecord } from '../../../src/bench/gpu/records.ts'
import { failedChecks, gpuReport, reportName, type ReportFacts } from '../../../src/bench/gpu/report.ts'

const FACTS: ReportFacts = {
  command: 'npm run bench -- --gpu',
  machine: 'Node 20.20, linux-x64, 8 cores',
  elapsedMs: 150_000,
  interruption: null,
  given: {},
}
const SPEED: SpeedRecord = {
  kind: 'speed',
  model: '10 M, single precision, all weights trained',
  device: 'webgpu',
  work: 'sampling',
  sizes: '16 prompts of 64, 32 sampled',
  ms: 500,
  tokens: 512,
  operations: 100e9,
  bytes: 20e9,
  isWarm: true,
  note: 'WebGPU',
}
const RECORDS: GpuRecord[] = [
  { kind: 'adapter', name: 'Vendor X 9000 (Ti)', details: { vendor: 'vendor', features: 'subgroups' } },
  { kind: 'part', name: 'kernels' },
  { kind: 'check', name: 'add', difference: 1e-7, tolerance: 1e-4, programs: ['add vec4<f32>', 'add f32'] },
  { kind: 'check', name: 'norm', difference: 2e-7, tolerance: 1e-4, programs: ['add f32', 'rmsNorm'] },
  { kind: 'ceiling', name: 'copy', value: 400, note: '537 MB' },
  { kind: 'ceiling', name: 'multiply-add', value: 2000, note: '' },
  { kind: 'ceiling', name: 'product', value: 800, note: '2048³' },
  { kind: 'part', name: '10 M: sampling' },
  SPEED,
]
const cellsOf = (report: string, start: string) =>
  report
    .split('\n')
    .find((line) => line.startsWith(`| ${start}`))!
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1)

describe('the report of a graphics adapter', () => {
  it('gives speeds with their shares of what the adapter can do', () => {
    // 100 GFLOP in half a second of 2,000 GFLOP/s; 20 GB in half a second of 400 GB/s.
    expect(cellsOf(gpuReport(RECORDS, FACTS), '10 M')).toEqual([
      '10 M, single precision, all weights trained',
      'sampling',
      '16 prompts of 64, 32 sampled',
      '500 ms',
      '1,020',
      '200',
      '10 %',
      '40',
      '10 %',
    ])
    const given = gpuReport(RECORDS, { ...FACTS, given: { gflops: 4000, gigabytesPerSecond: 100 } })
    expect(cellsOf(given, '10 M').slice(5)).toEqual(['200', '5 %', '40', '40 %'])
    expect(cellsOf(given, 'bandwidth')).toEqual(['bandwidth', '100 GB/s', 'given, used for shares'])
  })

  it('says that all results agree, or which do not and which programs ran', () => {
    expect(gpuReport(RECORDS, FACTS)).toContain(
      "All 2 results agree with the CPU's; the largest relative difference is 2.0e-7. 3 programs ran.",
    )
    for (const difference of [0.5, NaN, Infinity]) {
      const wrong: GpuRecord[] = [
        ...RECORDS,
        { kind: 'check', name: 'rope', difference, tolerance: 1e-4, programs: ['rope f32'] },
      ]
      expect(failedChecks(wrong).map(({ name }) => name)).toEqual(['rope'])
      expect(gpuReport(wrong, FACTS)).toContain("**1 of 3 results differ from the CPU's:**")
      expect(gpuReport(wrong, FACTS)).toMatch(/- rope: relative difference .*, over 0.0001 \(rope f32\)/)
    }
    expect(failedChecks(RECORDS)).toEqual([])
  })

  it('marks numbers of a first call, lists what was left out, and says where it was interrupted', () => {
    const records: GpuRecord[] = [
      ...RECORDS,
      { ...SPEED, device: 'cpu', isWarm: false },
      { kind: 'left out', what: '0.5 B on the adapter', why: 'Sampling would take 900 s.' },
    ]
    const report = gpuReport(records, { ...FACTS, interruption: 'The time was used up.' })
    expect(report).toContain('16 prompts of 64, 32 sampled (one call, which also compiled)')
    expect(report).toContain('## Left out\n\n- 0.5 B on the adapter: Sampling would take 900 s.')
    expect(report).toContain('**Incomplete.** The time was used up. It was measuring 10 M: sampling.')
    expect(gpuReport(RECORDS, FACTS)).not.toContain('Incomplete')
  })

  it('reports that there is no adapter', () => {
    const report = gpuReport([], { ...FACTS, interruption: 'WebGPU offers no graphics adapter.' })
    expect(report).toContain('# No graphics adapter')
    expect(report).toContain('**Incomplete.** WebGPU offers no graphics adapter. Everything later is missing.')
  })

  it("is named after the adapter, in a file name's characters", () => {
    expect(reportName(RECORDS)).toBe('gpu-vendor-x-9000-ti.md')
    expect(reportName(RECORDS, 'in chromium')).toBe('gpu-vendor-x-9000-ti-in-chromium.md')
    expect(reportName([])).toBe('gpu-no-adapter.md')
  })
})
