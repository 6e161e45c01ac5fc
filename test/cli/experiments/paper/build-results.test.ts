import { describe, expect, it } from 'vitest'
import { FULL, QUICK } from '../../../../src/cli/experiments/paper/budget.ts'
import { buildResults } from '../../../../src/cli/experiments/paper/build-results.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'
import { MOST_RESULTS_BYTES, parseResults, TABLES } from '../../../../src/results/results-file.ts'
import { accuracies, madeUpRecord, runsOf } from './made-up-records.ts'

const FROM = { command: 'npm run experiments -- paper', date: '2026-03-01', models: {} }
const STARTS = ['weak', 'middling', 'strong']

describe('the results of a table', () => {
  it('are valid and small for every table, whatever was measured', () => {
    for (const table of TABLES) {
      const plan = planTable(table, FULL, STARTS)
      const results = buildResults(
        plan,
        runsOf(plan, (_, seed) => madeUpRecord({ seed, evaluations: accuracies(0.123456, 0.654321) })),
        FROM,
      )
      expect(parseResults(JSON.parse(JSON.stringify(results)))).toEqual(results)
      expect(JSON.stringify(results).length, table).toBeLessThan(MOST_RESULTS_BYTES)
    }
  })

  it('tell a judge that approves more from one that judges better', () => {
    const plan = planTable('household', { ...QUICK, seeds: [0] }, [])
    const judge = (good: number, bad: number, accepted: number) => ({
      'judge/good_acc': good,
      'judge/bad_acc': bad,
      'judge/accepted_bad_acc': accepted,
      'judge/balanced_acc': (good + bad) / 2,
    })
    const lenient = [
      { iteration: 0, values: judge(0.8, 0.9, 0.8) },
      { iteration: 4, values: judge(0.98, 0.86, 0.5) },
    ]
    const { rows } = buildResults(
      plan,
      runsOf(plan, () => madeUpRecord({ evaluations: lenient })),
      FROM,
    )
    const values = (id: string) => rows.find((row) => row.id === id)!.values
    expect(values('temperature-only')).toMatchObject({ 'judge-balanced': [0.85], 'judge-accepted': [0.8] })
    expect(values('full')).toMatchObject({ 'judge-balanced': [0.92], 'judge-accepted': [0.74] })
  })

  it('say nothing of how many rewrites were accepted where none was measured', () => {
    const plan = planTable('tasks', { ...QUICK, seeds: [0] }, [])
    const last: Record<string, Record<string, number>> = {
      // As earlier versions wrote it.
      fixed: { 'env/accept_rate': 0 },
      null: { 'env/accept_rate': 0, 'env/null_accept_rate': 0.2 },
      full: {},
    }
    const { rows } = buildResults(
      plan,
      runsOf(plan, (arm) => madeUpRecord({ last: last[arm]! })),
      FROM,
    )
    expect(rows.map(({ id, values }) => [id, values['accepted']])).toEqual([
      ['fixed', [null]],
      ['null', [0]],
      ['full', [null]],
    ])
  })

  it('compare arms seed by seed, and the trained policy with temperature alone', () => {
    const plan = planTable('household', { ...QUICK, seeds: [0, 1, 2] }, [])
    const end: Record<string, number> = { grpo: 0.5, 'frozen-judge': 0.55, 'policy-reward': 0.6, full: 0.7 }
    const results = buildResults(
      plan,
      // A seed's common effect cancels, so the intervals are narrow.
      runsOf(plan, (arm, seed) => {
        return madeUpRecord({ seed, evaluations: accuracies(0.4 + 0.1 * seed, end[arm]! + 0.1 * seed + seed / 1000) })
      }),
      FROM,
    )
    const row = (id: string) => results.rows.find((each) => each.id === id)!
    expect(row('temperature-only').values).toMatchObject({ id: [0.4, 0.5, 0.6] })
    expect(row('temperature-only').values['id-sampled']).toBeUndefined()
    expect(row('untrained').values).toEqual({ 'id-sampled': [0.3, 0.4, 0.5], 'ood-sampled': [null, null, null] })
    expect(row('full').values['id']).toEqual([0.7, 0.801, 0.902])

    const gain = results.claims.find(({ than, measure }) => than === 'temperature-only' && measure === 'id')!
    expect(gain.difference?.mean).toBeCloseTo(0.301, 4)
    expect(gain).toMatchObject({ verdict: 'holds', least: 0.15, row: 'full' })
    const order = results.claims.filter(({ measure, than }) => measure === 'id' && than !== 'temperature-only')
    expect(order.map(({ row, than }) => [row, than])).toEqual([
      ['frozen-judge', 'grpo'],
      ['policy-reward', 'frozen-judge'],
      ['full', 'policy-reward'],
    ])
    expect(order.every(({ verdict }) => verdict === 'does not hold')).toBe(false)
    expect(results.claims.find(({ measure }) => measure === 'judge-balanced')!.verdict).toBe('not measured')
  })

  it('compare the longer run with its own half', () => {
    const plan = planTable('longer', { ...QUICK, seeds: [0, 1] }, [])
    const at = (iteration: number, id: number) => ({ iteration, values: { 'eval/id/acc': id } })
    const results = buildResults(
      plan,
      runsOf(plan, (_, seed) =>
        madeUpRecord({
          seed,
          iterations: 12,
          evaluations: [at(0, 0.4), at(3, 0.45), at(6, 0.5), at(9, 0.55), at(12, 0.65 + seed / 100)],
        }),
      ),
      FROM,
    )
    const full = results.rows.find(({ id }) => id === 'full')!
    expect(full.iterations).toBe(12)
    expect(full.values).toMatchObject({ 'id-half': [0.5, 0.5], id: [0.65, 0.66] })
    const adds = results.claims.find(({ than, measure }) => than === 'full' && measure === 'id')!
    expect(adds.difference?.mean).toBeCloseTo(0.155, 4)
    expect(adds.verdict).toBe('holds')
  })

  it('has no half of a longer run that was not evaluated there', () => {
    const plan = planTable('longer', { ...QUICK, seeds: [0] }, [])
    const at = (iteration: number) => ({ iteration, values: { 'eval/id/acc': 0.5 } })
    const record = madeUpRecord({ iterations: 12, evaluations: [at(0), at(4), at(8), at(12)] })
    const { rows } = buildResults(
      plan,
      runsOf(plan, () => record),
      FROM,
    )
    expect(rows.find(({ id }) => id === 'full')!.values).toMatchObject({ 'id-half': [null], id: [0.5] })
  })

  it('compare adapted tasks where all arms of a seed had made as many rollouts', () => {
    const plan = planTable('tasks', { ...QUICK, seeds: [0] }, [])
    const rollouts: Record<string, number> = { fixed: 100, null: 160, full: 200 }
    const results = buildResults(
      plan,
      runsOf(plan, (arm) => {
        const total = rollouts[arm]!
        return madeUpRecord({ evaluations: accuracies(0.2, 0.6, total), last: { 'rollout/total': total } })
      }),
      FROM,
    )
    const equal = Object.fromEntries(results.rows.map(({ id, values }) => [id, values['id-equal']![0]]))
    expect(equal).toEqual({ fixed: 0.6, null: 0.45, full: 0.4 })
  })

  it('mark where the judge collapsed and where the policy pleased it', () => {
    const plan = planTable('map', { ...QUICK, mapSeeds: [0, 1, 2], voteFlips: [0.2] }, ['weak'])
    const results = buildResults(
      plan,
      runsOf(plan, (arm, seed) => {
        const isFull = arm.startsWith('full')
        // Outcomes of two seeds fall. One of them solves more held-out tasks: its tasks have become harder.
        const after = isFull ? [0.4, 0.5, 0.5][seed]! : 0.6
        return madeUpRecord({
          evaluations: accuracies(0.4, after).map((each, i) => ({
            ...each,
            values: { ...each.values, 'judge/balanced_acc': i === 1 && isFull && seed === 1 ? 0.5 : 0.6 },
          })),
          early: { 'policy/step_score/mean': 0.1, 'policy/outcome/mean': 0 },
          late: { 'policy/step_score/mean': 0.4, 'policy/outcome/mean': seed === 1 ? 0.1 : -0.1 },
        })
      }),
      FROM,
    )
    expect(results.map).toHaveLength(2)
    expect(results.map![0]).toMatchObject({
      voteFlips: 0.2,
      start: 'weak',
      over: 'grpo',
      collapsed: 1,
      pleased: 1,
      seeds: 3,
    })
    expect(results.rows.find(({ id }) => id.startsWith('full'))!.values).toMatchObject({ pleased: [1, 0, 0] })
    expect(results.map![0]!.gain!.mean).toBeCloseTo(-0.1333, 4)
    expect(results.map![0]!.startAccuracy).toBe(0.4)
  })

  it('mark a collapse by the same loss for every share of flipped votes', () => {
    const plan = planTable('map', { ...QUICK, mapSeeds: [0], voteFlips: [0, 0.4] }, ['weak'])
    const collapsed = (before: number, after: number) => {
      const run = madeUpRecord({
        evaluations: accuracies(0.4, 0.5).map((each, i) => ({
          ...each,
          values: { ...each.values, 'judge/balanced_acc': i === 0 ? before : after },
        })),
      })
      return buildResults(
        plan,
        runsOf(plan, () => run),
        FROM,
      ).map![0]!.collapsed
    }
    // A judge of 85 % that fell to 75 %, as it is measured with ε = 0 and ε = 0.4; and one that fell to 81 %.
    expect([collapsed(0.85, 0.75), collapsed(0.57, 0.55)]).toEqual([1, 1])
    expect([collapsed(0.85, 0.81), collapsed(0.57, 0.562)]).toEqual([0, 0])
  })

  it('have curves with the mean of all seeds', () => {
    const plan = planTable('signals', { ...QUICK, seeds: [0, 1] }, [])
    const results = buildResults(
      plan,
      runsOf(plan, (_, seed) => madeUpRecord({ seed, evaluations: accuracies(0.4, 0.6 + 0.1 * seed) })),
      FROM,
    )
    const curve = results.curves!.find(({ row, measure }) => row === 'grpo' && measure === 'id')!
    expect(curve.points.map(({ iteration, mean }) => [iteration, mean])).toEqual([
      [0, 0.4],
      [4, 0.65],
    ])
  })

  it('need every run', () => {
    const plan = planTable('household', QUICK, [])
    expect(() => buildResults(plan, new Map(), FROM)).toThrow(/run of grpo with seed 0 is missing/)
  })
})
