import { describe, expect, it } from 'vitest'
import { foldRun, type RunView } from '../../../src/runs/fold.ts'
import {
  advantageMap,
  awaitedMap,
  cellText,
  failedAloneFrom,
} from '../../../src/playground/views/episodes/advantage-map.ts'
import { batchOf, countFlips, isFlipped, rederive } from '../../../src/runs/batch.ts'
import { plainFormula } from '../../../src/playground/kit/math/formula.ts'
import { equationLines, type SymbolId } from '../../../src/playground/run/equation.ts'
import { decompose } from '../../../src/playground/views/episodes/reward-decomposition.ts'
import { group as groupOf, settingsOf } from '../../../src/playground/run/trajectories.ts'
import { logOf, request } from '../../method/corridor.ts'
import { codingSettings, codingWorld } from '../../method/test-writing/adding.ts'
import { recordedHousehold } from '../recorded-household.ts'

const household = recordedHousehold()
const coding = foldRun(await logOf(codingWorld(), request(codingSettings({ tasksPerIteration: 8 }), { iterations: 4 })))
const reference = foldRun(
  await logOf(codingWorld(), request(codingSettings({ profile: 'reference' }), { iterations: 4 })),
)

/** The published log has four decimals. */
const near = (actual: readonly (number | null)[], logged: readonly (number | null)[], where: string) => {
  expect(actual.length, where).toBe(logged.length)
  const isNear = (value: number | null, other: number | null) =>
    value === null || other === null ? value === other : Math.abs(value - other) < 2e-4
  // One assertion: a batch has tens of thousands of values.
  if (!actual.every((value, index) => isNear(value, logged[index] ?? null))) expect(actual, where).toEqual(logged)
}

describe('deriving the advantages of a batch again', () => {
  it.each([
    ['household', household],
    ['coding, paper', coding],
    ['coding, reference', reference],
  ] as [string, RunView][])('gives what the loop logged, under the settings of the run: %s', (_, view) => {
    let compared = 0
    for (const iteration of view.iterations) {
      const settings = settingsOf(view, iteration.iteration)!
      for (const group of batchOf(view, iteration)) {
        const derived = group.derive(settings)
        group.episodes.forEach(({ episode, feedback, policyAdvantages, rewardAdvantages }, index) => {
          near(derived.feedback[index]!, feedback!, episode.episodeId)
          near(derived.policy[index]!, policyAdvantages!, episode.episodeId)
          if (group.kind === 'steps') near(derived.reward[index]!.flat(), rewardAdvantages!.flat(), episode.episodeId)
          compared++
        })
        const tests = view.testsFor(iteration.iteration, group.taskId)
        if (group.kind === 'programs') near(derived.tests?.reward ?? [], tests?.advantages ?? [], group.taskId)
      }
    }
    expect(compared).toBeGreaterThan(30)
  })

  it('gives all steps of a trajectory R = O at λ = 0', () => {
    const iteration = household.iteration(5)!
    for (const group of batchOf(household, iteration)) {
      const { feedback } = group.derive({ ...household.settings!, lambda: 0 })
      feedback.forEach((row, index) => expect(new Set([group.outcomes[index], ...row])).toHaveLength(1))
    }
  })

  it('counts a flip only where an advantage changes its sign, and none at the λ of the run', () => {
    const settings = household.settings!
    const batch = batchOf(household, household.iteration(10)!)
    for (const role of ['policy', 'reward'] as const) {
      const same = countFlips(rederive(batch, settings, settings), role)
      expect([same.flipped, same.started, same.stopped]).toEqual([0, 0, 0])
      expect(same.trained).toBeGreaterThan(0)
    }
    const moved = rederive(batch, settings, { ...settings, lambda: 8 })
    const byHand = moved.flatMap(({ before, now }) =>
      now.policy.flat().filter((value, i) => isFlipped(before.policy.flat()[i] ?? null, value)),
    )
    expect(byHand.length).toBeGreaterThan(0)
    expect(countFlips(moved, 'policy').flipped).toBe(byHand.length)
    expect([isFlipped(0.1, -0.1), isFlipped(0.1, 2), isFlipped(null, -1), isFlipped(1, null)]).toEqual([
      true, false, false, false,
    ]) // prettier-ignore
  })

  it('does not train on a rejected candidate, like the loop', () => {
    const rejected = household.iterations.flatMap((iteration) => {
      const ids = iteration.resolved.filter((r) => !r.accepted).map((r) => r.candidateId)
      return batchOf(household, iteration).filter(({ taskId }) => ids.includes(taskId))
    })
    expect(rejected.length).toBeGreaterThan(0)
    for (const group of rejected) {
      const { policy, reward } = group.derive(household.settings!)
      expect([...policy.flat(), ...reward.flat(2)].every((value) => value === null)).toBe(true)
    }
  })
})

describe('the heat map', () => {
  it('has a row for each trajectory and a cell for each step, with m parts for the reward model', () => {
    const settings = household.settings!
    const batch = batchOf(household, household.iteration(3)!)
    const [first] = batch
    const derived = rederive(batch, settings, { ...settings, lambda: 6 })
    const policy = advantageMap(derived, first!.taskId, 'policy')!
    const reward = advantageMap(derived, first!.taskId, 'reward')!
    expect(policy.rows.map(({ cells }) => cells.length)).toEqual(first!.scores.map((steps) => steps.length))
    expect(policy.rows[0]!.cells[0]!.parts).toHaveLength(1)
    expect(reward.rows[0]!.cells[0]!.parts).toHaveLength(settings.evaluationsPerStep)
    const flippedCells = policy.rows.flatMap(({ cells }) => cells).filter(({ parts }) => parts[0]!.isFlipped)
    expect(flippedCells.length).toBe(countFlips([derived[0]!], 'policy').flipped)
    for (const { name } of flippedCells) expect(name).toContain('its sign has flipped')
  })

  it('shows programs and written tests of all problems of a coding batch', () => {
    const settings = coding.settings!
    const batch = batchOf(coding, coding.iteration(2)!)
    const derived = rederive(batch, settings, settings)
    const policy = advantageMap(derived, batch[0]!.taskId, 'policy')!
    expect([policy.rowNoun, policy.rows.length, policy.width]).toEqual(['Problem', batch.length, settings.groupSize])
    expect(advantageMap(derived, batch[0]!.taskId, 'reward')!.width).toBe(settings.evaluationsPerStep)
  })

  it('labels problems without the beginning that they share', () => {
    const settings = coding.settings!
    const [first] = rederive(batchOf(coding, coding.iteration(2)!), settings, settings)
    const labelsOf = (...texts: string[]) => {
      const batch = texts.map((instruction, i) => ({
        ...first!,
        group: { ...first!.group, taskId: String(i), instruction },
      }))
      const { rows } = advantageMap(batch, '0', 'policy')!
      expect(rows.map(({ title }) => title)).toEqual(texts)
      return rows.map(({ label }) => label)
    }
    const [square, negate] = ['Write f(x) for a number x: square it.', 'Write f(x) for a number x: negate it.']
    expect(labelsOf(square, negate)).toEqual(['… square it.', '… negate it.'])
    expect(labelsOf(square, 'Write f(s) for a string s: sort it.')).toEqual([
      '… f(x) for a number x: square it.',
      '… f(s) for a string s: sort it.',
    ])
    expect(labelsOf(square, square)).toEqual([square, square])
    expect(labelsOf(square, 'Sort s.')).toEqual([square, 'Sort s.'])
  })
})

describe('the map of rollouts', () => {
  const iteration = household.iteration(5)!
  const batch = rederive(batchOf(household, iteration), household.settings!, household.settings!)

  it('names each cell by its action, votes, R and advantage', () => {
    const map = advantageMap(batch, batch[0]!.group.taskId, 'policy')!
    const { command } = batch[0]!.group.episodes[1]!.episode.steps[2]!
    expect(map.rows[1]!.cells[2]!.name).toMatch(
      new RegExp(
        `^Rollout 2, step 3, ${command}, votes( [+−]1| 0){3}, R [+−]\\d\\.\\d\\d, (.*, )?(advantage|does not train)`,
      ),
    )
  })

  it('says from which step on failed rollouts are compared among themselves', () => {
    const steps = (lengths: readonly number[]) => lengths.map((length) => Array.from({ length }, () => []))
    expect(failedAloneFrom({ outcomes: [1, -1, 1], scores: steps([3, 6, 4]) })).toBe(4)
    expect(failedAloneFrom({ outcomes: [1, -1], scores: steps([6, 6]) })).toBeNull()
    expect(failedAloneFrom({ outcomes: [-1, -1], scores: steps([6, 4]) })).toBeNull()
    const mixed = batch.find(({ group }) => failedAloneFrom(group) !== null)!
    const map = advantageMap(batch, mixed.group.taskId, 'policy')!
    const named = map.rows.flatMap(({ cells }) =>
      cells.filter(({ name }) => name.includes('among failed rollouts alone')),
    )
    expect(named.length).toBeGreaterThan(0)
    for (const { trajectory, step } of named) {
      expect(step).toBeGreaterThanOrEqual(map.failedAloneFrom!)
      expect(mixed.group.outcomes[trajectory]).toBe(-1)
    }
  })
})

describe('the map of an iteration that is not judged', () => {
  it('shows mean votes where there are any, and names its cells', () => {
    const iteration = household.iteration(3)!
    const group = groupOf(iteration, iteration.episodes[0]!.episode.taskId, 'paper')
    const cut = { ...group, trajectories: group.trajectories.map((t) => ({ ...t, outcome: null, steps: t.steps.slice(0, 2).map((s, k) => ({ ...s, advantage: undefined, meanScore: k === 0 ? s.meanScore : null })) })) } // prettier-ignore
    const map = awaitedMap(cut)
    expect(map.rows.map(({ cells }) => cells.map(cellText))).toEqual(
      group.trajectories.map(({ steps }) => {
        const votes = steps[0]!.evaluations!.map(({ score }) => score as number)
        const mean = votes.reduce((sum, vote) => sum + vote, 0) / votes.length
        return [mean === 0 ? '0.0' : `${mean < 0 ? '−' : '+'}${Math.abs(mean).toFixed(1)}`, '·']
      }),
    )
    expect(map.rows[1]!.cells[1]!.name).toBe('Rollout 2, step 2')
    expect(map.rows.every(({ outcome }) => outcome === null)).toBe(true)
  })
})

describe('the decomposition of R', () => {
  it.each([
    ['household', household],
    ['coding, paper', coding],
    ['coding, reference', reference],
  ] as [string, RunView][])('has shares that add up to the feedback that the loop logged: %s', (_, view) => {
    let compared = 0
    for (const iteration of view.iterations) {
      const settings = settingsOf(view, iteration.iteration)!
      for (const derived of rederive(batchOf(view, iteration), settings, settings)) {
        const { group } = derived
        const bars = group.kind === 'programs'
          ? decompose(derived, settings, 0)!.bars.map((bar, program) => [bar, group.episodes[program]!.feedback![0]!, group.episodes[program]!.policyAdvantages![0] ?? null] as const)
          : group.episodes.flatMap(({ feedback, policyAdvantages }, row) => decompose(derived, settings, row)!.bars.map((bar, step) => [bar, feedback![step]!, policyAdvantages![step] ?? null] as const)) // prettier-ignore
        for (const [bar, feedback, advantage] of bars) {
          const sum = bar.shares.reduce((total, { value }) => total + value, 0)
          near([sum, bar.feedback, bar.advantage], [feedback, feedback, advantage], bar.name)
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(30)
  })

  it('stacks positive shares upwards and negative ones downwards, within its scale, for any λ', () => {
    const settings = household.settings!
    const batch = batchOf(household, household.iteration(8)!)
    for (const lambda of [0, 0.5, 1, 6]) {
      for (const derived of rederive(batch, settings, { ...settings, lambda })) {
        const { bars, low, high } = decompose(derived, { ...settings, lambda }, 0)!
        for (const { shares, feedback } of bars) {
          const ends = shares.flatMap(({ from, to }) => [from, to])
          expect(Math.min(...ends, feedback)).toBeGreaterThanOrEqual(low - 1e-9)
          expect(Math.max(...ends, feedback)).toBeLessThanOrEqual(high + 1e-9)
          const [o, s] = shares
          expect([o!.id, o!.from, Math.abs(o!.to)]).toEqual(['O', 0, 1])
          // On top of O where they agree, against it where they do not.
          expect(s!.from).toBe(s!.value !== 0 && Math.sign(s!.value) === Math.sign(o!.value) ? o!.to : s!.value === 0 && o!.value > 0 ? o!.to : 0) // prettier-ignore
        }
      }
    }
  })

  it('has only the shares of the policy’s signal, and names their numbers', () => {
    const settings = household.settings!
    const batch = batchOf(household, household.iteration(8)!)
    const of = (signal: 'outcome' | 'step' | 'integrated') => {
      const changed = { ...settings, signal }
      return decompose(rederive(batch, settings, changed)[0]!, changed, 0)!
    }
    expect(of('outcome').legend.map(({ text }) => text)).toEqual(['$O$'])
    expect(of('step').legend.map(({ text }) => text)).toEqual(['$mean S$'])
    expect(of('integrated').legend.map(({ text }) => text)).toEqual(['$O$', '$λ · mean S$'])
    expect(of('integrated').bars[0]!.name).toMatch(
      /^Step 1, [a-z].*, O [+−]1\.00, λ · mean S [+−]?\d\.\d\d, R [+−]?\d\.\d\d, (advantage [+−]?\d\.\d\d|does not train)$/,
    )
    const first = rederive(batchOf(reference, reference.iteration(1)!), reference.settings!, reference.settings!)[0]!
    const hidden = decompose(first, reference.settings!, 0)!
    expect([hidden.noun, hidden.low, hidden.legend]).toEqual(['Program', 0, [{ id: 'hidden', text: 'hidden tests passed' }]]) // prettier-ignore
    expect(decompose(rederive(batch, settings, settings)[0]!, settings, 99)).toBeNull()
  })
})

describe('the equation', () => {
  const settings = household.settings!
  const number = (text: string) => Number(text.replace('−', '-').replace('+', ''))

  it('adds up: the right side of a line gives its left side', () => {
    let checked = 0
    for (const group of batchOf(household, household.iteration(8)!)) {
      const derived = group.derive(settings)
      group.scores.forEach((steps, trajectory) => {
        steps.forEach((_, step) => {
          const [feedback, advantage] = equationLines(group, derived, settings, { trajectory, step, test: 0 })!
          const of = (line: typeof feedback, id: SymbolId) => line!.values[id]!
          const votes = of(feedback, 'S').match(/[+−]\d/gu) ?? []
          const sum = votes.reduce((total, vote) => total + number(vote), 0)
          const r = number(of(feedback, 'O')) + (number(of(feedback, 'lambda')) / number(of(feedback, 'm'))) * sum
          expect(r).toBeCloseTo(number(of(feedback, 'R')), 1)
          if (of(advantage, 'A') === '–') return expect(advantage!.note).not.toBeNull()
          const a = (number(of(advantage, 'R')) - number(of(advantage, 'mean'))) / number(of(advantage, 'std'))
          expect(Math.abs(a - number(of(advantage, 'A')))).toBeLessThan(0.1)
          checked++
        })
      })
    }
    expect(checked).toBeGreaterThan(50)
  })

  it('adds up for a written test: the mean of R · S over the programs is its worth', () => {
    let checked = 0
    for (const group of batchOf(coding, coding.iteration(3)!)) {
      const derived = group.derive(coding.settings!)
      for (let test = 0; test < coding.settings!.evaluationsPerStep; test++) {
        const line = equationLines(group, derived, coding.settings!, { trajectory: 0, step: 0, test })![2]!
        const list = (id: SymbolId) => (line.values[id]!.match(/[+−]?\d+(\.\d+)?/gu) ?? []).map(number)
        const [r, s] = [list('R'), list('S')]
        if (s.every((sign) => sign === 0)) continue
        expect(r.reduce((sum, value, i) => sum + value * s[i]!, 0) / r.length).toBeCloseTo(list('RS')[0]!, 1)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(10)
  })

  it('says that the released code learns only from hidden tests', () => {
    const [group] = batchOf(reference, reference.iteration(1)!)
    const lines = equationLines(group!, group!.derive(reference.settings!), reference.settings!, {
      trajectory: 0,
      step: 0,
      test: 0,
    })!
    expect(plainFormula(lines[0]!.symbols)).toBe('R = hidden tests passed')
    expect(equationLines(group!, group!.derive(reference.settings!), reference.settings!, { trajectory: 99, step: 0, test: 0 })).toBeNull() // prettier-ignore
  })

  it('omits O if the policy learns only from votes', () => {
    const [group] = batchOf(household, household.iteration(1)!)
    const step = { ...settings, signal: 'step' as const }
    const [line] = equationLines(group!, group!.derive(step), step, { trajectory: 0, step: 0, test: 0 })!
    expect(Object.keys(line!.values)).toEqual(['R', 'm', 'S'])
  })
})
