import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { FORMER_PRESETS, PRESETS, presetSettings } from '../../../../src/method/presets.ts'
import type { Settings } from '../../../../src/method/settings.ts'
import {
  ablationMatrix,
  experimentsOf,
  runOutcome,
  startOutcome,
  writeDifference,
  writeMean,
} from '../../../../src/playground/views/runs/ablation-matrix.ts'
import {
  ABLATION_IDS,
  ABLATIONS,
  ablated,
  ablationOf,
  experimentKey,
  type AblationId,
} from '../../../../src/playground/run/ablations.ts'
import { seedDifference, verdictOf } from '../../../../src/playground/views/runs/seed-difference.ts'
import { AblationRuns } from '../../../../src/playground/views/runs/ablation-runs.svelte.ts'
import type { MetricRow } from '../../../../src/runs/metric-rows.ts'
import { newSummary, type RunSummary } from '../../../../src/runs/run-store.ts'

const seeded = (values: readonly number[], first = 0) => new Map(values.map((value, i) => [first + i, value]))

describe('a difference over seeds', () => {
  it('matches the textbook: Student’s sleep data', () => {
    // Cushny and Peebles (1905) in Student (1908): extra sleep of ten patients under two drugs. R: t.test(paired = TRUE).
    const one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]
    const two = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    const difference = seedDifference(seeded(two), seeded(one))!
    expect(difference.kind).toBe('paired')
    expect(difference.mean).toBeCloseTo(1.58, 9)
    expect(difference.mean - difference.half!).toBeCloseTo(0.7001142, 3)
    expect(difference.mean + difference.half!).toBeCloseTo(2.4598858, 3)
    expect(verdictOf(difference)).toBe('above')
    // Unpaired, R: t.test(var.equal = FALSE) has [-0.205, 3.365] with 17.776 degrees of freedom.
    const apart = seedDifference(seeded(two, 100), seeded(one))!
    expect(apart.kind).toBe('welch')
    expect(apart.mean).toBeCloseTo(1.58, 9)
    // Rounding the degrees down to 17 makes it slightly wider than R's.
    expect(apart.mean - apart.half!).toBeLessThan(-0.2054832)
    expect(apart.mean - apart.half!).toBeCloseTo(-0.2054832, 1)
    expect(verdictOf(apart)).toBe('spans-zero')
  })

  it('ignores effects that a seed has on both sides of a pair', () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true })
    const rows = fc.array(fc.tuple(value, value, value), { minLength: 2, maxLength: 9 })
    fc.assert(
      fc.property(rows, (triples) => {
        const plain = seedDifference(seeded(triples.map(([y]) => y)), seeded(triples.map(([, x]) => x)))!
        const shifted = seedDifference(
          seeded(triples.map(([y, , seed]) => y + 10 * seed)),
          seeded(triples.map(([, x, seed]) => x + 10 * seed)),
        )!
        expect(shifted.mean).toBeCloseTo(plain.mean, 6)
        expect(shifted.half!).toBeCloseTo(plain.half!, 6)
      }),
    )
  })

  it('covers a true difference about 95 times in 100, paired and unpaired', () => {
    let state = 11
    const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    for (const shift of [0, 100]) {
      let covered = 0
      for (let i = 0; i < 4000; i++) {
        const y = Array.from({ length: 5 }, () => 2 + normal())
        const x = Array.from({ length: 5 }, () => 1 + 3 * normal())
        const { mean, half } = seedDifference(seeded(y, shift), seeded(x))!
        if (Math.abs(mean - 1) <= half!) covered++
      }
      expect(covered / 4000).toBeGreaterThan(0.935)
      expect(covered / 4000).toBeLessThan(shift === 0 ? 0.965 : 0.975)
    }
  })

  it('has no interval for fewer than three seeds, and then no verdict', () => {
    expect(seedDifference(seeded([0.5]), seeded([0.2]))).toMatchObject({ half: null, kind: 'paired', n: 1 })
    expect(verdictOf(seedDifference(seeded([0.5]), seeded([0.2]))!)).toBe('no-interval')
    expect(verdictOf(seedDifference(seeded([0.5]), seeded([0.2, 0.4, 0.1], 7))!)).toBe('no-interval')
    expect(seedDifference(seeded([]), seeded([1]))).toBeNull()
    expect(seedDifference(seeded([0.5, 0.7]), seeded([0.2, 0.6]))).toMatchObject({ half: null, kind: 'paired', n: 2 })
    expect(verdictOf(seedDifference(seeded([0.3, 0.6, 0.5]), seeded([0.3, 0.6, 0.5]))!)).toBe('equal')
    // Equal differences of coarse values prove nothing.
    expect(verdictOf(seedDifference(seeded([0.5, 0.75, 1]), seeded([0.25, 0.5, 0.75]))!)).toBe('no-spread')
    expect(verdictOf(seedDifference(seeded([0.1, 0.12, 0.11]), seeded([0.5, 0.52, 0.53]))!)).toBe('below')
  })
})

describe('ablations', () => {
  it('are recognised by their settings, with any preset', () => {
    for (const preset of [
      'household',
      'coding',
      'reference',
      'household+policy-only',
      'policy-reward',
      'coding+step-only',
    ]) {
      for (const id of ABLATION_IDS) {
        const { settings, preset: name } = ablated({ preset, settings: presetSettings(preset) }, id)
        expect(ablationOf(settings)).toBe(id)
        // The name gives the settings, except for the row without a preset and from settings that opened the filters.
        if (id !== 'policy-environment') expect(presetSettings(name)).toEqual({ ...settings })
      }
    }
    expect(ablated({ preset: 'household', settings: presetSettings() }, 'full').preset).toBe('household')
    expect(ablationOf({ ...presetSettings(), trainPolicy: false })).toBeNull()
  })

  it('match the presets of the same names', () => {
    const named: Record<string, Partial<Settings>> = { ...PRESETS, ...FORMER_PRESETS }
    for (const id of ABLATION_IDS) {
      const { preset, settings } = ABLATIONS[id]
      if (preset !== null) expect(settings).toMatchObject(named[preset]!)
    }
  })
})

let created = 0
function run(id: AblationId, seed: number, change: Partial<RunSummary> & { of?: Partial<Settings> } = {}): RunSummary {
  const { of = {}, ...rest } = change
  const configuration = ablated({ preset: 'household', settings: { ...presetSettings('household'), ...of } }, id)
  const settings = { ...configuration.settings, seed }
  const summary = newSummary(
    { runId: `${id}-${seed}-${created}`, ...configuration, settings, iterations: 20 },
    ++created,
  )
  return { ...summary, finishedIterations: 20, ...rest }
}

const row = (iteration: number, values: Record<string, number>): MetricRow => ({
  iteration,
  firstSeq: 0,
  endSeq: 0,
  isFinished: true,
  values,
})

describe('what a run comes to', () => {
  const rows = [
    row(0, { 'eval/id/acc': 0.1, 'eval/ood/acc': 0.2 }),
    ...Array.from({ length: 20 }, (_, i) =>
      row(i + 1, {
        'env/accepted': 1,
        'reward/process_acc': i < 18 ? 0 : i === 18 ? 0.5 : 0.7,
        ...(i + 1 === 10 && { 'eval/id/acc': 0.4 }),
        ...(i + 1 === 15 && { 'eval/id/acc': 0.6 }),
      }),
    ),
  ]

  it('is its last evaluation, the mean of its last tenth of training, and all accepted tasks', () => {
    const { reward, ...others } = runOutcome(rows)
    expect(others).toEqual({ id: 0.6, accepted: 20 })
    expect(reward).toBeCloseTo(0.6, 9)
  })

  it('has no held-out values without an evaluation after training began', () => {
    expect(runOutcome(rows.slice(0, 5)).id).toBeUndefined()
    expect(startOutcome(rows)).toEqual({ id: 0.1, ood: 0.2 })
  })
})

describe('the matrix', () => {
  const value: Record<string, number> = { full: 0.6, 'frozen-judge': 0.4, grpo: 0.6 }
  const noise = [0, 0.03, -0.02]
  const measured = (runs: readonly RunSummary[]) => (runId: string) => {
    const found = runs.find((each) => each.runId === runId)!
    const id = ablationOf(found.settings)!
    const seed = found.settings.seed
    // A large effect of the seed on every row, and a small one on a single row.
    const end = value[id]! + seed / 10 + (id === 'full' ? 0 : noise[seed]! * (id === 'frozen-judge' ? 0.1 : 1))
    return { start: { id: 0.1 + seed / 100 }, end: { id: end, ...(id === 'full' && { accepted: 4 }) } }
  }
  const rows = (['full', 'frozen-judge', 'grpo'] as const).flatMap((id) => [0, 1, 2].map((seed) => run(id, seed)))

  it('has a mean over seeds for every row, and the difference from the full loop of the same seeds', () => {
    const { columns, rows: lines } = ablationMatrix({ runs: rows, world: 'household' }, measured(rows))
    expect(columns.map(({ id }) => id)).toEqual(['id', 'accepted'])
    expect(lines.map(({ label, seeds }) => [label, seeds])).toEqual([
      ['Before training', [0, 1, 2]],
      ['Outcome alone (GRPO)', [0, 1, 2]],
      ['Policy, frozen reward model', [0, 1, 2]],
      ['Full loop', [0, 1, 2]],
    ])
    const [before, outcome, policy, full] = lines.map(({ cells }) => cells[0]!)
    expect(full!.mean).toBeCloseTo(0.7, 9)
    expect(full!.difference).toBeNull()
    expect(before!.mean).toBeCloseTo(0.11, 9)
    expect(policy!.difference).toMatchObject({ kind: 'paired', n: 3, verdict: 'below' })
    expect(policy!.difference!.mean).toBeCloseTo(-0.2 + 0.001 / 3, 9)
    // Seeds vary by 10 points, their differences from the full loop by a few tenths of a point.
    expect(policy!.half!).toBeGreaterThan(0.2)
    expect(policy!.difference!.half!).toBeLessThan(0.01)
    expect(outcome!.difference!.verdict).toBe('spans-zero')
    expect(lines[2]!.cells[1]).toBeNull()
    expect(writeMean(full!, 'id')).toBe('70.0 % ± 24.8')
    expect(writeDifference(policy!.difference!, 'id')).toMatch(/^−20\.0 ± 0\.\d$/)
  })

  it('counts only complete runs and each seed once, and reports the others', () => {
    const again = run('frozen-judge', 0)
    const runs = [
      ...rows,
      again,
      run('frozen-judge', 7, { finishedIterations: 4 }),
      run('full', 0, { finishedIterations: 4 }),
    ]
    const { rows: lines } = ablationMatrix({ runs, world: 'household' }, measured(runs))
    const policy = lines.find(({ ablation }) => ablation === 'frozen-judge')!
    expect(policy).toMatchObject({ seeds: [0, 1, 2], incomplete: 1 })
    expect(policy.runIds[0]).toBe(again.runId)
    // A seed with another, complete run lacks nothing.
    expect(lines.find(({ ablation }) => ablation === 'full')!.incomplete).toBe(0)
  })

  it('has no differences without a full loop', () => {
    const some = rows.filter(({ settings }) => ablationOf(settings) !== 'full')
    const { rows: lines } = ablationMatrix({ runs: some, world: 'household' }, measured(some))
    expect(lines.flatMap(({ cells }) => cells).every((cell) => cell === null || cell.difference === null)).toBe(true)
  })
})

describe('experiments of the kept runs', () => {
  it('group runs that differ only in seed and ablation, newest first', () => {
    const first = [run('full', 0), run('frozen-judge', 0), run('frozen-judge', 1)]
    const second = [run('full', 0, { of: { lambda: 2 } }), run('grpo', 0, { of: { lambda: 2 } })]
    const alone = run('full', 0, { of: { lambda: 3 } })
    const strange = [
      run('full', 1, { changes: [{ iteration: 2, patch: { lambda: 2 } }] }),
      run('full', 2, { origin: { kind: 'branch', runId: 'a', iteration: 2 } }),
      run('frozen-judge', 3, { iterations: 99 }),
    ]
    const found = experimentsOf([...strange, ...first, alone, ...second])
    expect(found.map(({ name, runs }) => [name, runs.length])).toEqual([
      ['household: λ 2, 20 iterations', 2],
      ['household: 20 iterations', 3],
    ])
    expect(experimentKey(run('full', 0))).toEqual(experimentKey(run('grpo', 9)))
    const inWorld = (hash: string) => experimentKey(run('full', 0, { worldFile: { name: 'Numbers', hash } }))
    expect(inWorld('a')).toEqual(inWorld('a'))
    expect(inWorld('a')).not.toEqual(inWorld('b'))
    expect(experimentKey({ ...run('full', 0), settings: { ...presetSettings(), trainPolicy: false } })).toBeNull()
  })

  it('hold votes alone, which have no filters, beside every row of otherwise equal settings', () => {
    const wide = { policyAccuracyLow: 0, policyAccuracyHigh: 1 }
    const runs = [
      run('full', 0),
      run('grpo', 0),
      run('full', 0, { of: wide }),
      run('step-trained', 0),
      run('step-frozen', 0, { of: { lambda: 2 } }),
      run('step-trained', 0, { of: { lambda: 2 } }),
    ]
    const found = experimentsOf(runs)
    expect(found.map((each) => each.runs.map(({ settings }) => ablationOf(settings)))).toEqual([
      ['step-trained', 'step-frozen'],
      ['step-trained', 'full'],
      ['step-trained', 'grpo', 'full'],
    ])
    expect(new Set(found.map(({ key }) => key)).size).toBe(3)
    expect(found.map(({ name }) => name)[2]).toBe('household: 20 iterations')
    expect(found.map(({ name }) => name)[1]).toMatch(/^household: Policy filter 0, Policy filter 1/u)
  })

  it('are not left with open filters by a preset of votes alone', () => {
    const preset = 'household+step-frozen'
    const { settings, preset: name } = ablated({ preset, settings: presetSettings(preset) }, 'grpo')
    expect(name).toBe('household+grpo')
    expect(settings).toEqual(presetSettings(name))
  })

  it('read each complete run once, and count the unreadable ones', async () => {
    const entries = [
      run('full', 0),
      run('frozen-judge', 0),
      run('frozen-judge', 1, { finishedIterations: 3 }),
      run('step-trained', 0),
    ]
    const read = vi.fn(async (runId: string): Promise<MetricRow[]> => {
      if (runId.startsWith('step')) throw new Error('The rows are damaged.')
      return [row(20, { 'eval/id/acc': runId.startsWith('full') ? 0.5 : 0.25 })]
    })
    const ablations = new AblationRuns({ entries, rows: read })
    expect(ablations.shown?.runs.length).toBe(4)
    await ablations.read()
    await ablations.read()
    expect(read).toHaveBeenCalledTimes(3)
    expect(ablations.unreadable).toBe(1)
    const means = ablations.matrix!.rows.map(({ label, cells }) => [label, cells[0]?.mean])
    expect(means).toEqual([
      ['Policy, frozen reward model', 0.25],
      ['Full loop', 0.5],
      ['Votes alone, trained judge', undefined],
    ])
  })
})
