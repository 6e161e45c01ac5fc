import { describe, expect, it } from 'vitest'
import { isLogged } from '../../../../src/method/events.ts'
import { Focus } from '../../../../src/playground/state/focus.svelte.ts'
import { WhatIf } from '../../../../src/playground/views/episodes/what-if.svelte.ts'
import { parseRunLog } from '../../../../src/runs/run-log.ts'
import { fakeCodingRunLines } from '../../fake-coding-run.ts'
import { fakeRun } from '../../fake-run.ts'
import { FakeRun } from '../../state/page-stand-ins.ts'

function whatIfOf(run: FakeRun) {
  const focus = new Focus({ runFor: () => run })
  return { focus, whatIf: new WhatIf(focus) }
}

describe('another λ', () => {
  const run = new FakeRun([...fakeRun({ iterations: 3 })].filter(isLogged))

  it('changes nothing at the value of the run', () => {
    const { whatIf } = whatIfOf(run)
    whatIf.try(whatIf.batch!.settings.lambda)
    const { before, now } = whatIf.chosen!
    expect(now).toEqual(before)
    expect(whatIf.consequence).toMatch(/^\d+ advantages of this batch train the policy\.$/)
  })

  it('gives every step of a rollout the outcome alone at 0', () => {
    const { whatIf } = whatIfOf(run)
    whatIf.try(0)
    const { group, now } = whatIf.chosen!
    expect(now.feedback).toEqual(group.outcomes.map((outcome, i) => group.scores[i]!.map(() => outcome)))
    expect(whatIf.settings!.lambda).toBe(0)
    expect(whatIf.consequence).toMatch(/^At λ = 0 instead of 1, \d+ advantages/)
    whatIf.try(null)
    expect(whatIf.settings!.lambda).toBe(1)
  })

  it('draws the place on show, and moves it with a chosen cell', () => {
    const { focus, whatIf } = whatIfOf(run)
    expect(whatIf.taskId).toBe(focus.shown!.group.taskId)
    const cell = whatIf.map!.rows[2]!.cells[1]!
    whatIf.choose(cell)
    expect(focus.spot).toMatchObject({ rollout: 2, step: 1 })
    expect(whatIf.isChosen(cell)).toBe(true)
    expect(whatIf.isChosen(whatIf.map!.rows[2]!.cells[0]!)).toBe(false)
    expect(whatIf.decomposition!.bars.length).toBe(focus.shown!.group.trajectories[2]!.steps.length)
  })

  it('has nothing to draw before an iteration is judged', () => {
    const { whatIf } = whatIfOf(new FakeRun())
    expect([whatIf.batch, whatIf.map, whatIf.lines, whatIf.consequence]).toEqual([null, null, null, ''])
  })
})

describe('the tests of programs', () => {
  it('are the same in the equation and in the matrix of programs', () => {
    const { focus, whatIf } = whatIfOf(new FakeRun(parseRunLog(fakeCodingRunLines())))
    whatIf.role = 'reward'
    const { hidden } = focus.judged!.tests
    expect(hidden).toBeGreaterThan(0)
    const row = whatIf.map!.rows.find(({ cells }) => cells[0]!.taskId === whatIf.taskId)!
    whatIf.choose(row.cells[1]!)
    expect(focus.spot).toMatchObject({ test: hidden + 1, isOnHeads: true })
    expect(whatIf.test).toBe(1)
    expect(whatIf.isChosen(row.cells[1]!)).toBe(true)
  })
})
